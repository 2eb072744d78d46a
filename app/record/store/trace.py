"""The one read call: a trace of a channel in a window with this many points."""

import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from app.record.store import tables
from app.record.store.buckets import (
    BUCKET_NS,
    CELL_NS,
    LEVELS,
    cell_ns,
    lowest_level,
    middles,
)
from app.record.store.cells import Cells, coarsen, join, summarise
from app.record.store.codec import decode_floats, decode_ints
from app.record.store.limits import MOST_LIVE_SAMPLES, MOST_SAMPLES, bounded
from app.record.store.model import Window
from app.record.store.overview import read_cells
from app.record.store.tail import TailCache
from instruments.errors import BadInput
from instruments.reading import Channel
from instruments.settings import did_you_mean, some_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Trace:
    """Samples of one channel, or the extremes and means of many of them."""

    channel: Channel  # whose they are
    times: Ints  # monotonic ns with the source's offset applied, rising
    low: Floats  # lowest value at each time; NaN breaks the line where a gap is
    high: Floats  # highest value at each time
    mean: Floats  # mean at each time
    exact: bool  # whether every row is one sample; then low, high and mean are equal
    # how long in ns each reading took, which is what a document of a load tells of;
    # width of the cell in other rows; NaN in a gap. Empty where it is not known
    spans: Floats = field(default_factory=lambda: np.empty(0))

    def __len__(self) -> int:
        return len(self.times)


class TraceReader:
    """Reads the traces of a file, each time within the caller's read transaction."""

    def __init__(self, path: Path, *, is_live: bool) -> None:
        self.path = path
        self._most = MOST_LIVE_SAMPLES if is_live else MOST_SAMPLES
        self._tail = TailCache()
        self._channels: dict[str, tuple[int, Channel]] = {}

    def extent(self, connection: sqlite3.Connection) -> tuple[int, int]:
        """Get the first and the last stored time in ns; (0, 0) where it is empty."""
        self._tail.update(connection)
        return tables.extent(connection, self._tail.extent)

    def trace(
        self,
        connection: sqlite3.Connection,
        channel: Channel | str,
        window: Window | None,
        points: int | None,
        offsets: tables.Offsets,
    ) -> Trace:
        """Get a trace of a channel, as `Session.trace` says."""
        self._tail.update(connection)
        channel_id, known = self._channel(connection, channel)
        shift = tables.offset_of(connection, known.source, offsets)
        start, end = window or (-tables.FOREVER, tables.FOREVER)
        # A shifted end stays what SQLite takes for an integer.
        start = max(start - shift, -tables.FOREVER)
        end = min(end - shift, tables.FOREVER)
        reader = SampleReader(connection, self._tail, self._most)
        count, first, last = reader.extent(channel_id, start, end)
        exact = points is None or count <= 2 * points
        if points is None or exact:
            times, values, lengths = reader.samples(channel_id, start, end)
            columns: tuple[np.ndarray, ...] = (values, lengths.astype(np.float64))
            shortest = 0
        else:
            cells, shortest = reader.cells(
                channel_id, known.period_ns, (start, end), (first, last), points
            )
            middle = cells.starts + shortest // 2
            times = np.clip(middle, first, last)
            widths = np.full(len(times), float(shortest))
            columns = (cells.low, cells.high, cells.mean, widths)
        gaps = tables.gap_spans(connection, channel_id, start, end, shortest)
        times, columns = broken_at(times, columns, gaps, end, shortest)
        low, high, mean, spans = columns if shortest else columns[:1] * 2 + columns
        return Trace(known, times + shift, low, high, mean, exact, spans)

    def parts(
        self,
        connection: sqlite3.Connection,
        channel: Channel | str,
        window: Window,
        most: int,
        offsets: tables.Offsets,
    ) -> list[Window]:
        """Cut a window into parts, as `Session.parts` says."""
        channel_id, known = self._channel(connection, channel)
        shift = tables.offset_of(connection, known.source, offsets)
        reader = SampleReader(connection, self._tail)
        start, end = window
        cuts = reader.cuts(channel_id, start - shift, end - shift, most)
        starts = [start, *(cut + shift for cut in cuts)]
        return list(zip(starts, [*(cut - 1 for cut in starts[1:]), end], strict=True))

    def _channel(
        self, connection: sqlite3.Connection, channel: Channel | str
    ) -> tuple[int, Channel]:
        name = tables.name_of(channel) or ""
        if name not in self._channels:
            self._channels.update(
                (one.name, (number, one))
                for number, one in tables.numbered_channels(connection)
            )
        found = self._channels.get(name)
        if found is None:
            known = list(self._channels)
            raise BadInput(
                f"there is no channel {name} in this session"
                f"{did_you_mean(name, known)}",
                where=str(self.path),
                way_out=f"It has {some_of(known)}.",
            )
        return found


