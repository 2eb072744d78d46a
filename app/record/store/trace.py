"""The one read call: a trace of a channel in a window with this many points."""

import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from app.record.store import tables
from app.record.store.limits import MOST_LIVE_SAMPLES, MOST_SAMPLES
from app.record.store.model import Window
from app.record.store.samples import SampleReader
from app.record.store.tail import TailCache
from instruments.errors import BadInput
from instruments.reading import Channel

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
            raise BadInput(
                f"there is no channel {name} in this session",
                where=str(self.path),
                way_out="Its channels are listed in its table channel.",
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
