"""From a session to columns of samples, a bounded part of one channel at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.record.store import AlarmRow, GapRow, Session, Window
from instruments.reading import Channel, Status

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int8]

STATUSES = tuple(Status)
"""What a code of a status stands for; those of values come first, the worst last."""

MOST_ROWS = 2**18
"""This many rows are in memory at once, or a segment where that has more."""

_CODES = {str(status): np.int8(place) for place, status in enumerate(STATUSES)}
_BLANK, _NAN = np.int8(-1), _CODES[Status.NAN]


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of one channel that follow each other.

    Attributes:
        channel: Whose they are.
        times: Monotonic ns with the source's offset applied; of a cell its start.
        values: Value of each, NaN where there is none: nothing is held or guessed.
        counts: Of how many valid samples each is: 1 or 0, in a cell any number.
        codes: Places in STATUSES; -1 in a cell in which no reading was due.
    """

    channel: Channel
    times: Ints
    values: Floats
    counts: Ints
    codes: Codes


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells that all sessions share: they begin at whole multiples of UTC.

    Attributes:
        width: Of a cell in ns.
        utc: What is added to a monotonic time of the session for UTC in ns.
    """

    width: int
    utc: int

    def floor(self, t_ns: int) -> int:
        """Get the start of the cell of a moment."""
        return (t_ns + self.utc) // self.width * self.width - self.utc

    def starts(self, window: Window) -> Ints:
        """Get the starts of the cells that a window touches."""
        start = self.floor(window[0])
        return np.arange(start, window[1] + 1, self.width, dtype=np.int64)


def utc_shift(session: Session) -> int:
    """Get what is added to monotonic times of a session for UTC in ns since 1970."""
    return session.info.realtime_ns - session.info.monotonic_ns


def read_blocks(
    session: Session, channel: Channel, window: Window, most: int = MOST_ROWS
) -> Iterator[Block]:
    """Read the samples of a channel as they are stored, gaps with their reasons.

    Where a gap has no reading of its own it has a row in its middle, as in a chart.
    """
    for part in session.parts(channel, window, most):
        trace = session.trace(channel, part)
        if not trace.times.size:
            continue
        known = ~np.isnan(trace.mean)
        codes = np.where(known, np.int8(0), _NAN)
        _mark(codes, trace.times, 0, known, session.alarms(channel, part))
        if not known.all():
            _mark(codes, trace.times, 0, ~known, session.gaps(channel, part))
        counts = known.astype(np.int64)
        yield Block(channel, trace.times, trace.mean, counts, codes)


def grid_blocks(
    session: Session, channel: Channel, window: Window, grid: Grid
) -> Iterator[Block]:
    """Average a channel over the cells of a grid; a cell without a sample is blank.

    Sound levels are averaged by energy. Of the first and the last cell only what lies
    in the window counts.
    """
    start, end = window
    cuts = {grid.floor(part[0]) for part in session.parts(channel, window, MOST_ROWS)}
    cuts |= set(range(grid.floor(start), end + 1, MOST_ROWS * grid.width))
    begins = [start, *sorted(cut for cut in cuts if cut > start)]
    for begin, last in zip(
        begins, [*(cut - 1 for cut in begins[1:]), end], strict=True
    ):
        yield cells_of(session, channel, (begin, last), grid)


def cells_of(session: Session, channel: Channel, window: Window, grid: Grid) -> Block:
    """Average what lies in a window over the cells that it touches."""
    starts = grid.starts(window)
    trace = session.trace(channel, window)
    known = ~np.isnan(trace.mean)
    times, values = trace.times[known], trace.mean[known]
    cells = (times - starts[0]) // grid.width
    means, counts = _means(cells, values, starts.size, is_level=channel.unit == "dB")
    codes = np.where(counts > 0, np.int8(0), _BLANK)
    rest = grid.width - 1
    _mark(codes, starts, rest, counts > 0, session.alarms(channel, window))
    if not counts.all():
        _mark(codes, starts, rest, counts == 0, session.gaps(channel, window))
    return Block(channel, starts, means, counts, codes)


def _means(
    cells: Ints, values: Floats, size: int, *, is_level: bool
) -> tuple[Floats, Ints]:
    counts = np.bincount(cells, minlength=size)
    means = np.full(size, np.nan)
    with np.errstate(all="ignore"):  # A file may hold numbers that no instrument says.
        powers = 10 ** (values / 10) if is_level else values
        sums = np.bincount(cells, weights=powers, minlength=size)
        np.divide(sums, counts, out=means, where=counts > 0)
        means = 10 * np.log10(means) if is_level else means
    return means, counts.astype(np.int64)


def _mark(
    codes: Codes,
    times: Ints,
    length: int,
    which: Bools,
    spans: Sequence[GapRow | AlarmRow],
) -> None:
    """Write the code of each span to those rows of some that it touches.

    Args:
        codes: Of all rows.
        times: Where rows begin, rising.
        length: How long in ns a row is.
        which: The rows that may be marked.
        spans: Gaps or alarms; of two the later one counts, of alarms the worse.
    """
    if not spans:
        return
    firsts = np.searchsorted(times, [span.start_ns - length for span in spans])
    lasts = np.searchsorted(times, [span.end_ns for span in spans], "right")
    for span, first, last in zip(spans, firsts.tolist(), lasts.tolist(), strict=True):
        if last > first:
            part, chosen = codes[first:last], which[first:last]
            word = span.level if isinstance(span, AlarmRow) else span.reason
            code = _CODES.get(word, _NAN)
            if isinstance(span, AlarmRow):
                chosen = chosen & (part < code)
            part[chosen] = code
