"""The readers' copy of the tail: only rows that are new are read again."""

import sqlite3
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from app.record.store.buckets import middles
from app.record.store.limits import MOST_UNSEALED, bounded

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_ROWS = (
    'SELECT id, group_id, starts, durations, "values", first_ns, last_ns FROM tail '
    "WHERE id > ? ORDER BY id"
)
NO_TIMES = (2**63 - 1, -(2**63))
"""The first and the last time where there is no reading: any other one reaches out."""


def check_row(blobs: tuple[bytes, bytes, bytes], width: int) -> None:
    """Check that starts, durations and values of a group are of as many readings.

    Raises:
        ValueError: They are not: the row is damaged, or the group of its channels.
    """
    size = len(blobs[0])
    if size % 8 or [len(blob) for blob in blobs] != [size, size, width * size]:
        raise ValueError("a row of the tail has other times than values")


@dataclass
class _Part:
    """The tail of one group: blobs as they come, joined when they are asked for."""

    width: int
    times: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    values: Floats = field(default_factory=lambda: np.empty((0, 0)))
    spans: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    starts: list[bytes] = field(default_factory=list)
    durations: list[bytes] = field(default_factory=list)
    new_values: list[bytes] = field(default_factory=list)

    def joined(self) -> tuple[Ints, Floats, Ints]:
        """Get times, values and durations, one row a reading, in the order of time."""
        if self.starts:
            spans = np.frombuffer(b"".join(self.durations), "<i8")
            times = middles(np.frombuffer(b"".join(self.starts), "<i8"), spans)
            values = np.frombuffer(b"".join(self.new_values), "<f8")
            values = values.reshape(-1, self.width)
            if self.times.size:
                times = np.concatenate((self.times, times))
                values = np.concatenate((self.values, values))
                spans = np.concatenate((self.spans, spans))
            if (np.diff(times) < 0).any():
                order = np.argsort(times, kind="stable")
                times, values, spans = times[order], values[order], spans[order]
            self.times, self.values, self.spans = times, values, spans
            self.starts, self.durations, self.new_values = [], [], []
        return self.times, self.values, self.spans


class TailCache:
    """The unsealed readings of all groups, kept up with the file."""

    def __init__(self) -> None:
        self._last_id = 0
        self._seals = -1
        self._ends = NO_TIMES
        self._bytes = 0
        self._parts: dict[int, _Part] = {}
        self._places: dict[int, list[tuple[int, int]]] = {}

    def update(self, connection: sqlite3.Connection) -> None:
        """Read what is new, within the caller's read transaction."""
        [seals] = connection.execute("SELECT seals FROM session").fetchone()
        if seals != self._seals:
            self._seals, self._last_id = seals, 0
            self._parts.clear()
            self._places.clear()
            self._ends, self._bytes = NO_TIMES, 0
        for row in connection.execute(_ROWS, (self._last_id,)):
            row_id, group_id, starts, durations, values, first, last = row
            if group_id not in self._parts:
                self._read_groups(connection)
            part = self._parts[group_id]
            check_row((starts, durations, values), part.width)
            self._bytes += len(starts) + len(durations) + len(values)
            if self._bytes > MOST_UNSEALED:
                raise ValueError("more readings are unsealed than a recording leaves")
            part.starts.append(starts)
            part.durations.append(durations)
            part.new_values.append(values)
            self._last_id = row_id
            self._ends = (min(self._ends[0], first), max(self._ends[1], last))

    @property
    def extent(self) -> tuple[int | None, int | None]:
        """The first and the last time of it in ns, None where it is empty."""
        return self._ends if self._last_id else (None, None)

    def samples(self, channel_id: int) -> list[tuple[Ints, Floats, Ints]]:
        """Get times, values and durations of a channel, for each group it is in."""
        found = []
        for group_id, place in self._places.get(channel_id, ()):
            times, values, spans = self._parts[group_id].joined()
            if times.size:
                found.append((times, values[:, place], spans))
        return found

    def _read_groups(self, connection: sqlite3.Connection) -> None:
        widths: dict[int, int] = {}
        self._places.clear()
        rows = connection.execute(
            "SELECT group_id, position, channel_id FROM channel_group "
            "ORDER BY group_id, position"
        )
        for group_id, place, channel_id in bounded(rows, "channel_group"):
            widths[group_id] = place + 1
            self._places.setdefault(channel_id, []).append((group_id, place))
        for group_id, width in widths.items():
            self._parts.setdefault(group_id, _Part(width))
