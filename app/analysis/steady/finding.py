"""What a rule for a steady state says of one quantity, and how it says it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How much a quantity may vary and drift and still be steady.

    Shares of the mean suit rates and power. A temperature in degC has no zero that
    means anything, so it gets its own, in kelvin.

    Attributes:
        range: Greatest minus smallest, or the greatest deviation.
        slope: The drift; see each rule.
        is_share: Whether both are shares of the mean, or in the quantity's unit.
    """

    range: float
    slope: float
    is_share: bool = True


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says of one quantity.

    Attributes:
        steady: Whether it is steady now.
        why: One sentence with figures: why not yet, or why it is.
        rounds: The rounds that were judged, first and last, counted from 1; None
            where there are too few.
    """

    steady: bool
    why: str
    rounds: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Measures:
    """What a rule has measured: a range, a slope, and the mean both refer to."""

    range: float
    slope: float
    mean: float


def too_few(means: Sequence[float], needed: int) -> str:
    """Say that rounds are missing, or have no value; "" where all is there."""
    if len(means) < needed:
        return f"{len(means)} of {needed} rounds so far"
    first = len(means) - needed
    gaps = [n for n in range(first, len(means)) if math.isnan(means[n])]
    if gaps:
        return f"round {gaps[-1] + 1} has no value"
    return ""


def judged(
    found: Measures,
    tolerance: Tolerance,
    unit: str,
    span: tuple[int, int],
    names: tuple[str, str],
) -> Finding:
    """Compare what was measured with a tolerance, and say it in a sentence."""
    if tolerance.is_share and found.mean == 0:
        return Finding(False, "the mean is 0, so nothing is a share of it", span)
    scale = abs(found.mean) if tolerance.is_share else 1.0
    parts, steady = [], True
    for name, value, most in (
        (names[0], found.range / scale, tolerance.range),
        (names[1], found.slope / scale, tolerance.slope),
    ):
        kept = value <= most
        steady = steady and kept
        sign = "within" if kept else "above"
        parts.append(
            (
                kept,
                f"{name} {_shown(value, tolerance, unit)} is {sign} "
                f"{_shown(most, tolerance, unit)}",
            )
        )
    told = [text for kept, text in parts if kept == steady]
    rounds = f"rounds {span[0]} to {span[1]}"
    return Finding(steady, f"{' and '.join(told)} ({rounds})", span)


def _shown(value: float, tolerance: Tolerance, unit: str) -> str:
    if tolerance.is_share:
        return f"{100 * value:.3g} %"
    return f"{value:.3g} {'K' if unit == 'degC' else unit}".strip()