def broken_at(
    times: Ints, columns: tuple[Floats, ...], gaps: Ints, end: int, width: int
) -> tuple[Ints, tuple[Floats, ...]]:
    """Put a row of NaN wherever a gap lies between two rows, or after the last.

    A gap that readings have filled since does not break the line.

    Args:
        times: Times of the rows, rising.
        columns: Columns of the same length.
        gaps: Start and end of each gap, one row a gap, in ns.
        end: Where the window ends; a gap beyond it does not count.
        width: Width of the rows' cells in ns, 0 where every row is a sample.
    """
    if not times.size or not gaps.size:
        return times, columns
    gaps = gaps[gaps[:, 0] <= end]
    ends = np.minimum(gaps[:, 1], end)
    middle = gaps[:, 0] + (ends - gaps[:, 0]) // 2
    places = np.searchsorted(times, middle, side="right")
    after = np.minimum(places, len(times) - 1)
    if width:
        apart = times[after] - times[np.maximum(places - 1, 0)] > 1.5 * width
    else:
        apart = np.searchsorted(times, gaps[:, 0], side="right") == np.searchsorted(
            times, ends, side="left"
        )
    known = ~np.isnan(columns[0])
    last = places == len(times)
    wanted = (places > 0) & (apart | last) & known[places - 1] & (known[after] | last)
    places, firsts = np.unique(places[wanted], return_index=True)
    if not places.size:
        return times, columns
    broken = tuple(np.insert(column, places, np.nan) for column in columns)
    return np.insert(times, places, middle[wanted][firsts]), broken


_SEGMENTS = """
SELECT segment.count, timeline.codec, starts, durations, segment.codec, data
FROM segment JOIN timeline ON timeline.id = timeline_id
WHERE channel_id = ? AND segment.first_ns BETWEEN ? AND ? AND segment.last_ns >= ?
ORDER BY segment.first_ns
"""
_COUNT = """
SELECT coalesce(sum(count), 0), min(first_ns), max(last_ns) FROM segment
WHERE channel_id = ? AND first_ns BETWEEN ? AND ? AND last_ns >= ?
"""

_PLACES = """
SELECT first_ns, count FROM segment
WHERE channel_id = ? AND first_ns BETWEEN ? AND ? AND last_ns >= ? ORDER BY first_ns
"""


