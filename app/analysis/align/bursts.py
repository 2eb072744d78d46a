"""Bursts of load: when the load of an alignment step was on, found in its I/O trace."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.analysis.samples import Floats, Times
from instruments.reading import MISSED_PERIODS

_FULL = 0.9
"""An interval with this share of the next one's rate was loaded all the time."""


@dataclass(frozen=True, slots=True)
class Burst:
    """One stretch of load, from its first to its last transfer, in ns."""

    start_ns: int
    end_ns: int


class Template:
    """A load that is 1 within its bursts and 0 outside, to be averaged over windows."""

    def __init__(self, bursts: Sequence[Burst]) -> None:
        self.bursts = tuple(sorted(bursts, key=lambda burst: burst.start_ns))
        edges = [at for b in self.bursts for at in (b.start_ns, b.end_ns)]
        lengths = [b.end_ns - b.start_ns for b in self.bursts]
        totals = np.concatenate(([0], np.cumsum(lengths)))
        self._origin = edges[0]
        self._edges = np.array(edges, dtype=np.int64) - self._origin
        self._integral = np.repeat(totals, 2)[1:-1].astype(np.float64)

    def mean(self, times: Times, window_ns: int, shift_ns: float) -> Floats:
        """Average the load, shifted, over a window about each time."""
        centres = (times - self._origin).astype(np.float64) - shift_ns
        half = max(window_ns, 1) / 2
        until = np.interp(centres + half, self._edges, self._integral)
        since = np.interp(centres - half, self._edges, self._integral)
        mean: Floats = (until - since) / (2 * half)
        return mean

    @property
    def shortest_ns(self) -> int:
        """The shortest burst or pause between two."""
        return int(np.diff(self._edges).min())


def find_bursts(times: Times, rates: Floats, period_ns: int) -> tuple[Burst, ...]:
    """Find the bursts in a trace of rates, such as fio's at 2 Hz.

    A sample is the mean rate over the interval about its time, as fio's differenced
    counters are. Where the load's program was not running there is no sample, and the
    burst begins with the first interval. Where a trace goes on with zeros, the edge
    lies within an interval, at the share of it that its rate fills.

    Args:
        times: Midpoints of the intervals in ns, rising.
        rates: The mean rate of each; NaN is a gap.
        period_ns: Nominal time between two samples.
    """
    known = ~np.isnan(rates)
    times, rates = times[known], rates[known]
    if not times.size or rates.max() <= 0:
        return ()
    starts, ends = _intervals(times, period_ns)
    on = rates > rates.max() / 2
    bursts: list[Burst] = []
    first = None
    for number in range(times.size):
        joined = number > 0 and starts[number] <= ends[number - 1]
        if first is not None and not (joined and on[number]):
            bursts.append(_burst(first, number - 1, starts, ends, rates))
            first = None
        if on[number] and first is None:
            first = number
    if first is not None:
        bursts.append(_burst(first, times.size - 1, starts, ends, rates))
    return tuple(bursts)


def _intervals(times: Times, period_ns: int) -> tuple[Times, Times]:
    """Find where the intervals begin and end; neighbours share their boundary."""
    half = period_ns // 2
    starts, ends = times - half, times + half
    apart = np.flatnonzero(np.diff(times) > MISSED_PERIODS * period_ns) + 1
    for group in np.split(np.arange(times.size), apart):
        if group.size < 2:
            continue
        own = times[group]
        middle = (own[:-1] + own[1:]) // 2
        ends[group[:-1]], starts[group[1:]] = middle, middle
        starts[group[0]] = _outer(own, period_ns)
        ends[group[-1]] = -_outer(-own[::-1], period_ns)
    return starts, ends


def _outer(times: Times, period_ns: int) -> int:
    """Find where the first of joined intervals begins.

    The first and the last may have any length, fio's have; those between have the
    period. These tell where the first one ends, and its time lies in its middle.
    """
    if times.size < 3:
        inner_end = int(times[0] + times[1]) // 2
    else:
        inner = times[1:-1]
        steps = np.diff(inner)
        step = float(np.median(steps)) if steps.size else float(period_ns)
        begins = inner - (np.arange(inner.size) + 0.5) * step
        inner_end = round(float(np.median(begins)))
    length = min(
        max(2 * (inner_end - int(times[0])), 0), round(MISSED_PERIODS * period_ns)
    )
    return inner_end - length


def _burst(first: int, last: int, starts: Times, ends: Times, rates: Floats) -> Burst:
    start = _edge(range(first, last + 1), starts, ends, rates)
    end = _edge(range(last, first - 1, -1), ends, starts, rates)
    return Burst(start, max(end, start + 1))


def _edge(inwards: range, outer: Times, inner: Times, rates: Floats) -> int:
    """Place an edge by what its interval, and the one outside it, were filled.

    Args:
        inwards: Numbers of the burst's intervals, from the edge inwards.
        outer: The boundary of each interval that looks outwards.
        inner: The other one.
        rates: The mean rate of each interval.
    """
    here = inwards[0]
    outside = here - inwards.step
    full = float(rates[inwards[1]] if len(inwards) > 1 else rates[here])
    if not (0 <= outside < rates.size and inner[outside] == outer[here]):
        return int(outer[here])
    if rates[here] < _FULL * full:
        share = float(rates[here]) / full
        return round(float(inner[here]) + share * float(outer[here] - inner[here]))
    share = min(1.0, float(rates[outside]) / full)
    return round(float(outer[here]) + share * float(outer[outside] - outer[here]))
