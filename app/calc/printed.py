"""Does a printed figure go with a calculated one: rounded, cut off, or of another."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.calc.calculator import Output, Values
from instruments.metric import CELSIUS

_LEAST, _MOST = 1e-200, 1e200
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)
_DEGREES = re.compile(r"deg(?:rees?)?\s*(?=C\b)|\N{DEGREE SIGN}\s+(?=C\b)")
_DEGREES_OF = (CELSIUS, "K")


class Fit(StrEnum):
    """How a printed figure comes from a calculated one, the nearest first."""

    ROUNDED = "rounded"
    CUT = "cut off"
    UP = "rounded up"
    COARSE = "rounded coarsely"
    NONE = "differs"


_ORDER = tuple(Fit)


@dataclass(frozen=True, slots=True)
class Found:
    """An output that a printed figure goes with, or is nearest to."""

    output: Output
    value: float
    fit: Fit
    off: float  # the printed figure above the calculated one, in its unit

    @property
    def percent(self) -> float | None:
        """The same in percent; None of nought and of temperatures, which have none."""
        if self.output.unit in _DEGREES_OF:
            return None
        return _finite(100 * self.off / self.value) if self.value else None

    @property
    def told_off(self) -> str:
        """By how much it differs, and whether to the safe side; "" of nought."""
        if self.output.unit in _DEGREES_OF:
            safe = ", to the safe side" * (self.output.is_limit and self.off < 0)
            return f" by {self.off:+.3g} K{safe}"
        return "" if self.percent is None else f" by {_percent(self.percent)}"

    @property
    def name(self) -> str:
        """Its title, value and unit."""
        unit = f" {self.output.unit}" if self.output.unit else ""
        return f'"{self.output.title}", {self.value:.6g}{unit}'


def told(found: Sequence[Found]) -> str:
    """Say as a sentence what `find_printed` found."""
    first = found[0]
    if first.fit is Fit.NONE:
        return (
            f"It matches no result; the nearest is {first.name}, "
            f"from which it differs{first.told_off}."
        )
    return f"It is {'; or '.join(f'{one.name}, {one.fit}' for one in found)}."


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _percent(value: float) -> str:
    """Write a difference; of a thousandfold one its digits say nothing."""
    return f"{value:+.1f} %" if abs(value) < 1e5 else f"{value:+.0e} %"


def fit_of(printed: str, value: float) -> Fit:
    """Tell how a printed figure comes from a value, by the digits that it has."""
    found = _NUMBER.search(printed)
    text = found[0].replace(",", ".") if found else "nan"
    shown = float(text)
    is_usual = shown == 0 or _LEAST < abs(shown) < _MOST
    if not (is_usual and math.isfinite(value)):
        return Fit.NONE
    mantissa = text.lower().partition("e")[0]
    decimals = len(mantissa.partition(".")[2])
    step = 10.0**-decimals * 10.0 ** int(text.lower().partition("e")[2] or 0)
    slack = 1e-9 * max(abs(value), step)
    if abs(shown - value) <= step / 2 + slack:
        return Fit.ROUNDED
    if shown <= value < shown + step - slack:
        return Fit.CUT
    if shown - step + slack < value <= shown:
        return Fit.UP
    zeros = len(mantissa) - len(mantissa.rstrip("0")) if "." not in mantissa else 0
    significant = len(mantissa.strip("+-0"))
    if zeros and significant > 1 and abs(shown - value) <= step * 10**zeros / 2:
        return Fit.COARSE
    return Fit.NONE


def find_printed(
    printed: str, outputs: Sequence[Output], values: Values
) -> tuple[Found, ...]:
    """Find the outputs that a printed figure goes with.

    Args:
        printed: A figure; where one of the outputs has the unit that follows it, those
            of other units are no answer: 20 \N{DEGREE SIGN}C are not 20 K.
        outputs: What was calculated.
        values: What it came to.

    Returns:
        Those that it goes with, the best first, or else the nearest alone; nothing
        where it is not a number or nothing was calculated.
    """
    number = _NUMBER.search(printed)
    if number is None:
        return ()
    shown = float(number[0].replace(",", "."))
    if not math.isfinite(shown):
        return ()
    found = []
    for output in _of_unit(printed[number.end() :], outputs):
        value = values.get(output.key)
        if value is not None and math.isfinite(value):
            fit = fit_of(printed, value)
            found.append(Found(output, value, fit, shown - value))
    found.sort(
        key=lambda one: (
            _ORDER.index(one.fit),
            abs(one.off / one.value) if one.value else math.inf,
        )
    )
    fitting = tuple(one for one in found if one.fit is not Fit.NONE)
    return fitting or tuple(found[:1])


def _of_unit(behind: str, outputs: Sequence[Output]) -> Sequence[Output]:
    """Get the outputs of the unit that stands behind a figure; all where it is none."""
    words = _DEGREES.sub("\N{DEGREE SIGN}", behind).split()
    unit = words[0].strip("\"'.,;()") if words else ""
    same = [one for one in outputs if one.unit == unit]
    return same if unit and same else outputs
