"""When a cool-down is over: at a temperature, when it hardly cools, or after a time."""

from dataclasses import dataclass

import numpy as np

from app.analysis.samples import Floats, Times
from instruments.reading import SECOND

HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class Cooling:
    """How it stands with a cool-down."""

    done: bool  # whether it is over
    why: str  # one sentence with figures, why or why not yet
    # whether what was asked for was reached, and not only the time was up
    reached: bool = False


@dataclass(frozen=True, slots=True)
class CoolDown:
    """What ends a cool-down; of temperature and slope either is enough."""

    # it is over at this temperature in degC; None does not ask for one
    below_c: float | None = None
    # it is over when it cools by no more than this many kelvin an hour
    slope_k_h: float | None = None
    # over this many seconds the slope is fitted by least squares, and over more where
    # the sensor is coarse: one of whole degrees has to be seen for half an hour
    # before it can show 2 K/h
    window_s: float = 300.0
    at_least_s: float = 0.0  # it lasts at least so long
    at_most_s: float = HOUR_S  # it ends after so long, whatever was reached
    # an older temperature is of a sensor that was lost, and is none
    fresh_s: float = 30.0

    @property
    def reach_s(self) -> float:
        """The longest time over which the slope is fitted, of a sensor of 1 K."""
        if not self.slope_k_h:
            return self.window_s
        return max(self.window_s, HOUR_S / self.slope_k_h)

    def judge(
        self, start_ns: int, now_ns: int, times: Times, values: Floats
    ) -> Cooling:
        """Judge the temperatures so far.

        Args:
            start_ns: When the cool-down began.
            now_ns: The moment it is asked for.
            times: Times of the samples of the hottest drive in ns, rising.
            values: One temperature in degC a time; NaN is a gap.
        """
        passed = (now_ns - start_ns) / SECOND
        since = times >= start_ns
        goal = self._goal(now_ns, times[since], values[since])
        if passed < self.at_least_s:
            left = self.at_least_s - passed
            return Cooling(
                False, f"{left:.0f} s of the minimum time are left; {goal.why}"
            )
        if goal.done:
            return goal
        if passed >= self.at_most_s:
            why = f"the maximum time of {self.at_most_s:g} s is over; {goal.why}"
            return Cooling(True, why, reached=self._only_time)
        return goal

    @property
    def _only_time(self) -> bool:
        return self.below_c is None and self.slope_k_h is None

    def _goal(self, now_ns: int, times: Times, values: Floats) -> Cooling:
        if self._only_time:
            return Cooling(False, f"it lasts {self.at_most_s:g} s")
        known = ~np.isnan(values) & (times <= now_ns)
        times, values = times[known], values[known]
        if not times.size:
            return Cooling(False, "no temperature has been read yet")
        if now_ns - times[-1] > self.fresh_s * SECOND:
            return Cooling(False, f"no temperature in the last {self.fresh_s:g} s")
        reasons = []
        if self.below_c is not None:
            latest = float(values[-1])
            if latest <= self.below_c:
                why = f"{latest:.1f} °C is at or below {self.below_c:g} °C"
                return Cooling(True, why, reached=True)
            reasons.append(f"{latest:.1f} °C is above {self.below_c:g} °C")
        if self.slope_k_h is not None:
            window_s = self.window_s
            if self.slope_k_h:
                coarse_s = resolution_k(values) / self.slope_k_h * HOUR_S
                window_s = max(window_s, coarse_s)
            slope = _slope_k_h(times, values, now_ns - round(window_s * SECOND))
            if slope is None:
                reasons.append(f"no slope over {window_s:g} s yet")
            elif abs(slope) <= self.slope_k_h:
                why = f"{slope:+.1f} K/h is within {self.slope_k_h:g} K/h"
                return Cooling(True, why, reached=True)
            else:
                reasons.append(f"{slope:+.1f} K/h is not within {self.slope_k_h:g} K/h")
        return Cooling(False, " and ".join(reasons))


def resolution_k(values: Floats) -> float:
    """Get the smallest step of a sensor in K, from its readings.

    Where it has read one value only, the last decimal of it.
    """
    steps = np.diff(np.unique(np.round(values, 6)))
    if steps.size:
        return float(steps.min())
    decimals = range(6)
    fits = (10.0**-n for n in decimals if np.allclose(values, np.round(values, n)))
    return next(fits, 0.0)


def _slope_k_h(times: Times, values: Floats, first_ns: int) -> float | None:
    """Fit a line to the window; None where samples do not fill nine tenths of it."""
    inside = times >= first_ns
    if np.count_nonzero(inside) < 3:
        return None
    if times[0] > first_ns and times[0] - first_ns > 0.1 * (times[-1] - first_ns):
        return None
    hours = (times[inside] - times[-1]) / SECOND / HOUR_S
    spread = hours - hours.mean()
    return float((spread * values[inside]).sum() / (spread**2).sum())
