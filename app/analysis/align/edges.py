"""The edges of a load in a signal: when they are, and how well that is known."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from app.analysis.align.bursts import Template
from app.analysis.samples import Floats, Times
from app.analysis.scatter import coverage_factor
from instruments.reading import SECOND

_REACH_NS = SECOND
"""How far before and after an edge its course is looked at, at most."""

# A bootstrapped standard error itself scatters by 1/sqrt(2 n): 4 % with these.
_RESAMPLES = 300


class Edges:
    """Samples about the edges of a load, the falling ones turned over.

    The course of all edges is the rising curve nearest to the samples, an isotonic
    regression: it follows fast and slow edges alike, and needs no model of them.

    Args:
        template: When the load was on.
        times: Times of the samples in ns.
        scaled: Their values, 0 for off and 1 for on.
        shift_ns: How much later than the load the edges are, roughly.
    """

    def __init__(
        self, template: Template, times: Times, scaled: Floats, shift_ns: float
    ) -> None:
        reach = min(_REACH_NS, template.shortest_ns // 2)
        bursts = template.bursts
        rising = [
            _about(burst.start_ns + shift_ns, reach, times, scaled) for burst in bursts
        ]
        self._rising = _alike(_read(rising), float(np.median(np.diff(times))))
        self._falling = _read(
            _about(burst.end_ns + shift_ns, reach, times, 1.0 - scaled)
            for burst in bursts
        )

    @property
    def used(self) -> int:
        """How many rising edges are alike; 0 where no falling one was read."""
        return len(self._rising) if self._falling else 0

    @property
    def crossing_ns(self) -> float:
        """How much later than expected the rising edges are half way up."""
        return _crossing(_course(self._rising), 0.5)

    def resolution_ns(self, window_ns: int) -> float:
        """Get the standard deviation of what the time between samples leaves open.

        Between the two samples about it the crossing lies anywhere that a mean over
        the window can reach, which changes by no more than 1 in that window: evenly,
        as far as is known (GUM 4.3.7).
        """
        after, course = _course(self._rising)
        above = int(np.searchsorted(course, 0.5))
        if above in (0, course.size):
            return 0.0
        apart, rise = after[above] - after[above - 1], course[above] - course[above - 1]
        return max(0.0, float(apart - rise * window_ns)) / math.sqrt(12)

    @property
    def length_ns(self) -> float:
        """How long the rising edges take from a tenth to nine tenths of the way."""
        course = _course(self._rising)
        return _crossing(course, 0.9) - _crossing(course, 0.1)

    @property
    def fall_ns(self) -> float:
        """How much later than expected the falling edges are half way down."""
        return _crossing(_course(self._falling), 0.5)

    def spread_ns(self, seed: int) -> float:
        """Get the standard deviation of the crossing over resampled bursts.

        A bootstrap of n items comes out too small by sqrt((n - 1) / n), and of a few it
        is not known well itself: it is widened so that twice it covers 95.45 %, with t
        of n - 1 degrees of freedom (GUM G.3).
        """
        count = len(self._rising)
        random = np.random.default_rng(seed)
        picks = random.integers(0, count, (_RESAMPLES, count)).tolist()
        found = [
            _crossing(_course([self._rising[number] for number in pick]), 0.5)
            for pick in picks
        ]
        if count < 2:
            return 0.0
        small = math.sqrt(count / (count - 1)) * coverage_factor(count - 1) / 2
        return small * float(np.std(found, ddof=1))


def _read(edges: Iterable[tuple[Floats, Floats]]) -> list[tuple[Floats, Floats]]:
    """Leave out edges that lie in a gap: nothing was read before or after them."""
    return [
        (times, values)
        for times, values in edges
        if times.size and times[0] < 0 < times[-1]
    ]


def _alike(
    edges: Sequence[tuple[Floats, Floats]], period_ns: float
) -> list[tuple[Floats, Floats]]:
    """Leave out edges that something else than the load has made.

    Kept is what lies within three standard deviations of the median, by the median
    absolute deviation, and a period, which is how well one edge alone is known.
    """
    at = np.array([_crossing(_course([edge]), 0.5) for edge in edges])
    away = np.abs(at - np.median(at))
    most = 3 * 1.4826 * float(np.median(away)) + period_ns
    return [edge for edge, far in zip(edges, away, strict=True) if far <= most]


def _course(edges: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Get the common course of edges: ns after the edge, and 0 to 1."""
    after: Floats = np.concatenate([times for times, _ in edges])
    height = np.concatenate([values for _, values in edges])
    order = np.argsort(after, kind="stable")
    # Only here: every command that shows a session would wait for scipy.
    from scipy import optimize  # type: ignore[import-untyped]  # noqa: PLC0415

    course: Floats = optimize.isotonic_regression(height[order]).x
    return after[order], course


def _about(
    edge_ns: float, reach_ns: int, times: Times, values: Floats
) -> tuple[Floats, Floats]:
    first, last = np.searchsorted(times, (edge_ns - reach_ns, edge_ns + reach_ns))
    return (times[first:last] - edge_ns).astype(np.float64), values[first:last]


def _crossing(edge: tuple[Floats, Floats], level: float) -> float:
    """Find where a rising course reaches a level, between its samples."""
    after, course = edge
    above = int(np.searchsorted(course, level))
    if above == 0:
        return float(after[0])
    if above == course.size:
        return float(after[-1])
    low, high = course[above - 1], course[above]
    share = (level - low) / (high - low)
    return float(after[above - 1] + share * (after[above] - after[above - 1]))
