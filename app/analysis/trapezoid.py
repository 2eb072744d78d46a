"""Weights by time of what varies between its readings: trapezoids, cut at the edges."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.record.store import Window
from instruments.reading import MISSED_PERIODS, ONCE_NS

Floats = npt.NDArray[np.float64]
Times = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Weighed:
    """Readings that tell of a window, and for how long each of them counts."""

    times: Times  # in ns; the first and the last may lie just beyond the window
    values: Floats  # one a time
    weights: Floats  # in ns, one a time

    @property
    def counting(self) -> "Weighed":
        """Those that count for any time at all."""
        kept = self.weights > 0
        return Weighed(self.times[kept], self.values[kept], self.weights[kept])

    @property
    def mean(self) -> float:
        """The mean by weight; at least one weight is more than 0."""
        # Around one of them, so that what is always the same stays so.
        around = float(self.values[0])
        apart = self.weights @ (self.values - around)
        return around + float(apart) / float(self.weights.sum())


def beyond(period_ns: int) -> int:
    """Get how far from a window, in ns, a reading may be that tells of its edge."""
    return round(MISSED_PERIODS * period_ns) if period_ns < ONCE_NS else 0


def trapezoids(
    times: Times, window: Window, period_ns: int, *, bridged: bool = False
) -> Floats:
    """Get for how long each reading counts in a mean over a window.

    Between two readings that follow each other the value goes straight from one to the
    other, also over an edge of the window; what lies in a gap is not known. So the sum
    of values times weights is the integral over the known part of the window, and the
    sum of the weights is how long that is. A reading in the window that is on neither
    side of a known stretch of it counts for its own period.

    Args:
        times: When each was read in ns, rising; with the last one before the window
            and the first one after it, where there are any.
        window: From and to in ns.
        period_ns: Nominal time between two readings.
        bridged: Whether gaps count, too, as if all went straight over them, and stayed
            as it is first and last known where there is nothing to go to.

    Returns:
        One weight in ns a reading.
    """
    start, end = window
    apart = np.diff(times).astype(np.float64)
    is_known = apart <= (np.inf if bridged else MISSED_PERIODS * period_ns)
    # Counted from the reading before, as a session may be years of nanoseconds long.
    first = (np.clip(times[:-1], start, end) - times[:-1]).astype(np.float64)
    last = (np.clip(times[1:], start, end) - times[:-1]).astype(np.float64)
    lengths = np.where(is_known, last - first, 0.0)
    # A straight line has its mean in the middle of a piece.
    later = lengths * (first + last) / 2 / np.maximum(apart, 1.0)
    weights = np.zeros(times.size)
    weights[:-1] += lengths - later
    weights[1:] += later
    is_alone = (weights == 0) & (times >= start) & (times < end)
    weights[is_alone] = float(min(period_ns, end - start))
    if bridged and times.size > 1:
        weights[0] += max(0, int(times[0]) - start)
        weights[-1] += max(0, end - int(times[-1]))
    return weights
