"""What happened between two readings, which nobody saw, as a standard uncertainty.

One rule for all that a meter tells on a beat: the truth lies anywhere between what two
readings that follow each other show, as likely at one place as at another, so that it
is known to their difference over the root of 12 (GUM 4.3.7). A counter has such a place
at each edge of a window, power one between each reading and the next.
"""

import math
from collections.abc import Sequence

import numpy as np

from app.analysis.feeds import summed, together
from app.analysis.samples import Floats, Samples
from app.analysis.scatter import mean_uncertainty
from instruments.reading import MISSED_PERIODS


def unseen_by_counter(step: float) -> float:
    """Get it of the difference of a counter, in its unit.

    Args:
        step: What it counts from one reading to the next, at either edge alike.
    """
    return math.sqrt(2) * step / math.sqrt(12)


def unseen_in_mean(feeds: Sequence[Samples]) -> float | None:
    """Get it of the mean of a sum of feeds over their window, in their unit.

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
    lengths = np.clip(times[1:], start, end) - times[:-1] - first
    q, p = first / apart, lengths / apart
    jumps = np.abs(np.diff(values)) * apart
    is_known = apart <= MISSED_PERIODS * period
    seen = jumps[is_known] ** 2 * _variance(q[is_known], p[is_known])
    sides = np.stack((values[:-1], values[1:], np.full(apart.size, mean)))
    lacking = [
        *(np.ptp(sides, axis=0) * lengths)[~is_known],
        max(0, times[0] - start) * (values[0] - mean),
        max(0, end - times[-1]) * (values[-1] - mean),
    ]
    total = float(seen.sum()) + float(np.square(lacking).sum()) / 12
    return math.sqrt(total) / (end - start)


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
