"""The two levels of a signal, with the load off and on."""

from dataclasses import dataclass

import numpy as np

from app.analysis.samples import Floats

_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Levels:
    """Two levels of a signal."""

    low: float  # the median of the lower values
    high: float  # the median of the upper ones
    noise: float  # standard deviation about the own level, from the median deviation

    @property
    def contrast(self) -> float:
        """How many times the noise the levels lie apart."""
        apart = self.high - self.low
        return apart / self.noise if self.noise > 0 else (1e6 if apart > 0 else 0.0)

    def scaled(self, values: Floats) -> Floats:
        """Map the low level to 0 and the high one to 1."""
        scaled: Floats = (values - self.low) / (self.high - self.low)
        return scaled


def find_levels(values: Floats) -> Levels:
    """Part values in two by their size and take the median of each.

    The parting is that of Lloyd's algorithm (k-means) in one dimension, begun
    between the 10th and the 90th percentile; the noise is 1.4826 times the median
    absolute deviation from the own level, which edges and single peaks hardly move.
    """
    if values.size < 4:
        return Levels(0.0, 0.0, 0.0)
    middle = float(np.percentile(values, (10, 90)).mean())
    for _ in range(_ROUNDS):
        upper = values > middle
        if upper.all() or not upper.any():
            break
        moved = float((values[upper].mean() + values[~upper].mean()) / 2)
        if moved == middle:
            break
        middle = moved
    upper = values > middle
    if upper.all() or not upper.any():
        level = float(np.median(values))
        return Levels(level, level, 0.0)
    low, high = float(np.median(values[~upper])), float(np.median(values[upper]))
    away = np.abs(np.where(upper, values - high, values - low))
    return Levels(low, high, 1.4826 * float(np.median(away)))
