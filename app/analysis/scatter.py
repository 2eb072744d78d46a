"""How well the mean of readings is known that resemble each other."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

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
