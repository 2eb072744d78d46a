"""The overview: minimum, maximum, mean and count in cells of 8 s x 8^level."""

import sqlite3
import zlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.record.store.buckets import CELLS, LEVELS, cell_ns, lowest_level, row_ns
from app.record.store.cells import Cells, coarsen, summarise
from app.record.store.codec import unpack
from app.record.store.limits import MOST_OVERVIEW, bounded
from app.record.store.registry import Group

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Row = tuple[int, int, int, int, bytes]
"""One row as stored: id, level, channel, start, blob."""

# A pixel of a chart is far coarser than float32; segments keep their mean as float64.
_CELL = np.dtype([("count", "<u4"), ("low", "<f4"), ("high", "<f4"), ("mean", "<f4")])
_COMPACT = """
BEGIN IMMEDIATE;
CREATE TEMP TABLE laid_out AS SELECT * FROM overview ORDER BY id;
DELETE FROM overview;
INSERT INTO overview SELECT * FROM laid_out ORDER BY id;
DROP TABLE laid_out;
COMMIT;
"""


@dataclass(slots=True)
class _Growing:
    """The row of one level that is growing, for all channels of a group."""

    start: int
    cells: npt.NDArray[np.void]


class OverviewMaker:
    """Makes overview rows from what is sealed, and merges what belongs to one row.

    The rows of the upper levels grow with every seal; they are kept decoded.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._growing: dict[tuple[int, int], _Growing] = {}
        self._group_of: dict[int, int] = {}
        self._unstored: dict[int, Row] = {}

    def add(self, group: Group, times: Ints, values: Floats) -> None:
        """Add readings of a group in one bucket, in the order of time."""
        self._keep_to_one_group(group)
        first = min(lowest_level(channel.period_ns) for channel in group.channels)
        if first >= LEVELS:
            return
        cells = summarise(times, values, cell_ns(first))
        for level in range(first, LEVELS):
            if level > first:
                cells = coarsen(cells, cell_ns(level))
            starts = cells.starts // row_ns(level) * row_ns(level)
            for start in np.unique(starts):
                added = cells.where(starts == start)
                self._merge(group, level, int(start), added)

    def take(self) -> list[Row]:
        """Take the rows that are to be stored, in the order of their ids."""
        rows = sorted(self._unstored.values())
        self._unstored.clear()
        return rows

    def give_back(self, rows: list[Row]) -> None:
        """Take rows back that could not be stored."""
        for row in rows:
            self._unstored.setdefault(row[0], row)

    def _keep_to_one_group(self, group: Group) -> None:
        """Forget what is kept where a channel now comes with another group."""
        for channel_id in group.channel_ids:
            if self._group_of.setdefault(channel_id, group.id) != group.id:
                self._growing.clear()
                self._group_of.clear()
                return

    def _merge(
        self,
        group: Group,
        level: int,
        start: int,
        cells: Cells,
    ) -> None:
        row = self._row(group, level, start)
        places = (cells.starts - start) // cell_ns(level)
        old = row[:, places]
        added = cells.counts.T
        count = old["count"] + added
        known = old["count"] > 0
        low = np.fmin(np.where(known, old["low"], np.nan), cells.low.T)
        high = np.fmax(np.where(known, old["high"], np.nan), cells.high.T)
        share = added / np.maximum(count, 1)
        mean = np.where(known, old["mean"], 0.0).astype(np.float64)
        row["mean"][:, places] = mean + share * (cells.mean.T - mean)
        row["low"][:, places] = np.nan_to_num(low)
        row["high"][:, places] = np.nan_to_num(high)
        row["count"][:, places] = count
        for place in np.flatnonzero(added.any(axis=1)):
            channel_id = group.channel_ids[place]
            if lowest_level(group.channels[place].period_ns) > level:
                continue
            key = row_key(level, channel_id, start)
            blob = encode_row(row[place])
            self._unstored[key] = (key, level, channel_id, start, blob)

    def _row(self, group: Group, level: int, start: int) -> npt.NDArray[np.void]:
        growing = self._growing.get((group.id, level))
        if growing is not None and growing.start == start:
            return growing.cells
        cells = np.zeros((len(group.channels), CELLS), _CELL)
        for place, channel_id in enumerate(group.channel_ids):
            blob = self._stored(row_key(level, channel_id, start))
            if blob is not None:
                cells[place] = decode_row(blob)
        if level > 0:
            self._growing[group.id, level] = _Growing(start, cells)
        return cells

    def _stored(self, key: int) -> bytes | None:
        if key in self._unstored:
            return self._unstored[key][-1]
        found = self._connection.execute(
            "SELECT data FROM overview WHERE id = ?", (key,)
        ).fetchone()
        return bytes(found[0]) if found else None


def row_key(level: int, channel_id: int, start_ns: int) -> int:
    """Get the id of a row, in the order of level, channel and time."""
    # An integer, not the three as a key: rows of a WITHOUT ROWID table spill to
    # overflow pages above 1 kB, which doubled the file.
    return (level << 24 | channel_id) << 32 | start_ns // row_ns(level)


def compact(connection: sqlite3.Connection) -> None:
    """Lay the rows out again, each channel's together, with nothing between.

    Raises:
        sqlite3.OperationalError: There is no room for it; all is as it was.
    """
    try:
        connection.executescript(_COMPACT)
    except sqlite3.OperationalError:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def read_cells(
    connection: sqlite3.Connection, channel_id: int, level: int, start: int, end: int
) -> Cells:
    """Read the filled cells of one level that begin in [start, end) ns.

    Raises:
        ValueError: A row is damaged.
    """
    found = connection.execute(
        "SELECT start_ns, data FROM overview WHERE id BETWEEN ? AND ? ORDER BY id",
        (row_key(level, channel_id, start), row_key(level, channel_id, end)),
    )
    rows = list(bounded(found, "overview", MOST_OVERVIEW))
    if not rows:
        return summarise(np.empty(0, np.int64), np.empty(0), 1)
    cells = np.concatenate([decode_row(data) for _, data in rows])
    firsts = np.array([first for first, _ in rows], dtype=np.int64)
    starts = (firsts[:, None] + np.arange(CELLS) * cell_ns(level)).ravel()
    keep = (cells["count"] > 0) & (starts >= start) & (starts < end)
    cells = cells[keep]
    return Cells(
        starts[keep],
        cells["count"].astype(np.int64),
        cells["low"].astype(np.float64),
        cells["high"].astype(np.float64),
        cells["mean"].astype(np.float64),
    )


def encode_row(row: npt.NDArray[np.void]) -> bytes:
    """Write a row of cells: the byte planes of its columns, zlib'd."""
    planes = row.view(np.uint8).reshape(CELLS, _CELL.itemsize).T
    return zlib.compress(np.ascontiguousarray(planes).tobytes(), 6)


def decode_row(blob: bytes) -> npt.NDArray[np.void]:
    """Read a row of cells.

    Raises:
        ValueError: It is damaged.
    """
    size = CELLS * _CELL.itemsize
    planes = np.frombuffer(unpack(blob, size, "an overview row"), np.uint8)
    if planes.size != size:
        raise ValueError("an overview row has the wrong length")
    rows = np.ascontiguousarray(planes.reshape(_CELL.itemsize, CELLS).T)
    return rows.view(_CELL).reshape(CELLS)
