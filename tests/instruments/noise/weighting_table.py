"""What the weighting filters miss of IEC 61672-1, frequency by frequency.

The limits are table 3 of the 2013 edition for class 1, typed from knowledge and not
from the standard's own text. They are limits of a whole instrument; a filter within
them makes no class 1 meter of a microphone.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from instruments.noise.weighting import (
    POLES_HZ,
    Curve,
    Floats,
    response,
    weighting_filter,
)

_REFERENCE_HZ = 1000.0


def exact_gain(curve: Curve, frequencies: ArrayLike) -> Floats:
    """Compute a weighting in dB by the formula of IEC 61672-1, 0 dB at 1 kHz.

    Args:
        curve: The weighting.
        frequencies: In Hz.
    """
    wanted = np.asarray(frequencies, dtype=np.float64)
    return _analogue(curve, wanted) - _analogue(curve, np.float64(_REFERENCE_HZ))


def _analogue(curve: Curve, frequencies: Floats | np.float64) -> Floats:
    squared = np.square(frequencies)
    low, second, third, high = POLES_HZ
    gain = 1 / (1 + squared / high**2)
    for pole in (low, low, second, third) if curve is Curve.A else (low, low):
        gain = gain * np.sqrt(squared / (squared + pole**2))
    levels: Floats = 20 * np.log10(gain)
    return levels


_NOMINAL = (
    (10, 3.0, math.inf),
    (12.5, 2.5, math.inf),
    (16, 2.0, 4.0),
    (20, 2.0, 2.0),
    (25, 2.0, 1.5),
    (31.5, 1.5, 1.5),
    *((nominal, 1.0, 1.0) for nominal in (40, 50, 63, 80, 100, 125, 160, 200, 250)),
    *((nominal, 1.0, 1.0) for nominal in (315, 400, 500, 630, 800)),
    (1000, 0.7, 0.7),
    *((nominal, 1.0, 1.0) for nominal in (1250, 1600, 2000, 2500, 3150, 4000)),
    (5000, 1.5, 1.5),
    (6300, 1.5, 2.0),
    (8000, 1.5, 2.5),
    (10000, 2.0, 3.0),
    (12500, 2.0, 5.0),
    (16000, 2.5, 16.0),
    (20000, 3.0, math.inf),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One frequency of the table.

    Attributes:
        nominal: Name of the frequency in Hz.
        exact: The frequency that was computed, 1000 x 10^(n/10) Hz.
        wanted: The weighting in dB.
        deviation: Filter less weighting in dB.
        above: Class 1 limit above in dB.
        below: Class 1 limit below in dB, infinite where there is none.
    """

    nominal: float
    exact: float
    wanted: float
    deviation: float
    above: float
    below: float


def weighting_table(curve: Curve, rate: int) -> list[Row]:
    """Measure a weighting filter at the 34 frequencies from 10 Hz to 20 kHz.

    Args:
        curve: The weighting.
        rate: Sampling rate in Hz.
    """
    sections = weighting_filter(curve, rate)
    rows = []
    for number, (nominal, above, below) in enumerate(_NOMINAL, -20):
        exact = 1000.0 * 10 ** (number / 10)
        wanted = float(exact_gain(curve, exact))
        deviation = float(response(sections, exact, rate)) - wanted
        rows.append(Row(nominal, exact, wanted, deviation, above, below))
    return rows


def table_text(rates: tuple[int, ...] = (44_100, 48_000)) -> str:
    """Write the table as docs/noise.md has it, in Markdown."""
    kinds = [(curve, rate) for curve in (Curve.A, Curve.C) for rate in rates]
    tables = [weighting_table(curve, rate) for curve, rate in kinds]
    heads = [f"{curve} at {rate / 1000:g} kHz" for curve, rate in kinds]
    lines = [
        f"| Hz | class 1 limits | {' | '.join(heads)} |",
        f"|--:|--:|{'--:|' * len(heads)}",
    ]
    for rows in zip(*tables, strict=True):
        first = rows[0]
        below = "none" if math.isinf(first.below) else f"-{first.below:.1f}"
        cells = " | ".join(f"{round(row.deviation, 3) + 0.0:+.3f}" for row in rows)
        lines.append(f"| {first.nominal:g} | +{first.above:.1f} {below} | {cells} |")
    return "\n".join(lines)
