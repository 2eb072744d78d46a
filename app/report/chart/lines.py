"""From traces in the store to arrays that can be drawn; no Qt, runs in a worker."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.record.store import Session, Trace
from app.report.chart.panel import Curve
from instruments.reading import SECOND, Channel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Window = tuple[int, int]
_Columns = tuple[NDArray[Any], ...]  # times, low, high, mean, and what goes with them

_BREAK_PERIODS = 3.5
"""A pause of more than so many periods is no measurement: the line breaks."""


@dataclass(frozen=True, slots=True)
class Line:
    """One curve ready to draw, in the shown unit; NaN breaks it."""

    x: Floats  # seconds from the origin
    low: Floats  # lowest value at each x
    high: Floats  # highest value at each x
    mean: Floats  # mean at each x
    exact: bool = True  # whether every point is one sample

    def until(self, x: float) -> "Line":
        """Get the part up to a moment, in seconds from the origin."""
        count = int(np.searchsorted(self.x, x, side="right"))
        if count == len(self.x):
            return self
        return Line(
            self.x[:count],
            self.low[:count],
            self.high[:count],
            self.mean[:count],
            self.exact,
        )

    def logarithmic(self) -> "Line":
        """Get it as decimal logarithms; what is not above 0 has none."""
        low, high, mean = (
            np.log10(np.where(values > 0, values, np.nan))
            for values in (self.low, self.high, self.mean)
        )
        return Line(self.x, low, high, mean, self.exact)

    def polyline(self) -> tuple[Floats, Floats]:
        """Get one line through all samples, or up and down through each bucket."""
        if self.exact:
            return self.x, self.mean
        both = np.empty(2 * len(self.x))
        both[0::2], both[1::2] = self.low, self.high
        return np.repeat(self.x, 2), both

    def alone(self) -> NDArray[np.int64]:
        """Find the points between two that lack: no line goes through them."""
        known = np.isfinite(np.r_[np.nan, self.mean, np.nan])
        return np.flatnonzero(known[1:-1] & ~known[:-2] & ~known[2:])

    def at(self, x: float, reach: float = 0.0) -> tuple[float, float, float] | None:
        """Get (mean, low, high) nearest to x; None where nothing was measured.

        Args:
            x: Seconds from the origin.
            reach: How far away a point still counts, in seconds; at least 1.5 s
                and at least the spacing of the points there.
        """
        if not len(self.x):
            return None
        right = int(np.searchsorted(self.x, x))
        left = max(right - 1, 0)
        right = min(right, len(self.x) - 1)
        near = left if x - self.x[left] <= self.x[right] - x else right
        spacing = float(self.x[right] - self.x[left])
        if abs(self.x[near] - x) > max(reach, 1.5, min(spacing, 30.0)):
            return None
        if not np.isfinite(self.mean[near]):
            return None
        return float(self.mean[near]), float(self.low[near]), float(self.high[near])


_NOTHING = Line(np.empty(0), np.empty(0), np.empty(0), np.empty(0))
_PAUSE_S = 5.0
"""Fine logs that pause for longer than this have nothing to say of the time between."""


def load_line(
    session: Session, curve: Curve, window: Window | None, points: int, origin: int
) -> Line:
    """Ask the store for one curve."""
    if curve.is_band:
        return _band(session, curve, window, points, origin)
    if curve.is_sum:
        return _sum(session, curve, window, points, origin)

    def line(channel: Channel) -> Line:
        trace = session.trace(channel, window, points)
        scaled = _scaled(trace, origin, curve.scale.factor)
        return _break(scaled, channel.period_ns / SECOND)

    coarse = line(curve.parts[0])
    if curve.fine is None:
        return coarse
    # Which of them is drawn at an edge is told by what lies beyond it.
    wide = None if window is None else _wider(window)
    trace = session.trace(curve.fine, wide, points)
    fine = _break(
        _scaled(trace, origin, curve.scale.factor), curve.fine.period_ns / SECOND
    )
    x, low, high, mean = _prefer(
        (fine.x, fine.low, fine.high, fine.mean),
        (coarse.x, coarse.low, coarse.high, coarse.mean),
        _PAUSE_S,
        None if window is None else tuple((t - origin) / SECOND for t in window),
    )
    return Line(x, low, high, mean, fine.exact and coarse.exact)


def drawn_trace(
    session: Session,
    channel: Channel,
    fine: Channel | None,
    window: Window | None,
    points: int | None,
) -> Trace:
    """Get what a curve is drawn from; read-outs show the same.

    Args:
        session: Where from.
        channel: What is recorded while a load runs.
        fine: The same quantity, finer, from logs that joined later, or None.
        window: From and to in nanoseconds, or None for all of it.
        points: About how many rows are wanted, None for every sample.
    """
    coarse = session.trace(channel, window, points)
    if fine is None:
        return coarse
    finer = session.trace(fine, None if window is None else _wider(window), points)
    merged = _prefer(
        (finer.times, finer.low, finer.high, finer.mean, _spans(finer)),
        (coarse.times, coarse.low, coarse.high, coarse.mean, _spans(coarse)),
        _PAUSE_S * SECOND,
        window,
    )
    times, low, high, mean, spans = merged
    is_exact = finer.exact and coarse.exact
    return Trace(channel, times, low, high, mean, is_exact, spans)


def _spans(trace: Trace) -> Floats:
    """Get how long each reading took; where nothing is told, a period."""
    spans = trace.spans if trace.spans.size else np.zeros(trace.times.size)
    return np.where(spans > 0, spans, float(trace.channel.period_ns))


def _scaled(trace: Trace, origin: int, factor: float) -> Line:
    x = (trace.times - origin) / SECOND
    return Line(
        x, trace.low * factor, trace.high * factor, trace.mean * factor, trace.exact
    )


def _break(line: Line, period: float) -> Line:
    """Put a NaN into every pause, so that no line is drawn across it."""
    if len(line.x) < 3:
        return line
    steps = np.diff(line.x)
    limit = _BREAK_PERIODS * max(period, float(np.median(steps)))
    after = np.flatnonzero(steps > limit) + 1
    if not len(after):
        return line
    return Line(
        np.insert(line.x, after, line.x[after - 1] + limit / _BREAK_PERIODS),
        np.insert(line.low, after, np.nan),
        np.insert(line.high, after, np.nan),
        np.insert(line.mean, after, np.nan),
        line.exact,
    )


def _wider(window: Window) -> Window:
    pause = round(_PAUSE_S * SECOND)
    return window[0] - pause, window[1] + pause


def _prefer(
    fine: _Columns, coarse: _Columns, pause: float, window: tuple[float, ...] | None
) -> _Columns:
    """Take the finer columns where they have samples, and the coarse ones elsewhere."""
    known = fine[0][np.isfinite(fine[3])]
    if not len(known):
        return coarse
    steps = np.diff(known)
    # Cells of an overview may be longer than a pause.
    longest = max(pause, 2 * float(np.median(steps)) if len(steps) else 0.0)
    pauses = np.flatnonzero(steps > longest)
    starts = known[np.r_[0, pauses + 1]]
    ends = known[np.r_[pauses, len(known) - 1]]
    inside = np.searchsorted(starts, coarse[0], side="right") - 1
    covered = (inside >= 0) & (coarse[0] <= ends[np.maximum(inside, 0)])
    every = np.r_[fine[0], coarse[0][~covered]]
    order = np.argsort(every, kind="stable")
    if window is not None:
        order = order[(every[order] >= window[0]) & (every[order] <= window[1])]
    return tuple(
        np.r_[own, other[~covered]][order]
        for own, other in zip(fine, coarse, strict=True)
    )


def _band(
    session: Session, curve: Curve, window: Window | None, points: int, origin: int
) -> Line:
    """Lowest, highest and mean of many channels on their common times."""
    period = max(part.period_ns for part in curve.parts) / SECOND
    lines = _in_common(session, curve, window, points, origin, period=period)
    if not lines:
        return _NOTHING
    with np.errstate(invalid="ignore"):
        low = _reduce(np.fmin, [line.low for line in lines])
        high = _reduce(np.fmax, [line.high for line in lines])
        means = np.array([line.mean for line in lines])
        counts = np.isfinite(means).sum(axis=0)
        mean = np.nansum(means, axis=0) / np.where(counts, counts, np.nan)
    return _break(Line(lines[0].x, low, high, mean), period)


def _sum(
    session: Session, curve: Curve, window: Window | None, points: int, origin: int
) -> Line:
    """Add up channels on common times; where one of them is missing there is no sum."""
    # A reading that comes a little late must not leave a bin empty.
    period = 2 * max(part.period_ns for part in curve.parts) / SECOND
    lines = _in_common(session, curve, window, points, origin, period=period)
    if len(lines) < len(curve.parts) or not len(lines[0].x):
        return _NOTHING
    total = np.sum([line.mean for line in lines], axis=0)
    # What their extremes add up to was never measured.
    return _break(Line(lines[0].x, total, total, total), period)


def less(line: Line, first: Line, bins: int, period: float) -> Line:
    """Take one line off another, on times that both have; elsewhere it breaks.

    Args:
        line: The one.
        first: What is taken off it, on the same axis.
        bins: About how many points are wanted.
        period: How far apart the samples of the slower one are, in seconds.
    """
    if not (len(line.x) and len(first.x)):
        return _NOTHING
    one, other = _on_bins([line, first], max(bins, 1), 2 * period)
    change = one.mean - other.mean
    return _break(Line(one.x, change, change, change), 2 * period)


def _in_common(
    session: Session,
    curve: Curve,
    window: Window | None,
    points: int,
    origin: int,
    *,
    period: float,
) -> list[Line]:
    """Get the parts of a curve on common times; those without any may be absent."""
    lines = [
        _scaled(session.trace(part, window, points), origin, curve.scale.factor)
        for part in curve.parts
    ]
    if all(np.array_equal(line.x, lines[0].x) for line in lines[1:]):
        return lines
    return _on_bins(lines, max(points, 1), period)


def _reduce(function: np.ufunc, arrays: list[Floats]) -> Floats:
    result: Floats = function.reduce(np.array(arrays))
    return result


def _on_bins(lines: list[Line], bins: int, period: float) -> list[Line]:
    """Sort lines with different times into common bins; empty bins stay NaN."""
    filled = [line for line in lines if len(line.x)]
    start = min(line.x[0] for line in filled)
    width = max((max(line.x[-1] for line in filled) - start) / bins, period)
    count = int((max(line.x[-1] for line in filled) - start) / width) + 1
    centres = start + (np.arange(count) + 0.5) * width
    result = []
    for line in filled:
        place = ((line.x - start) / width).astype(np.int64)
        known = np.isfinite(line.mean)
        place = place[known]
        low, high = np.full(count, np.nan), np.full(count, np.nan)
        np.fmin.at(low, place, line.low[known])
        np.fmax.at(high, place, line.high[known])
        total = np.bincount(place, line.mean[known], count)
        counts = np.bincount(place, minlength=count).astype(np.float64)
        counts[counts == 0] = np.nan
        result.append(Line(centres, low, high, total / counts))
    return result
