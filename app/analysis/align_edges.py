"""The edges of a channel laid over one another: where and how long they are."""

from collections.abc import Iterable

import numpy as np
from scipy import optimize  # type: ignore[import-untyped]  # scipy has no types

from app.analysis.align_bursts import Template
from app.analysis.samples import Floats, Times
from instruments.reading import SECOND

_REACH_NS = SECOND
"""How far before and after an edge its course is looked at, at most."""

_RESAMPLES = 300


class Edges:
    """Samples about the rising and falling edges of a load, the latter turned over.

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
        self._bursts = [
            (
                _about(burst.start_ns + shift_ns, reach, times, scaled),
                _about(burst.end_ns + shift_ns, reach, times, 1.0 - scaled),
            )
            for burst in template.bursts
        ]

    def crossing_ns(self) -> float:
        """Get how much later than expected the edges are half way up."""
        return _crossing(*self._course(range(len(self._bursts))), 0.5)

    def length_ns(self) -> float:
        """Get the time from a tenth to nine tenths of the way."""
        after, course = self._course(range(len(self._bursts)))
        return _crossing(after, course, 0.9) - _crossing(after, course, 0.1)

    def spread_ns(self, seed: int) -> float:
        """Get the standard deviation of the crossing over resampled bursts."""
        count = len(self._bursts)
        random = np.random.default_rng(seed)
        picks = random.integers(0, count, (_RESAMPLES, count)).tolist()
        found = [_crossing(*self._course(pick), 0.5) for pick in picks]
        return float(np.std(found, ddof=1))

    def _course(self, numbers: Iterable[int]) -> tuple[Floats, Floats]:
        """Get the course of the edges of some bursts: ns after the edge, 0 to 1."""
        edges = [edge for number in numbers for edge in self._bursts[number]]
        after: Floats = np.concatenate([times for times, _ in edges])
        height = np.concatenate([values for _, values in edges])
        order = np.argsort(after, kind="stable")
        course: Floats = optimize.isotonic_regression(height[order]).x
        return after[order], course


def _about(
    edge_ns: float, reach_ns: int, times: Times, values: Floats
) -> tuple[Floats, Floats]:
    first, last = np.searchsorted(times, (edge_ns - reach_ns, edge_ns + reach_ns))
    return (times[first:last] - edge_ns).astype(np.float64), values[first:last]


def _crossing(after: Floats, course: Floats, level: float) -> float:
    """Find where a rising course reaches a level, between its samples."""
    above = int(np.searchsorted(course, level))
    if above == 0:
        return float(after[0])
    if above == course.size:
        return float(after[-1])
    low, high = course[above - 1], course[above]
    share = (level - low) / (high - low)
    return float(after[above - 1] + share * (after[above] - after[above - 1]))
