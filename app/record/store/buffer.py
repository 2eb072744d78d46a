"""Readings of one group between two commits, on their way into the tail."""

from array import array
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from app.record.store.buckets import BUCKET_NS, middles
from app.record.store.ledger import Ledger
from app.record.store.registry import Group

_INSERT = (
    "INSERT INTO tail (id, group_id, bucket, count, first_ns, last_ns, starts, "
    'durations, "values") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'
)


class GroupBuffer:
    """Starts, ends and values of the readings of one group since the last commit."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self._starts = array("q")
        self._ends = array("q")
        self._values = array("d")

    def __len__(self) -> int:
        return len(self._starts)

    def append(self, start: int, end: int, values: Sequence[float]) -> None:
        """Add one reading."""
        self._starts.append(start)
        self._ends.append(end)
        self._values.extend(values)

    def extend(
        self,
        starts: npt.NDArray[np.int64],
        ends: npt.NDArray[np.int64],
        values: npt.NDArray[np.float64],
    ) -> None:
        """Add many readings, one row of values each."""
        self._starts.frombytes(starts.tobytes())
        self._ends.frombytes(ends.tobytes())
        self._values.frombytes(np.ascontiguousarray(values).tobytes())

    def write(self, ledger: Ledger, next_id: Iterator[int]) -> int:
        """Put what has gathered into the tail, one row a bucket, and start anew.

        Returns:
            The latest time among the readings, in ns.
        """
        starts = np.array(self._starts, dtype=np.int64)
        durations = np.array(self._ends, dtype=np.int64) - starts
        width = len(self.group.channels)
        values = np.array(self._values, dtype=np.float64).reshape(-1, width)
        del self._starts[:], self._ends[:], self._values[:]
        times = middles(starts, durations)
        buckets = times // BUCKET_NS
        for bucket in np.unique(buckets):
            here = buckets == bucket
            row = (
                next(next_id),
                self.group.id,
                int(bucket),
                int(here.sum()),
                int(times[here].min()),
                int(times[here].max()),
                starts[here].astype("<i8", copy=False).tobytes(),
                durations[here].astype("<i8", copy=False).tobytes(),
                values[here].astype("<f8", copy=False).tobytes(),
            )
            ledger.execute(_INSERT, row)
        return int(times.max())
