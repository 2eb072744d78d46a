"""Minimum, maximum, mean and count in cells of 8 s x 8^level, 128 cells a row."""

import sqlite3
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.record.store.buckets import CELLS, LEVELS, cell_ns, lowest_level, row_ns

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_ROW = np.dtype([("count", "<u4"), ("low", "<f4"), ("high", "<f4"), ("mean", "<f4")])
_PLANES = _ROW.itemsize


@dataclass(frozen=True, slots=True)
class Cells:
    """Statistics of consecutive cells; NaN where a count is 0.

    Attributes:
        starts: Start of each cell in ns, rising.
        counts: How many valid samples it has.
        low: The lowest of them.
        high: The highest of them.
        mean: Their mean.
    """

    starts: Ints
    counts: Ints
    low: Floats
    high: Floats
    mean: Floats


def summarise(times: Ints, values: Floats, width: int) -> Cells:
    """Sum up samples in cells of a width; only cells with valid samples are given.

    Args:
        times: Sample times in ns, rising.
        values: One value a sample; NaN is none.
        width: Width of a cell in ns; cells begin at multiples of it.
    """
    valid = ~np.isnan(values)
    return _reduce(times[valid] // width, width, values[valid])


def coarsen(cells: Cells, width: int) -> Cells:
    """Sum up cells in wider ones."""
    filled = cells.counts > 0
    return _reduce(
        cells.starts[filled] // width,
        width,
        cells.mean[filled],
        low=cells.low[filled],
        high=cells.high[filled],
        counts=cells.counts[filled],
    )


def join(parts: Sequence[Cells]) -> Cells:
    """Put cells of several origins into one sequence, in the order of time."""
    starts = np.concatenate([part.starts for part in parts])
    order = np.argsort(starts, kind="stable")

    return Cells(
        starts[order],
        np.concatenate([part.counts for part in parts])[order],
        np.concatenate([part.low for part in parts])[order],
        np.concatenate([part.high for part in parts])[order],
        np.concatenate([part.mean for part in parts])[order],
    )


def _reduce(
    places: Ints,
    width: int,
    means: Floats,
    *,
    low: Floats | None = None,
    high: Floats | None = None,
    counts: Ints | None = None,
) -> Cells:
    if not places.size:
        none = np.empty(0)
        return Cells(np.empty(0, np.int64), np.empty(0, np.int64), none, none, none)
    firsts = np.flatnonzero(np.diff(places, prepend=places[0] - 1))
    if counts is None:
        total = np.diff(firsts, append=places.size)
        sums = np.add.reduceat(means, firsts)
    else:
        total = np.add.reduceat(counts, firsts)
        sums = np.add.reduceat(means * counts, firsts)
    return Cells(
        places[firsts] * width,
        total,
        np.minimum.reduceat(means if low is None else low, firsts),
        np.maximum.reduceat(means if high is None else high, firsts),
        sums / total,
    )


class OverviewWriter:
    """Merges what is sealed into the rows of all levels.

    The rows of the upper levels grow with every seal; the ones that may still grow
    are kept decoded.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._rows: dict[tuple[int, int, int], npt.NDArray[np.void]] = {}

    def add(self, channel_id: int, period_ns: int, times: Ints, values: Floats) -> None:
        """Add the samples of one channel in one bucket, in the order of time."""
        level = lowest_level(period_ns)
        if level >= LEVELS:
            return
        cells = summarise(times, values, cell_ns(level))
        while cells.starts.size:
            self._merge(level, channel_id, cells)
            level += 1
            if level >= LEVELS:
                return
            cells = coarsen(cells, cell_ns(level))

    def forget(self) -> None:
        """Drop what is kept, after a rollback."""
        self._rows.clear()

    def _merge(self, level: int, channel_id: int, cells: Cells) -> None:
        width = row_ns(level)
        starts = cells.starts // width * width
        for start in np.unique(starts):
            here = starts == start
            key = (level, channel_id, int(start))
            row = self._row(key)
            places = (cells.starts[here] - start) // cell_ns(level)
            old = row[places]
            count = old["count"] + cells.counts[here]
            share = cells.counts[here] / count
            known = old["count"] > 0
            row["low"][places] = np.fmin(
                np.where(known, old["low"], np.nan), cells.low[here]
            )
            row["high"][places] = np.fmax(
                np.where(known, old["high"], np.nan), cells.high[here]
            )
            mean = np.where(known, old["mean"], 0.0)
            row["mean"][places] = mean + share * (cells.mean[here] - mean)
            row["count"][places] = count
            self._connection.execute(
                "INSERT OR REPLACE INTO overview VALUES (?, ?, ?, ?)",
                (*key, encode_row(row)),
            )

    def _row(self, key: tuple[int, int, int]) -> npt.NDArray[np.void]:
        if key in self._rows:
            return self._rows[key]
        found = self._connection.execute(
            "SELECT data FROM overview WHERE (level, channel_id, start_ns) = (?, ?, ?)",
            key,
        ).fetchone()
        row = decode_row(found[0]).copy() if found else np.zeros(CELLS, _ROW)
        if key[0] > 0:
            for old in [k for k in self._rows if k[:2] == key[:2] and k < key]:
                del self._rows[old]
            self._rows[key] = row
        return row


def read_cells(
    connection: sqlite3.Connection, channel_id: int, level: int, start: int, end: int
) -> Cells:
    """Read the filled cells of one level that begin in [start, end) ns."""
    width = row_ns(level)
    rows = connection.execute(
        "SELECT start_ns, data FROM overview WHERE level = ? AND channel_id = ? "
        "AND start_ns > ? AND start_ns < ? ORDER BY start_ns",
        (level, channel_id, start - width, end),
    ).fetchall()
    if not rows:
        return _reduce(np.empty(0, np.int64), 1, np.empty(0))
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
    """Write a row of cells: byte planes of its columns, zlib'd."""
    planes = row.view(np.uint8).reshape(CELLS, _PLANES).T
    return zlib.compress(np.ascontiguousarray(planes).tobytes(), 6)


def decode_row(blob: bytes) -> npt.NDArray[np.void]:
    """Read a row of cells.

    Raises:
        ValueError: It is damaged.
    """
    try:
        planes = np.frombuffer(zlib.decompress(blob), np.uint8)
    except zlib.error as error:
        raise ValueError(f"an overview row cannot be decoded ({error})") from error
    if planes.size != CELLS * _PLANES:
        raise ValueError("a row of the overview has the wrong length")
    rows = np.ascontiguousarray(planes.reshape(_PLANES, CELLS).T)
    return rows.view(_ROW).reshape(CELLS)
