"""Limits on results: "power_w <= 800"."""

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from instruments.metric import BY_NAME, CELSIUS, DECIBEL, RESULT_NAMES
from instruments.settings import did_you_mean

FOREIGN = "foreign_percent"
"""What others moved on the disk of a load, of all that it moved."""

NEAR = "limits_within_error"
"""How many limits of a step lie within the meter's error of its results."""

_ERRORS = {"power_w": "power_error_w"}
"""Results with a limit of error, and which it is."""

_METERED = ("W", "VA", "Wh", CELSIUS, DECIBEL)
"""Units of what a meter measured, so that it has an error; a count has none."""


class Rule(StrEnum):
    """How a limit is compared with a value that has an error (ISO 14253-1, JCGM 106).

    With guarded acceptance only what surely keeps the limit passes, with guarded
    rejection only what surely breaks it fails.
    """

    SIMPLE = "simple"
    ACCEPTANCE = "guarded acceptance"
    REJECTION = "guarded rejection"


_GUARDS = {Rule.SIMPLE: 0.0, Rule.ACCEPTANCE: 1.0, Rule.REJECTION: -1.0}
"""By how many errors the value has to be better than its limit."""

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_LIMIT = re.compile(r"^\s*(\w+)\s*(<=|>=|<|>)\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*$")


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit: a result, a comparison and a number in the result's unit."""

    result: str
    comparison: str
    value: float
    rule: Rule = Rule.SIMPLE

    def __str__(self) -> str:
        return f"{self.result} {self.comparison} {self.value:.12g}"

    def broken_by(self, results: Mapping[str, float | None]) -> str:
        """Say how the results break the limit; "" where they keep it.

        What cannot be judged breaks nothing: see `unjudged_by`.
        """
        value = results.get(self.result)
        if value is None:
            return ""
        worse = 1.0 if self.comparison.startswith("<") else -1.0
        guard = _GUARDS[self.rule] * worse * (self._error(results) or 0.0)
        if _COMPARE[self.comparison](value + guard, self.value):
            return ""
        guarded = f", with {self.rule}" if guard else ""
        return f"{self.result} is {value:.6g}, the limit is {self}{guarded}"

    def near(self, results: Mapping[str, float | None]) -> str:
        """Say that its value lies within the meter's error of it; "" where not."""
        value, error = results.get(self.result), self._error(results)
        if value is None or error is None or abs(value - self.value) > error:
            return ""
        return (
            f"{self.result} is {value:.6g} ± {error:.3g}, within the meter's error of "
            f"the limit {self}"
        )

    def unjudged_by(self, results: Mapping[str, float | None]) -> str:
        """Say why it cannot be judged; "" where it can."""
        if results.get(self.result) is None:
            return f"{self.result} was not measured, {self} cannot be judged"
        is_metered = self.result == "lambda" or BY_NAME[self.result].unit in _METERED
        if self.rule is Rule.SIMPLE or not is_metered or self._error(results):
            return ""
        return (
            f"the error of {self.result} is not known, {self} cannot be judged with "
            f"{self.rule}"
        )

    def _error(self, results: Mapping[str, float | None]) -> float | None:
        return results.get(_ERRORS.get(self.result, ""))


def parse_limit(text: str, rule: Rule = Rule.SIMPLE) -> Limit:
    """Read a limit such as "power_w <= 800", judged by a rule.

    Raises:
        ValueError: With a sentence of what was expected.
    """
    match = _LIMIT.match(text)
    if not match:
        raise ValueError('Expected a limit such as "power_w <= 800".')
    if match[1] not in RESULT_NAMES:
        hint = did_you_mean(match[1], RESULT_NAMES)
        known = "" if hint else f" Expected one of {', '.join(RESULT_NAMES)}."
        raise ValueError(f'There is no result "{match[1]}"{hint}.{known}')
    if not math.isfinite(value := float(match[3])):
        raise ValueError("Expected a number that can be reached.")
    return Limit(match[1], match[2], value, rule)
