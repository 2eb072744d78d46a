"""Curves that are computed of several channels, from stored samples; no Qt.

Where samples are few enough each value is made of samples that belong together: the
slowest channel gives the times, a faster one its mean over each reading of that.
Lowest and highest values are then those of real pairs. Of more samples the means in
the overview are taken, which have no extremes. Where one channel has a gap, so has the
curve: nothing is held.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.analysis.frozen import VARYING, measured
from app.analysis.samples import NEAR, Samples, samples_of
from app.analysis.statistics import Statistics, statistics_of
from app.analysis.trapezoid import beyond
from app.record.store import Session, Trace, Window
from app.report.chart.line import BREAK_PERIODS, NOTHING, Floats, Line, broken
from app.report.chart.maths import Maths, Operation
from app.report.chart.panel import Curve
from app.report.chart.stretches import stretches_of
from instruments.reading import MISSED_PERIODS, SECOND, Channel

Ints = NDArray[np.int64]

MOST_PAIRS = 200_000
"""Samples that are paired one by one; more come from the overview."""

_MOST_CELLS = 4_000
"""Cells of the overview that are read for what lies before what is shown."""

_MUCH_LONGER = 1.05
"""Times what a moving mean says it is of: then it is said."""

_FASTER = 2
"""A channel that is read so much more often is averaged over the other's reading."""

_LEAST_COVERED = 1 / BREAK_PERIODS
"""Share of the time of a reading that a faster channel has to cover."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Values of two groups of channels at the same times; NaN where one lacks.

    Attributes:
        channel: The one whose times these are.
        times: In ns, rising.
        spans: How long each counts, in ns: as it was stored, or for how long all
            channels were measured.
        top: The first group, added up.
        bottom: The other group, added up; ones where there is none.
        is_exact: Whether each is made of samples, and not of means of many.
    """

    channel: Channel
    times: Ints
    spans: Floats
    top: Floats
    bottom: Floats
    is_exact: bool


def computed_line(
    session: Session, curve: Curve, window: Window | None, points: int, origin: int
) -> Line:
    """Get a computed curve as a line; see `load_line`."""
    maths = _maths(curve)
    first, last = session.extent()
    shown = window or (first, last + 1)
    reach = _from(maths, shown), shown[1]
    if _count(curve, reach) <= MOST_PAIRS:
        pairs = _paired(session, curve, reach)
    else:
        more = (reach[1] - reach[0]) / max(shown[1] - shown[0], 1)
        pairs = _means(session, curve, reach, min(round(points * more), _MOST_CELLS))
    if pairs is None:
        return NOTHING
    is_integral = maths.operation is Operation.INTEGRAL
    before = session.once(_total_until, curve, shown[0]) if is_integral else 0.0
    values = _values(maths, pairs, before)
    inside = (pairs.times >= shown[0]) & (pairs.times <= shown[1])
    x = (pairs.times[inside] - origin) / SECOND
    values, top, bottom = values[inside], pairs.top[inside], pairs.bottom[inside]
    period = pairs.channel.period_ns / SECOND
    if pairs.is_exact and x.size > 2 * points:
        is_ratio = maths.operation is Operation.RATIO
        line = _bucketed(x, values, (top, bottom) if is_ratio else None, points)
    else:
        exact = pairs.is_exact
        mean_s = 0.0 if exact else _coarse_mean(maths, pairs)
        line = Line(x, values, values, values, exact, exact, mean_s)
    scaled = line.mapped(lambda v: v * curve.scale.factor)
    return broken(scaled, period if pairs.is_exact else 2 * period)


