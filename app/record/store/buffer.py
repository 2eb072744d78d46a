"""Readings of one group on their way: into the tail at a commit, then to a seal."""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.record.store.buckets import BUCKET_NS, middles
from app.record.store.ledger import Ledger
from app.record.store.registry import Group
from app.record.store.tail import check_row

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
        self._starts = array("q")
        self._ends = array("q")
        self._values = array("d")
        self._unsealed: dict[int, list[_Blobs]] = {}

    def __len__(self) -> int:
        return len(self._starts)

    def append(self, start: int, end: int, values: Sequence[float]) -> None:
        """Add one reading."""
        self._starts.append(start)
        self._ends.append(end)
        self._values.extend(values)

    def extend(self, starts: Ints, ends: Ints, values: Floats) -> None:
        """Add many readings, one row of values each."""
        self._starts.frombytes(starts.astype(np.int64, copy=False).tobytes())
        self._ends.frombytes(ends.astype(np.int64, copy=False).tobytes())
        self._values.frombytes(np.ascontiguousarray(values, np.float64).tobytes())

    def write(self, ledger: Ledger, next_id: Callable[[], int]) -> int:
        """Put what came since the last time into the tail, one row a bucket.

        Returns:
            The latest time among the readings, in ns.
        """
        starts = np.array(self._starts, dtype="<i8")
        durations = np.array(self._ends, dtype="<i8") - starts
        values = np.array(self._values, dtype="<f8").reshape(len(starts), -1)
        del self._starts[:], self._ends[:], self._values[:]
        times = middles(starts, durations)
        first, last = int(times.min()), int(times.max())
        if first // BUCKET_NS == last // BUCKET_NS:
            self._write(ledger, next_id(), Block(starts, durations, values), times)
            return last
        buckets = times // BUCKET_NS
        for bucket in np.unique(buckets):
            here = buckets == bucket
            block = Block(starts[here], durations[here], values[here])
            self._write(ledger, next_id(), block, times[here])
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
        width = len(self.group.channels)
        blocks = {}
        for bucket in [bucket for bucket in self._unsealed if bucket < before]:
            starts, durations, values = zip(*self._unsealed.pop(bucket), strict=True)
            blocks[bucket] = Block(
                np.frombuffer(b"".join(starts), "<i8"),
                np.frombuffer(b"".join(durations), "<i8"),
                np.frombuffer(b"".join(values), "<f8").reshape(-1, width),
            )
        return blocks

    def _write(self, ledger: Ledger, row_id: int, block: Block, times: Ints) -> None:
        blobs = (
            block.starts.tobytes(),
            block.durations.tobytes(),
            block.values.tobytes(),
        )
        first, last = int(times.min()), int(times.max())
        bucket = first // BUCKET_NS
        head = (row_id, self.group.id, bucket, times.size, first, last)
        ledger.execute(_INSERT, (*head, *blobs))
        self._unsealed.setdefault(bucket, []).append(blobs)
