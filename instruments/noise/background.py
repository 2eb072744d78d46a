"""The level of a source without the noise that was there anyway.

Energies are subtracted as ISO 3744 and 3746 do. Below 3 dB of difference the result is
mostly error, so it is only said how loud the source is at most.
"""

import math
from dataclasses import dataclass

LEAST_DIFFERENCE = 3.0
"""dB; the largest correction of ISO 3746 goes with it, too."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A level without its background.

    Attributes:
        level: dB; where `is_bound` is true, the source is not louder than this.
        uncertainty: Standard uncertainty in dB; of the bound, where it is one.
        difference: Measured level less background in dB.
        is_bound: Whether the background was too loud for more than an upper bound.
    """

    level: float
    uncertainty: float
    difference: float
    is_bound: bool

    def __str__(self) -> str:
        if self.is_bound:
            return f"at most {self.level:.1f} dB"
        return f"{self.level:.1f} dB ± {self.uncertainty:.1f} dB"


def without_background(
    level: float,
    background: float,
    level_uncertainty: float,
    background_uncertainty: float,
) -> Corrected:
    """Subtract the background from a level, by energy.

    L = 10 lg(10^(L1/10) - 10^(L2/10)); both uncertainties count by the derivatives of
    this formula, as independent of each other (GUM). An error that both levels share,
    such as that of the calibration, must not be in them: it stays on the result as it
    is.

    Args:
        level: With the source and the background, in dB.
        background: Alone, in dB.
        level_uncertainty: Standard uncertainty of `level` in dB.
        background_uncertainty: Standard uncertainty of `background` in dB.

    Raises:
        ValueError: A number is not finite, or an uncertainty is negative.
    """
    numbers = (level, background, level_uncertainty, background_uncertainty)
    if not all(map(math.isfinite, numbers)) or min(numbers[2:]) < 0:
        raise ValueError(f"levels and uncertainties have to be numbers: {numbers}")
    difference = level - background
    if difference < LEAST_DIFFERENCE:
        # A background above the level has changed meanwhile; nothing is known then
        # but that the source is not louder than what was measured with it.
        correction = -10 * math.log10(1 - 10 ** (-LEAST_DIFFERENCE / 10))
        bound = level - (correction if difference >= 0 else 0.0)
        return Corrected(bound, level_uncertainty, difference, is_bound=True)
    ratio = 10 ** (-difference / 10)  # of the background's energy to the whole
    return Corrected(
        level + 10 * math.log10(1 - ratio),
        math.hypot(level_uncertainty, ratio * background_uncertainty) / (1 - ratio),
        difference,
        is_bound=False,
    )
