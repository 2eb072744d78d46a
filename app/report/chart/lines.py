"""From traces in the store to arrays that can be drawn; no Qt, runs in a worker."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.record.store import Session, Trace
from app.report.chart.computed import computed_line
from app.report.chart.line import NOTHING, Floats, Line, broken, on_bins
from app.report.chart.panel import Curve
from instruments.reading import SECOND, Channel

Window = tuple[int, int]
_Columns = tuple[NDArray[Any], ...]  # times, low, high, mean, and what goes with them

_PAUSE_S = 5.0
"""Fine logs that pause for longer than this have nothing to say of the time between."""


def load_line(
    session: Session, curve: Curve, window: Window | None, points: int, origin: int
) -> Line:
    """Ask the store for one curve."""
    if curve.is_band:
        return _band(session, curve, window, points, origin)
    if curve.maths is not None:
        return computed_line(session, curve, window, points, origin)

    def line(channel: Channel) -> Line:
        trace = session.trace(channel, window, points)
        scaled = _scaled(trace, origin, curve.scale.factor)
        return broken(scaled, channel.period_ns / SECOND)

    coarse = line(curve.parts[0])
    if curve.fine is None:
        return coarse
    # Which of them is drawn at an edge follows from what lies beyond it.
    wide = None if window is None else _wider(window)
    trace = session.trace(curve.fine, wide, points)
    fine = broken(
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
    """Get how long each reading took; a period where that is not known."""
    spans = trace.spans if trace.spans.size else np.zeros(trace.times.size)
    return np.where(spans > 0, spans, float(trace.channel.period_ns))


def _scaled(trace: Trace, origin: int, factor: float) -> Line:
    x = (trace.times - origin) / SECOND
    return Line(
        x, trace.low * factor, trace.high * factor, trace.mean * factor, trace.exact
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
        return NOTHING
    with np.errstate(invalid="ignore"):
        low = _reduce(np.fmin, [line.low for line in lines])
        high = _reduce(np.fmax, [line.high for line in lines])
        means = np.array([line.mean for line in lines])
        counts = np.isfinite(means).sum(axis=0)
        mean = np.nansum(means, axis=0) / np.where(counts, counts, np.nan)
    return broken(Line(lines[0].x, low, high, mean), period)


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
    return on_bins(lines, max(points, 1), period)


def _reduce(function: np.ufunc, arrays: list[Floats]) -> Floats:
    result: Floats = function.reduce(np.array(arrays))
    return result
