"""Repeats of a step: go on until the confidence interval of the mean is narrow."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.analysis.samples import Floats
from instruments.sizes import counted

MEAN = "repeats_mean"
"""The result of a whole series; it belongs to the last one of its rows."""

HALF_WIDTH = "repeats_half_width"


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its confidence interval."""

    mean: float  # of all values; none is left out
    # half the width of the interval; None where there is but one value. It allows for
    # `lag1`
    half: float | None
    level: float  # of confidence, such as 0.95
    count: int  # how many values there are
    # sample standard deviation; None where there is but one value
    deviation: float | None
    # correlation of each value with the next, 0 where it may be chance
    lag1: float = 0.0

    @property
    def standard(self) -> float | None:
        """The standard uncertainty of the mean; None where there is but one value."""
        if self.deviation is None:
            return None
        return self.deviation / math.sqrt(
            self.count * (1 - self.lag1) / (1 + self.lag1)
        )

    @property
    def share(self) -> float | None:
        """Half the width as a share of the mean."""
        if self.half is None or self.mean == 0:
            return None
        return self.half / abs(self.mean)

    def __str__(self) -> str:
        """Write it with its width in percent, and what it allows for."""
        width = ""
        if self.share is not None:
            percent = 100 * self.share
            # The "g" format would write 120 % as 1.2e+02 %.
            digits = f"{percent:.2g}" if percent < 10 else f"{percent:.0f}"
            level = f"{100 * self.level:g} %"
            holds = f"{level} as for a fixed number of independent runs"
            if self.lag1:
                holds = f"{level} for runs correlated by {self.lag1:.2f}"
            width = f" ± {digits} % ({holds})"
        return f"{self.mean:.6g}{width} after {self.count}"


def mean_interval(values: Sequence[float], level: float = 0.95) -> Interval:
    """Compute the mean and its confidence interval: mean ± t s / sqrt(n).

    t is the quantile of Student's distribution with n - 1 degrees of freedom at
    (1 + level) / 2 ("Student", "The probable error of a mean", Biometrika 6, 1908).
    It holds for a number of runs that was fixed beforehand, independent and about
    normal. Where each run resembles the one before it (a drift, a device that warms
    up), n (1 - r) / (1 + r) of them count, with r their correlation at lag 1 (Bayley
    and Hammersley, Supplement to the JRSS 8, 1946). Of few runs it is seldom found,
    and the interval is then too narrow: it says that it is one of independent runs.

    Raises:
        ValueError: There is no value, or one that is not a number.
    """
    if not values or any(not math.isfinite(value) for value in values):
        raise ValueError("a mean needs values that are numbers")
    mean = float(np.mean(values))
    if len(values) == 1:
        return Interval(mean, None, level, 1, None)
    if min(values) == max(values):  # what rounding leaves of them is no correlation
        return Interval(float(values[0]), 0.0, level, len(values), 0.0)
    deviation = float(np.std(values, ddof=1))
    t = quantile((1 + level) / 2, len(values) - 1)
    lag1 = _lag1(np.asarray(values) - mean)
    half = t * deviation / math.sqrt(len(values) * (1 - lag1) / (1 + lag1))
    return Interval(mean, half, level, len(values), deviation, lag1)


def _lag1(deviations: Floats) -> float:
    """Get the correlation of each value with the next, 0 where it may be chance.

    The limit is that of Anderson for a positive one at 5 %: (-1 + 1.645 sqrt(n - 2)) /
    (n - 1) (Annals of Mathematical Statistics 13, 1942).
    """
    count, square = deviations.size, float((deviations**2).sum())
    if count < 3 or square == 0.0:
        return 0.0
    found = float((deviations[1:] * deviations[:-1]).sum()) / square
    chance = (-1 + 1.645 * math.sqrt(count - 2)) / (count - 1)
    return found if found > chance else 0.0