def computed_statistics(
    session: Session, curve: Curve, window: Window
) -> Statistics | None:
    """Get the statistics of all pairs in a window; None where there is none.

    The mean of a ratio is the ratio of the means: energy over bytes, and not the mean
    of what each second needed for a byte.
    """
    maths = _maths(curve)
    slowest = max(curve.channels, key=lambda one: one.period_ns)
    is_integral = maths.operation is Operation.INTEGRAL
    sums = np.zeros(2)
    total = session.once(_total_until, curve, window[0]) if is_integral else 0.0

    def read(piece: Window) -> Samples | None:
        nonlocal total
        reach = 0 if is_integral else beyond(slowest.period_ns)
        around = _from(maths, piece) - reach, piece[1] - 1 + reach
        pairs = _paired(session, curve, around)
        if pairs is None:
            return None
        values = _values(maths, pairs, total)
        if is_integral:
            total += float(np.nansum(_shares(pairs)))
        known = np.isfinite(values)
        if not (is_varying := slowest.unit in VARYING):
            known &= (pairs.times >= piece[0]) & (pairs.times < piece[1])
        found = _samples(pairs, values, known, piece)
        for place, part in enumerate((pairs.top, pairs.bottom)):
            weighed = _samples(pairs, part, known, piece).weighed
            sums[place] += weighed.weights @ weighed.values
        expected = samples_of(session, slowest, piece).expected
        unit = slowest.unit if maths.operation is Operation.MEAN else maths.unit
        # Each counts for as long as a sample of its channel, whose unit says how.
        channel = replace(slowest, unit=unit)
        return replace(found, channel=channel, expected=expected, varies=is_varying)

    found = statistics_of(read, window, slowest.period_ns)
    if found is None or maths.operation is not Operation.RATIO or not sums[1]:
        return found
    return replace(found, mean=float(sums[0] / sums[1]))


def _maths(curve: Curve) -> Maths:
    if curve.maths is None:
        raise ValueError(curve.label)
    return curve.maths


def _from(maths: Maths, window: Window) -> int:
    """Get from when on samples are wanted for what is shown in a window."""
    back = maths.seconds if maths.operation is Operation.MEAN else 0.0
    return window[0] - round(back * SECOND)


def _count(curve: Curve, window: Window) -> float:
    """Get about how many samples the channels of a curve have in a window."""
    return sum((window[1] - window[0]) / one.period_ns for one in curve.channels)


def _samples(
    pairs: Pairs, values: Floats, chosen: NDArray[np.bool_], window: Window
) -> Samples:
    """Get values of some pairs as samples of a window and from just beyond it."""
    times = pairs.times[chosen]
    spans = np.maximum(pairs.spans[chosen], 0.0)
    inside = (times >= window[0]) & (times < window[1])
    nothing = Samples(pairs.channel, times[:0], values[:0], 0, window, spans[inside])
    return nothing.holding(times, values[chosen])


def _values(maths: Maths, pairs: Pairs, before: float) -> Floats:
    """Compute the values of a curve, in the unit of its maths.

    Args:
        maths: How.
        pairs: What of.
        before: What an integral has come to where they begin.
    """
    match maths.operation:
        case Operation.DIFFERENCE:
            return pairs.top - pairs.bottom
        case Operation.RATIO:
            bottom = np.where(pairs.bottom != 0, pairs.bottom, np.nan)
            return np.asarray(pairs.top / bottom)
        case Operation.MEAN:
            return _moving(pairs, round(maths.seconds * SECOND))
        case Operation.INTEGRAL:
            shares = _shares(pairs)
            totals = before + np.cumsum(np.nan_to_num(shares))
            # A sample is in the middle of its time, a stretch is reported at its end.
            return totals - shares / 2 if pairs.is_exact else totals + shares * 0
        case _:
            return pairs.top / maths.divisor


def _moving(pairs: Pairs, back: int) -> Floats:
    """Get the mean of the time before each value, where all of it was measured."""
    values = _linear(pairs.channel, pairs.top)
    known = np.isfinite(values)
    totals = np.r_[0.0, np.cumsum(np.where(known, values, 0.0))]
    gaps = np.r_[0, np.cumsum(~known | _after_pause(pairs))]
    last = np.arange(1, values.size + 1)
    first = np.searchsorted(pairs.times, pairs.times - back, side="right")
    first = np.minimum(first, last - 1)
    # Before the first value nothing was measured.
    period = pairs.channel.period_ns
    whole = pairs.times - back >= (pairs.times[0] if values.size else 0) - period
    # A pause that ends at the first value of a stretch lies before that stretch.
    inner = np.minimum(first + 1, last)
    is_known = whole & (gaps[last] == gaps[inner]) & known[first]
    mean = (totals[last] - totals[first]) / (last - first)
    return _level(pairs.channel, np.where(is_known, mean, np.nan))


