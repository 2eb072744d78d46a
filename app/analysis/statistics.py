"""Mean, extremes, scatter, slope and total of channels over any window."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.analysis.samples import Samples
from app.record.store import Window
from instruments.reading import SECOND

_CHUNK = 1 << 17
"""This many samples of a channel are read in one go: a window may have any length."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the stored samples of a window come to, in the unit of the channel.

    Attributes:
        mean: Weighted by time; of sound levels by their energy.
        low: Lowest sample.
        high: Highest sample.
        sigma: Standard deviation of the samples; None of a single one.
        slope: Of the straight line of least squares, per second; None of a single one.
        total: Integral over the time that was measured, in units times seconds.
        n_valid: Samples that are values.
        n_expected: Samples that the nominal period promises.
    """

    mean: float
    low: float
    high: float
    sigma: float | None
    slope: float | None
    total: float
    n_valid: int
    n_expected: int


@dataclass(slots=True)
class Moments:
    """Sums over samples, from which statistics follow; those of two parts add up.

    Attributes:
        start_ns: Times are counted from here.
    """

    start_ns: int
    expected: int = 0
    count: int = 0
    low: float = math.inf
    high: float = -math.inf
    shift: float = 0.0  # near the values, so that their squares keep their digits
    weight: float = 0.0
    x: float = 0.0
    xx: float = 0.0
    t: float = 0.0
    tt: float = 0.0
    tx: float = 0.0
    energy: float = 0.0  # of sound levels

    def add(self, samples: Samples) -> None:
        """Take further samples, later than those before."""
        self.expected += samples.expected
        values = samples.values
        if not values.size:
            return
        if not self.count:
            self.shift = float(values[0])
        weighed = samples.weighed
        weights = weighed.weights / SECOND
        times = (weighed.times - self.start_ns) / SECOND
        own = weighed.values - self.shift
        self.count += values.size
        self.low = min(self.low, float(values.min()))
        self.high = max(self.high, float(values.max()))
        self.weight += float(weights.sum())
        self.x += float(weights @ own)
        self.xx += float(weights @ own**2)
        self.t += float(weights @ times)
        self.tt += float(weights @ times**2)
        self.tx += float(weights @ (times * own))
        if samples.channel.unit == "dB":
            self.energy += float(weights @ 10 ** (weighed.values / 10))

    def statistics(self) -> Statistics | None:
        """Get what they come to; None without any sample."""
        if not self.count or not self.weight:
            return None
        mean, middle = self.x / self.weight, self.t / self.weight
        sigma = slope = None
        if self.count > 1:
            spread = max(0.0, self.xx / self.weight - mean**2)
            sigma = math.sqrt(spread * self.count / (self.count - 1))
            length = self.tt / self.weight - middle**2
            if length > 0:
                slope = (self.tx / self.weight - middle * mean) / length
        level = self.shift + mean
        if self.energy:
            level = 10 * math.log10(self.energy / self.weight)
        return Statistics(
            *(level, self.low, self.high, sigma, slope),
            self.weight * (self.shift + mean),
            *(self.count, max(self.expected, self.count)),
        )


def statistics_of(
    read: Callable[[Window], Samples | None], window: Window, period_ns: int
) -> Statistics | None:
    """Get the statistics of a window, read piece by piece.

    Args:
        read: Reads the samples of a part of the window; None where it has none.
        window: From and to in ns, the end excluded.
        period_ns: About how far samples are apart.

    Returns:
        None where there is no sample.
    """
    moments = Moments(window[0])
    length = _CHUNK * max(period_ns, 1)
    for start in range(window[0], window[1], length):
        samples = read((start, min(start + length, window[1])))
        if samples is not None:
            moments.add(samples)
    return moments.statistics()


def pooled(parts: Sequence[Statistics]) -> Statistics | None:
    """Get what several alike, such as the drives of a shelf, come to as one.

    The mean is that of their means; sigma is of all samples around it.
    """
    if not parts:
        return None
    slopes = [part.slope for part in parts if part.slope is not None]
    return Statistics(
        float(np.mean([part.mean for part in parts])),
        min(part.low for part in parts),
        max(part.high for part in parts),
        _pooled_sigma(parts),
        float(np.mean(slopes)) if slopes else None,
        float(np.mean([part.total for part in parts])),
        sum(part.n_valid for part in parts),
        sum(part.n_expected for part in parts),
    )


def _pooled_sigma(parts: Sequence[Statistics]) -> float | None:
    """Get sigma within the parts and between their means; None of a single value."""
    within = [part.sigma for part in parts if part.sigma is not None]
    if not within and len(parts) < 2:
        return None
    around = float(np.mean(np.square(within))) if within else 0.0
    return math.sqrt(around + float(np.var([part.mean for part in parts])))
