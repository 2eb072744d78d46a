"""A line that can be drawn: values over seconds, broken where one is missing; no Qt."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from instruments.reading import MISSED_PERIODS

Floats = NDArray[np.float64]

BREAK_PERIODS = MISSED_PERIODS + 1
"""Middles of readings that are further apart than this many periods: the line breaks.

A pause is a gap from the end of one reading to the begin of the next, and half of each,
up to a period together, lies between their middles."""


@dataclass(frozen=True, slots=True)
class Line:
    """One curve ready to draw, in the shown unit; NaN breaks it."""

    x: Floats  # seconds from the origin
    low: Floats  # lowest value at each x
    high: Floats  # highest value at each x
    mean: Floats  # mean at each x
    exact: bool = True  # whether every point is one sample
    # whether low and high were measured; of what is computed of means they are not
    has_extremes: bool = True
    # of how many seconds each value is a mean, where its curve says fewer; else 0
    mean_s: float = 0.0

    @property
    def remark(self) -> str:
        """What a legend has to say of it besides its name; "" for nothing."""
        return f"(here of {self.mean_s:.3g} s)" if self.mean_s else ""

    def until(self, x: float) -> "Line":
        """Get the part up to a moment, in seconds from the origin."""
        count = int(np.searchsorted(self.x, x, side="right"))
        return self if count == len(self.x) else self.part(slice(count))

    def part(self, which: slice | NDArray[np.bool_]) -> "Line":
        """Get some of its points."""
        return replace(
            self,
            x=self.x[which],
            low=self.low[which],
            high=self.high[which],
            mean=self.mean[which],
        )

    def logarithmic(self) -> "Line":
        """Get it as decimal logarithms; what is not above 0 has none."""
        return self.mapped(lambda v: np.log10(np.where(v > 0, v, np.nan)))

    def mapped(self, function: Callable[[Floats], Floats]) -> "Line":
        """Get other values at the same times, by a function that rises."""
        low, high, mean = map(function, (self.low, self.high, self.mean))
        return replace(self, low=low, high=high, mean=mean)

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


NOTHING = Line(np.empty(0), np.empty(0), np.empty(0), np.empty(0))


def broken(line: Line, period: float) -> Line:
    """Put a NaN into every pause, so that no line is drawn across it."""
    if len(line.x) < 3:
        return line
    steps = np.diff(line.x)
    limit = BREAK_PERIODS * max(period, float(np.median(steps)))
    after = np.flatnonzero(steps > limit) + 1
    if not len(after):
        return line
    return replace(
        line.mapped(lambda values: np.insert(values, after, np.nan)),
        x=np.insert(line.x, after, line.x[after - 1] + limit / BREAK_PERIODS),
    )


_REACH = 0.75
"""Periods of the slower line within which samples of both are of one time.

Two that are read as often, half a period apart, have a sample there then, too."""


def less(line: Line, first: Line) -> Line:
    """Take one line off another wherever both have samples; elsewhere it breaks.

    It has a point for each sample of the slower one, from the mean of what the faster
    one has around it.

    Args:
        line: The one.
        first: What is taken off it, on the same axis.
    """
    one, other = _known(line), _known(first)
    if not (len(one.x) and len(other.x)):
        return NOTHING
    paces = _pace(one.x), _pace(other.x)
    slow = line if paces[0] >= paces[1] else first
    # A line of one sample has no pace of its own.
    period = max(paces) or 1.0
    change = _means_around(one, slow.x, period) - _means_around(other, slow.x, period)
    change[~np.isfinite(slow.mean)] = np.nan
    return broken(Line(slow.x, change, change, change), period)


def _known(line: Line) -> Line:
    return line.part(np.isfinite(line.mean))


def _pace(x: Floats) -> float:
    return float(np.median(np.diff(x))) if len(x) > 1 else 0.0


def _means_around(line: Line, x: Floats, period: float) -> Floats:
    """Get the mean of the samples around each time; NaN where there is none."""
    first = np.searchsorted(line.x, x - _REACH * period)
    last = np.searchsorted(line.x, x + _REACH * period, side="right")
    sums = np.r_[0.0, np.cumsum(line.mean)]
    with np.errstate(invalid="ignore"):
        found: Floats = (sums[last] - sums[first]) / (last - first)
    return found


def on_bins(lines: list[Line], bins: int, period: float) -> list[Line]:
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