@dataclass(frozen=True, slots=True)
class Outlier:
    """A value that lies further out than chance explains; it still counts."""

    number: int  # which repeat, from 1
    value: float  # what it was
    statistic: float  # its distance from the mean in standard deviations
    critical: float  # what it would have to stay below

    def __str__(self) -> str:
        """Say it in a sentence."""
        return (
            f"repeat {self.number} ({self.value:.6g}) lies {self.statistic:.2f} "
            f"standard deviations from the mean, {self.critical:.2f} are expected at "
            "most; it counts nevertheless"
        )


def find_outlier(values: Sequence[float], level: float = 0.95) -> Outlier | None:
    """Test whether the most distant value is an outlier, after Grubbs.

    The statistic is the greatest distance from the mean over the sample standard
    deviation; the critical value is (n-1)/sqrt(n) sqrt(t^2 / (n - 2 + t^2)) with t at
    (1 - level) / 2n and n - 2 degrees of freedom (Grubbs, Technometrics 11, 1969;
    NIST/SEMATECH e-Handbook 1.3.5.17.1). Fewer than three values tell nothing.
    """
    count = len(values)
    deviation = float(np.std(values, ddof=1)) if count > 2 else 0.0
    if deviation == 0.0:
        return None
    distances = np.abs(np.asarray(values) - np.mean(values)) / deviation
    number = int(distances.argmax())
    t = quantile(1 - (1 - level) / (2 * count), count - 2)
    critical = (count - 1) / math.sqrt(count) * math.sqrt(t**2 / (count - 2 + t**2))
    if distances[number] <= critical:
        return None
    return Outlier(number + 1, values[number], float(distances[number]), critical)


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do after some repeats."""

    go_on: bool  # whether the step is run again
    why: str  # one sentence with figures
    interval: Interval | None  # the mean so far; None where there is no value
    outlier: Outlier | None = None  # one to be named; it still counts
    reached: bool = False  # whether the interval is narrow enough


@dataclass(frozen=True, slots=True)
class Repeats:
    """When enough is enough."""

    share: float = 0.02  # half the width of the interval may be this share of the mean
    level: float = 0.95  # of confidence
    # fewer repeats are never enough: a few agree by chance, and whoever stops then
    # finds a mean that is not known so well (see docs/method.md)
    least: int = 5
    most: int = 10  # after this many it ends, narrow or not

    def judge(self, values: Sequence[float | None]) -> Decision:
        """Decide after some repeats.

        Args:
            values: The result of each; None where it was not measured. Such a repeat
                counts towards the most, and not towards the mean.
        """
        known = [value for value in values if value is not None]
        lost = len(values) - len(known)
        repeats = counted(len(values), "repeat")
        also = f"; {lost} of {repeats} without a value" if lost else ""
        out_of_runs = len(values) >= self.most
        if not known:
            why = f"{repeats}, none with a value"
            return Decision(not out_of_runs, why, None)
        interval = mean_interval(known, self.level)
        outlier = find_outlier(known, self.level)
        if outlier is not None:
            numbers = [n for n, value in enumerate(values, 1) if value is not None]
            outlier = replace(outlier, number=numbers[outlier.number - 1])
        mean = str(interval)
        narrow = interval.share is not None and interval.share <= self.share
        if narrow and interval.count >= self.least:
            why = f"{mean}, which is within {100 * self.share:g} %{also}"
            return Decision(False, why, interval, outlier, reached=True)
        if out_of_runs:
            why = f"{mean}, not within {100 * self.share:g} % in {self.most} runs{also}"
            return Decision(False, why, interval, outlier)
        if interval.count < self.least:
            why = f"{mean}, at least {self.least} are needed{also}"
        else:
            why = f"{mean}, not yet within {100 * self.share:g} %{also}"
        return Decision(True, why, interval, outlier)


def quantile(probability: float, freedom: float) -> float:
    """Get a quantile of Student's distribution."""
    # Only here: every command that shows a session would wait for scipy.
    from scipy.special import stdtrit  # type: ignore[import-untyped]  # noqa: PLC0415

    return float(stdtrit(freedom, probability))