def _coarse_mean(maths: Maths, pairs: Pairs) -> float:
    """Get of how many seconds a moving mean of whole stretches is; 0 for as it says."""
    if maths.operation is not Operation.MEAN or pairs.times.size < 2:
        return 0.0
    step = float(np.median(np.diff(pairs.times))) / SECOND
    own = np.ceil(maths.seconds / step) * step
    return float(own) if own > _MUCH_LONGER * maths.seconds else 0.0


def _after_pause(pairs: Pairs) -> NDArray[np.bool_]:
    """Tell which values follow a pause that no gap explains."""
    steps = np.diff(pairs.times)
    usual = float(np.median(steps)) if steps.size else 0.0
    longest = BREAK_PERIODS * max(usual, float(pairs.channel.period_ns))
    return np.asarray(np.r_[False, steps > longest][: pairs.times.size])


def _shares(pairs: Pairs) -> Floats:
    """Get what each adds to an integral by its time; NaN for nothing."""
    shares = np.full(pairs.top.size, np.nan)
    known = np.isfinite(pairs.top)
    if not pairs.is_exact:
        known &= pairs.spans > 0
    weights = _beats(pairs, known) if pairs.is_exact else pairs.spans[known]
    shares[known] = pairs.top[known] * weights / SECOND
    return shares


def _beats(pairs: Pairs, known: NDArray[np.bool_]) -> Floats:
    """Get for how long in ns each counts; what varies until half way to the next."""
    times, period = pairs.times[known], float(pairs.channel.period_ns)
    if pairs.channel.unit not in VARYING:
        whole = int(pairs.times[0]), int(pairs.times[-1]) + 1
        return _samples(pairs, pairs.top, known, whole).weighed.weights
    apart = np.diff(times).astype(np.float64)
    apart = np.where(apart <= MISSED_PERIODS * period, apart, period)
    return np.asarray((np.r_[period, apart] + np.r_[apart, period]) / 2)


def _total_until(session: Session, curve: Curve, until: int) -> float:
    """Get what an integral has come to since the begin of a session."""
    window = session.extent()[0], until - 1
    if window[1] < window[0]:
        return 0.0
    if _count(curve, window) <= MOST_PAIRS:
        pairs = _paired(session, curve, window)
    else:
        pairs = _means(session, curve, window, _MOST_CELLS)
    return 0.0 if pairs is None else float(np.nansum(_shares(pairs)))


def _bucketed(
    x: Floats, values: Floats, parts: tuple[Floats, Floats] | None, points: int
) -> Line:
    """Get the extremes and means of what lies in each of many equal stretches.

    Args:
        x: Seconds, rising.
        values: One each.
        parts: Of a ratio what is above and below; its mean is that of their sums.
        points: About how many stretches are wanted.
    """
    place = ((x - x[0]) * points / max(x[-1] - x[0], 1e-9)).astype(np.int64)
    firsts = np.flatnonzero(np.r_[True, np.diff(place) > 0])
    known = np.isfinite(values)

    def total(of: Floats) -> Floats:
        return np.asarray(np.add.reduceat(np.where(known, of, 0.0), firsts))

    counts = total(np.ones(x.size))
    over = counts if parts is None else total(parts[1])
    above = total(values if parts is None else parts[0])
    mean = above / np.where((counts > 0) & (over != 0), over, np.nan)
    low, high = np.fmin.reduceat(values, firsts), np.fmax.reduceat(values, firsts)
    # A mean stands where its values are, and not in the middle of a gap beside them.
    middles = np.add.reduceat(x, firsts) / np.diff(np.r_[firsts, x.size])
    centres = np.where(counts > 0, total(x) / np.maximum(counts, 1), middles)
    return Line(centres, low, high, mean, exact=False)


