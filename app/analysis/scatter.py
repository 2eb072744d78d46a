"""How well the mean of readings is known: by scatter, and by what is between them.

One rule for what nobody saw between two readings of a meter: the truth lies anywhere
between what they show, as likely at one place as at another, so that it is known to
their difference over the root of 12 (GUM 4.3.7). A counter has such a place at each
edge of a window, power one between each reading and the next.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from app.analysis.feeds import summed, together
from app.analysis.samples import Floats, Samples
from instruments.reading import MISSED_PERIODS

_BLOCKS = 30
"""Into this many a window is cut: what is fast averages out within each, and what is
slow is seen in how each resembles the next."""

_FACTORS: Mapping[float, float] = dict(
    [
        *((1, 13.97), (2, 4.53), (3, 3.31), (4, 2.87), (5, 2.65), (6, 2.52)),
        *((7, 2.43), (8, 2.37), (10, 2.28), (15, 2.18), (20, 2.13), (30, 2.09)),
        *((50, 2.05), (100, 2.025), (math.inf, 2.0)),
    ]
)
"""Coverage factors for 95.45 % by the degrees of freedom (GUM table G.2)."""


def mean_uncertainty(feeds: Sequence[Floats]) -> float | None:
    """Get the standard uncertainty of the mean of a sum of feeds by their scatter.

    A reading resembles the next, so that they tell less than as many independent ones.
    The means of thirty blocks (batch means: Law and Kelton, Simulation Modeling and
    Analysis) are taken for an autoregression of the first order: with r from one to
    the next, n of them are worth n (1 - r) / (1 + r), less what the ends change. r is
    estimated too small of a short series, by (1 + 3r) / n (Marriott and Pope,
    Biometrika 41, 1954). As they are few, the uncertainty is widened so that twice it
    covers 95.45 %, with t of as many degrees of freedom (GUM G.3). Of what only rises,
    or is slower than the window, no scatter can be seen: twice it is at most all that
    lies between the lowest and the highest block.

    Args:
        feeds: Readings of each at a steady beat, one array a feed.

    Returns:
        None for fewer than two readings of a feed.
    """
    count = min([_BLOCKS, *(values.size for values in feeds)])
    if not feeds or count < 2:
        return None
    parts = [[b.mean() for b in np.array_split(one, count)] for one in feeds]
    apart = np.sum(parts, axis=0)
    apart -= apart.mean()
    square = float(apart @ apart)
    if not square:
        return 0.0
    seen = float(apart[1:] @ apart[:-1]) / square
    r = min(max(0.0, seen + (1 + 3 * seen) / count), 1 - 1 / count)
    worth = count / ((1 + r) / (1 - r) - 2 * r * (1 - r**count) / count / (1 - r) ** 2)
    # Around their own mean they scatter less than around the true one.
    variance = square / count / max(1 - 1 / worth, 1 / count)
    found = math.sqrt(variance / worth) * coverage_factor(worth - 1) / 2
    alone = math.sqrt(square / (count - 1) / count) * coverage_factor(count - 1) / 2
    return min(found, max(alone, float(np.ptp(apart)) / 2))


def coverage_factor(freedom: float) -> float:
    """Get the coverage factor, between those of the table by one over the freedom."""
    ones = [1 / each for each in _FACTORS]
    at = 1 / max(1.0, freedom)
    return float(np.interp(at, ones[::-1], list(_FACTORS.values())[::-1]))


def unseen_by_counter(step: float) -> float:
    """Get what is not seen of the difference of a counter, in its unit.

    Args:
        step: What it counts from one reading to the next, at either edge alike.
    """
    return math.sqrt(2) * step / math.sqrt(12)


def unseen_in_mean(feeds: Sequence[Samples]) -> float | None:
    """Get what is not seen of the mean of a sum of feeds, in its unit.

    Power is taken to jump from a reading to the next, at any moment between them. What
    is expected then is the straight line that the mean goes by, and the mean over the
    whole of a piece lies anywhere between both readings. Of a piece that an edge of the
    window cuts, from the share q on and over the share p of it, the variance is
    p^2 (q + p/3 - (q + p/2)^2) times the square of the jump. In a gap, and where
    readings lack at an edge, power has been anywhere between its readings and the mean.

    Returns:
        None where no reading is in the window.
    """
    whole = summed(feeds)
    if whole is None or not whole.values.size:
        return None
    (start, end), period = whole.window, whole.channel.period_ns
    times, values = whole.all_times, whole.all_values
    mean = whole.weighed.mean
    apart = np.diff(times).astype(np.float64)
    first = np.clip(times[:-1], start, end) - times[:-1]
    lengths = (np.clip(times[1:], start, end) - times[:-1] - first).astype(np.float64)
    q, p = first / apart, lengths / apart
    jumps = np.abs(np.diff(values)) * apart
    is_known = apart <= MISSED_PERIODS * period
    seen = jumps[is_known] ** 2 * _variance(q[is_known], p[is_known])
    off = values - mean
    lacking = [
        *(_square_off(off[:-1], off[1:]) * lengths**2)[~is_known],
        (max(0, times[0] - start) * off[0]) ** 2 / 3,
        (max(0, end - times[-1]) * off[-1]) ** 2 / 3,
    ]
    return math.sqrt(float(seen.sum() + np.sum(lacking))) / (end - start)


def _square_off(before: Floats, after: Floats) -> Floats:
    """Get the mean square of what lies anywhere between two values and 0.

    The mean, from which both are counted, is what a gap is taken for; it is seldom in
    the middle between its sides.
    """
    low = np.minimum(np.minimum(before, after), 0.0)
    high = np.maximum(np.maximum(before, after), 0.0)
    return np.asarray((low**2 + low * high + high**2) / 3)


def _variance(q: Floats, p: Floats) -> Floats:
    return np.asarray(p**2 * (q + p / 3 - (q + p / 2) ** 2))


def random_of_mean(feeds: Sequence[Samples]) -> float | None:
    """Get the standard uncertainty of a mean that is not of its meter.

    It is that of scatter with what is not seen between readings.

    Returns:
        None for fewer than two readings of a feed.
    """
    scatter = mean_uncertainty([part.values for part in together(feeds)])
    if scatter is None:
        return None
    return math.hypot(scatter, unseen_in_mean(feeds) or 0.0)
