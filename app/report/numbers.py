"""How numbers and days are written: decimals, significant digits, units, language."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """The marks of a language in numbers and days.

    Attributes:
        point: What stands before the decimals.
        group: What stands between groups of three digits; "" for nothing.
        day: How a day is written, as `strftime` has it; "" for ISO 8601.
    """

    point: str = "."
    group: str = ""
    day: str = ""

    def write(self, text: str) -> str:
        """Write a plain decimal number, such as "-1234.5", in this style."""
        whole, dot, decimals = text.partition(".")
        digits = whole.lstrip("-")
        if self.group and len(digits) > 3 and digits.isdigit():
            sign = whole[: len(whole) - len(digits)]
            first = len(digits) % 3
            parts = [digits[:first]] * bool(first)
            parts += [digits[n : n + 3] for n in range(first, len(digits), 3)]
            whole = sign + self.group.join(parts)
        return f"{whole}{self.point}{decimals}" if dot else whole

    def dated(self, text: str) -> str:
        """Write the days in a sentence, such as 2026-11-24, in this style."""
        return _DAY.sub(self._day, text) if self.day else text

    def _day(self, found: re.Match[str]) -> str:
        try:
            return date.fromisoformat(found[0]).strftime(self.day)
        except ValueError:  # it is no day, such as 2026-13-45
            return found[0]


_DAY = re.compile(r"(?<![\w./-])\d{4}-\d\d-\d\d(?![\w/-]|\.\w)")
"""A day by itself: in the name of a file or a version it is a part of that."""

PLAIN = NumberStyle()
"""As programs and the terminal have it."""


class Figure(float):
    """A number of a form's table, with its own way to be written.

    Attributes:
        decimals: Digits behind the point; None where `digits` decides.
        digits: Significant digits it is rounded to; None where `decimals` decides.
        held: So many digits behind the point are known of what is quoted from print,
            and `digits` adds none; None where it was measured.
        unit: What stands behind it, "" where the head of the column says it.
        sign: What stands before it, such as ">" where a meter was over range.
        source: The row and the result it shows, ("", "") where it is not one.
        factor: What the result was multiplied with to be in the unit shown.
        spread: Its expanded uncertainty, in the same unit, to stand beside it; None
            where it is not known, or not wanted there. It goes before `decimals` and
            `digits`: two digits of it, and the number to the same place (GUM 7.2.6).
    """

    __slots__ = (
        *("decimals", "digits", "factor", "held", "sign", "source", "spread", "unit"),
    )

    def __new__(
        cls,
        value: float,
        *,
        decimals: int | None = None,
        digits: int | None = None,
        held: int | None = None,
        unit: str = "",
        sign: str = "",
        source: tuple[str, str] = ("", ""),
        factor: float = 1.0,
        spread: float | None = None,
    ) -> "Figure":
        """Make one; see the attributes."""
        made = super().__new__(cls, value)
        made.decimals = decimals
        made.digits = digits
        made.held = held
        made.unit = unit
        made.sign = sign
        made.source = source
        made.factor = factor
        made.spread = spread
        return made

    decimals: int | None
    digits: int | None
    held: int | None
    unit: str
    sign: str
    source: tuple[str, str]
    factor: float
    spread: float | None

    @property
    def places(self) -> int:
        """Digits behind the point that are shown; below 0 it is rounded before it."""
        if self.spread is not None:
            return _places(self.spread, _SPREAD_DIGITS)
        if self.digits is None:
            return self.decimals or 0
        if not float(self) or not math.isfinite(self):
            return 0
        places = _places(float(self), self.digits)
        # Zeros that nobody printed, as behind a 45, say too much.
        return places if self.held is None else min(places, self.held)

    @property
    def rounded(self) -> float:
        """The number as it is shown."""
        # Cut to the digits that are known, "-0" would say nothing.
        return round(float(self), self.places) + 0.0

    def text(self, style: NumberStyle = PLAIN) -> str:
        """Write it with sign and unit."""
        shown = style.write(f"{self.rounded:.{max(0, self.places)}f}")
        if beside := self.beside(style):
            shown = f"({shown}{beside})" if self.unit else f"{shown}{beside}"
        return f"{self.sign}{shown} {self.unit}".rstrip()

    def beside(self, style: NumberStyle = PLAIN) -> str:
        """Write its uncertainty as it stands behind the number; "" without one."""
        if self.spread is None:
            return ""
        shown = round(self.spread, self.places)
        return f" ± {style.write(f'{shown:.{max(0, self.places)}f}')}"


_SPREAD_DIGITS = 2


_FINER = 4
"""So many digits behind the point are added at most; what is smaller is a nought."""


def places_of(value: float, decimals: int) -> int:
    """Get the digits behind the point of a number that usually has `decimals`.

    One that would be written as a nought, such as 0.2 reads a second, has two
    significant digits instead.
    """
    if not value or not math.isfinite(value) or round(value, decimals):
        return decimals
    shown = round(value, min(_places(value, 2), decimals + _FINER))
    return decimals_of(shown) if shown else decimals


def difference(value: float, decimals: int) -> Figure:
    """Make a figure of a difference: with its sign, of two digits where it is small."""
    figure = Figure(value, decimals=places_of(value, decimals))
    figure.sign = "+" if figure.rounded > 0 else ""
    return figure


def _places(value: float, digits: int) -> int:
    """Get the digits behind the point at which a value has so many; not of nought."""
    rounded = float(f"{value:.{digits - 1}e}")
    return digits - 1 - math.floor(math.log10(abs(rounded)))


def decimals_of(value: float) -> int:
    """Count the digits behind the point that a number has."""
    return -min(0, int(Decimal(repr(value)).normalize().as_tuple().exponent))


_FACTORS: Mapping[str, Mapping[str, float]] = {
    "MB/s": {"MiB/s": 1e6 / 2**20, "GB/s": 1e-3, "GiB/s": 1e6 / 2**30, "kB/s": 1e3},
    "1/s": {"1000/s": 1e-3},
    "W": {"kW": 1e-3},
    "VA": {"kVA": 1e-3},
    "Wh": {"kWh": 1e-3, "kJ": 3.6},
    "ms": {"s": 1e-3, "us": 1e3},
    "s": {"min": 1 / 60, "h": 1 / 3600},
}
"""By the unit of a metric, those it can be shown in, and how many of them it is."""


def units_of(unit: str) -> tuple[str, ...]:
    """Name the units that a metric can be shown in, its own first."""
    return (unit, *_FACTORS.get(unit, {}))


def factor_to(unit: str, shown: str) -> float:
    """Get what a value is multiplied with; `shown` is one of `units_of`."""
    return 1.0 if shown == unit else _FACTORS[unit][shown]
