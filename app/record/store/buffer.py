"""Readings of one group on their way: into the tail at a commit, then to a seal."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.record.store.buckets import BUCKET_NS, bucket_of, middles
from app.record.store.ledger import Ledger
from app.record.store.registry import Group
from app.record.store.tail import NO_TIMES, check_row

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_INSERT = (
    "INSERT INTO tail (id, group_id, bucket, count, first_ns, last_ns, starts, "
    'durations, "values") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'
)
_Blobs = tuple[bytes, bytes, bytes]


@dataclass(slots=True)
class Block:
    """Readings of one group in one bucket; values have one row a reading."""

    starts: Ints
    durations: Ints
    values: Floats

    @property
    def times(self) -> Ints:
        """The x of the readings in ns."""
        return middles(self.starts, self.durations)

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, part: slice) -> "Block":
        return Block(self.starts[part], self.durations[part], self.values[part])

    def sorted(self) -> "Block":
        """Get the readings in the order of time."""
        times = self.times
        if (np.diff(times) >= 0).all():
            return self
        order = np.argsort(times, kind="stable")
        return Block(self.starts[order], self.durations[order], self.values[order])


class GroupBuffer:
    """The readings of one group that are not sealed yet.

    They are in the tail of the file as well, for readers and for a crash; the copy
    saves reading them back.
    """

    def __init__(self, group: Group) -> None:
        self.group = group
        # What comes between two commits are a few readings: an array takes each faster
        # than numpy, and gives the bytes as they are stored (every machine that PySide6
        # has wheels for is little-endian).
        self._starts = array("q")
        self._durations = array("q")
        self._values = array("d")
        self._extent = NO_TIMES
        self._unsealed: dict[int, list[_Blobs]] = {}

    def __len__(self) -> int:
        return len(self._starts)

    def append(self, start: int, end: int, values: Sequence[float]) -> None:
        """Add one reading."""
        duration = end - start
        time = start + duration // 2
        self._starts.append(start)
        self._durations.append(duration)
        self._values.extend(values)
        first, last = self._extent
        if not first <= time <= last:
            self._extent = (min(first, time), max(last, time))

    def extend(self, block: Block) -> None:
        """Add many readings."""
        self._starts.frombytes(block.starts.tobytes())
        self._durations.frombytes(block.durations.tobytes())
        self._values.frombytes(block.values.tobytes())
        times, (first, last) = block.times, self._extent
        self._extent = (min(first, int(times.min())), max(last, int(times.max())))

    def write(self, ledger: Ledger, next_id: Callable[[], int]) -> int:
        """Put what came since the last time into the tail, one row a bucket.

        Returns:
            The latest time among the readings, in ns.
        """
        extent = first, last = self._extent
        blobs = (
            self._starts.tobytes(),
            self._durations.tobytes(),
            self._values.tobytes(),
        )
        del self._starts[:], self._durations[:], self._values[:]
        self._extent = NO_TIMES
        if bucket_of(first) == bucket_of(last):
            self._write(ledger, next_id(), blobs, extent)
            return last
        block = self._block([blobs])
        times = block.times
        buckets = times // BUCKET_NS
        for bucket in np.unique(buckets):
            part = buckets == bucket
            own = times[part]
            columns = (block.starts, block.durations, block.values)
            starts, durations, values = (column[part].tobytes() for column in columns)
            blobs = (starts, durations, values)
            self._write(ledger, next_id(), blobs, (int(own.min()), int(own.max())))
        return last

    def restore(self, bucket: int, blobs: _Blobs) -> None:
        """Take a row of the tail back that another recording has written.

        Raises:
            ValueError: It is damaged.
        """
        check_row(blobs, len(self.group.channels))
        self._unsealed.setdefault(bucket, []).append(blobs)

    def take(self, before: int) -> dict[int, Block]:
        """Take the unsealed readings of all buckets below `before`."""
        due = [bucket for bucket in self._unsealed if bucket < before]
        return {bucket: self._block(self._unsealed.pop(bucket)) for bucket in due}

    def _block(self, rows: Iterable[_Blobs]) -> Block:
        starts, durations, values = (
            b"".join(blobs) for blobs in zip(*rows, strict=True)
        )
        return Block(
            np.frombuffer(starts, "<i8"),
            np.frombuffer(durations, "<i8"),
            np.frombuffer(values, "<f8").reshape(-1, len(self.group.channels)),
        )

    def _write(
        self, ledger: Ledger, row_id: int, blobs: _Blobs, extent: tuple[int, int]
    ) -> None:
        bucket = bucket_of(extent[0])
        head = (row_id, self.group.id, bucket, len(blobs[0]) // 8)
        ledger.execute(_INSERT, (*head, *extent, *blobs))
        self._unsealed.setdefault(bucket, []).append(blobs)