def _paired(session: Session, curve: Curve, window: Window) -> Pairs | None:
    """Put all samples of a window on the times of the slowest channel."""
    maths = _maths(curve)
    slowest = max(curve.channels, key=lambda one: one.period_ns)
    wide = window[0] - slowest.period_ns, window[1] + slowest.period_ns
    grid = session.trace(slowest, window, None)
    if not len(grid):
        return None
    lengths = _lengths(grid)

    def values(channel: Channel) -> Floats:
        if channel == slowest:
            found = _valid(session, grid, window)
        else:
            trace = session.trace(channel, wide, None)
            found = _on_times(grid, lengths, trace, _valid(session, trace, wide))
        return found

    top = _total([values(one) for one in curve.parts])
    bottom = _total([values(one) for one in maths.over]) if maths.over else top * 0 + 1
    spans = grid.spans if grid.spans.size else np.zeros(len(grid))
    spans = np.nan_to_num(spans)
    return Pairs(slowest, grid.times, spans, top, bottom, is_exact=True)


def _valid(session: Session, trace: Trace, window: Window) -> Floats:
    """Get the values of samples, NaN for those of a frozen display."""
    real = measured(session, trace.channel, window, trace.times)
    return np.where(real, trace.mean, np.nan)


def _total(columns: Sequence[Floats]) -> Floats:
    return np.asarray(np.sum(columns, axis=0))


def _lengths(grid: Trace) -> Floats:
    """Get which time each reading is of, in ns: a period, where it is read at once."""
    own = np.nan_to_num(grid.spans) if grid.spans.size else np.zeros(len(grid))
    own = np.maximum(own, float(grid.channel.window_ns))
    period = float(grid.channel.period_ns)
    return np.where(own >= period / 2, own, period)


def _on_times(grid: Trace, lengths: Floats, trace: Trace, values: Floats) -> Floats:
    """Get the values of one channel at the times of a slower one.

    Args:
        grid: The slower one.
        lengths: How long each of its readings is, in ns.
        trace: The other.
        values: What of it is valid.
    """
    if not values.size:
        return np.full(len(grid), np.nan)
    period = trace.channel.period_ns
    if period * _FASTER > grid.channel.period_ns:
        after = np.minimum(np.searchsorted(trace.times, grid.times), len(trace) - 1)
        before = np.maximum(after - 1, 0)
        is_before = grid.times - trace.times[before] <= trace.times[after] - grid.times
        near = np.where(is_before, before, after)
        apart = np.abs(trace.times[near] - grid.times)
        is_near = apart <= NEAR * grid.channel.period_ns
        return np.where(is_near, values[near], np.nan)
    first = np.searchsorted(trace.times, grid.times - lengths / 2)
    last = np.searchsorted(trace.times, grid.times + lengths / 2)
    linear = _linear(trace.channel, values)
    known = np.isfinite(linear)
    totals = np.r_[0.0, np.cumsum(np.where(known, linear, 0.0))]
    gaps = np.r_[0, np.cumsum(~known)]
    count = last - first
    is_known = (count > 0) & (gaps[last] == gaps[first])
    is_known &= count * period >= _LEAST_COVERED * lengths
    mean = (totals[last] - totals[first]) / np.maximum(count, 1)
    return _level(trace.channel, np.where(is_known, mean, np.nan))


def _linear(channel: Channel, values: Floats) -> Floats:
    """Get what is averaged: of sound levels their energy."""
    return 10 ** (values / 10) if channel.unit == "dB" else values


def _level(channel: Channel, values: Floats) -> Floats:
    return 10 * np.log10(values) if channel.unit == "dB" else values


def _means(session: Session, curve: Curve, window: Window, points: int) -> Pairs | None:
    """Put the means of many samples on common stretches of time.

    A sum, a difference and a ratio are not known where the means are of other times.
    """
    maths = _maths(curve)
    slowest = max(curve.channels, key=lambda one: one.period_ns)
    found = stretches_of(session, curve.channels, window, points)
    if found is None:
        return None
    top = _total([found.means[one] for one in curve.parts])
    is_integral = maths.operation is Operation.INTEGRAL
    if not is_integral:
        top = np.where(found.is_same, top, np.nan)
    over = [found.means[one] for one in maths.over]
    bottom = _total(over) if over else np.ones(top.size)
    at = found.ends if is_integral else (found.starts + found.ends) / 2
    times = window[0] + np.round(at).astype(np.int64)
    return Pairs(slowest, times, found.together, top, bottom, is_exact=False)