class SampleReader:
    """Reads the samples of channels in windows, both ends included.

    Every method runs within the caller's read transaction, so that segments and tail
    belong together.
    """

    def __init__(
        self, connection: sqlite3.Connection, tail: TailCache, most: int = MOST_SAMPLES
    ) -> None:
        self._connection = connection
        self._tail = tail
        self._most = most

    def samples(
        self, channel_id: int, start: int, end: int
    ) -> tuple[Ints, Floats, Ints]:
        """Get times, values and durations in the order of time; NaN is a gap.

        Raises:
            ValueError: A segment is damaged, or there are more than any recording has.
        """
        parts: list[tuple[Ints, Floats, Ints]] = []
        left = self._most
        key = (channel_id, start - BUCKET_NS, end, start)
        for (
            count,
            codec,
            starts,
            durations,
            own_codec,
            data,
        ) in self._connection.execute(_SEGMENTS, key):
            left -= count
            if left < 0:
                raise ValueError(f"there are more than {self._most} samples at once")
            spans = decode_ints(durations, codec, count)
            times = middles(decode_ints(starts, codec, count), spans)
            parts.append((times, decode_floats(data, own_codec, count), spans))
        parts += self._tail.samples(channel_id)
        return _merge(parts, start, end)

    def extent(self, channel_id: int, start: int, end: int) -> tuple[int, int, int]:
        """Get about how many samples a window has, and the first and last time.

        Segments that reach over the window's ends count with the share that is in it.
        """
        key = (channel_id, start - BUCKET_NS, end, start)
        count, first, last = self._connection.execute(_COUNT, key).fetchone()
        if count:
            inside = min(last, end) - max(first, start) + 1
            count = round(count * max(inside, 0) / (last - first + 1))
        firsts, lasts = [first] if count else [], [last] if count else []
        for times, *_ in self._tail.samples(channel_id):
            left, right = np.searchsorted(times, (start, end + 1))
            if right > left:
                count += int(right - left)
                firsts.append(int(times[left]))
                lasts.append(int(times[right - 1]))
        if not firsts:
            return 0, start, start
        return count, max(start, min(firsts)), min(end, max(lasts))

    def cuts(self, channel_id: int, start: int, end: int, most: int) -> list[int]:
        """Find times at which a window is cut into parts of about this many samples.

        A part has at least one segment, and what is not sealed is not counted.
        """
        cuts: list[int] = []
        inside = 0
        key = (channel_id, start - BUCKET_NS, end, start)
        rows = self._connection.execute(_PLACES, key)
        for first, count in bounded(rows, "segment"):
            if inside and inside + count > most and first > start:
                cuts.append(first)
                inside = 0
            inside += count
        return cuts

    def cells(
        self,
        channel_id: int,
        period_ns: int,
        window: tuple[int, int],
        extent: tuple[int, int],
        points: int,
    ) -> tuple[Cells, int]:
        """Sum a window up in `points` to `2 x points` cells; return their width too.

        The cells lie on multiples of their width, 8 s times a power of two, so they
        stand still while the window moves. What the window's ends cut is summed up
        from samples, so nothing beyond the window shows.
        """
        start, end = window
        width = _cell_width(extent[1] - extent[0] + 1, points)
        level = _level_for(width, period_ns)
        if level is None:
            cells = summarise(*self.samples(channel_id, start, end)[:2], width)
            return cells.filled(), width
        unit = cell_ns(level)
        inner_start, inner_end = extent[0] // unit * unit, -(-extent[1] // unit) * unit
        if inner_start < start:
            inner_start = -(-start // unit) * unit
        if inner_end > end + 1:
            inner_end = (end + 1) // unit * unit
        parts = [
            read_cells(self._connection, channel_id, level, inner_start, inner_end)
        ]
        if inner_start > extent[0]:
            edge = self.samples(channel_id, start, min(inner_start - 1, end))
            parts.append(summarise(*edge[:2], unit))
        if inner_start <= inner_end <= extent[1]:
            edge = self.samples(channel_id, inner_end, end)
            parts.append(summarise(*edge[:2], unit))
        for times, values, _ in self._tail.samples(channel_id):
            left, right = np.searchsorted(times, (inner_start, inner_end))
            parts.append(summarise(times[left:right], values[left:right], unit))
        return coarsen(join(parts), width).filled(), width


def _cell_width(span: int, points: int) -> int:
    """Choose the widest cell, 8 s times a power of two, for that many of them."""
    width = CELL_NS
    while width * 2 * points <= span:
        width *= 2
    while width * points > span and width % 2 == 0:
        width //= 2
    return width


def _level_for(width: int, period_ns: int) -> int | None:
    """Choose the highest level of the overview that fits into a width."""
    if width < CELL_NS:
        return None
    level = 0
    while level + 1 < LEVELS and width % cell_ns(level + 1) == 0:
        level += 1
    return level if level >= lowest_level(period_ns) else None


def _merge(
    parts: list[tuple[Ints, Floats, Ints]], start: int, end: int
) -> tuple[Ints, Floats, Ints]:
    if not parts:
        return np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64)
    times, values, spans = map(np.concatenate, zip(*parts, strict=True))
    if (np.diff(times) < 0).any():
        order = np.argsort(times, kind="stable")
        times, values, spans = times[order], values[order], spans[order]
    left, right = np.searchsorted(times, (start, end + 1))
    return times[left:right], values[left:right], spans[left:right]
