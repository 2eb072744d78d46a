"""Limits on results: "power_w <= 800"."""

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from instruments.metric import RESULT_NAMES

FOREIGN = "foreign_percent"
"""What others moved on the disk of a load, of all that it moved."""

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_LIMIT = re.compile(r"^\s*(\w+)\s*(<=|>=|<|>)\s*(-?\d+(?:\.\d+)?(?:[eE]\d+)?)\s*$")


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit: a result, a comparison and a number in the result's unit."""

    result: str
    comparison: str
    value: float

    def __str__(self) -> str:
        return f"{self.result} {self.comparison} {self.value:.12g}"

    def broken_by(self, results: Mapping[str, float | None]) -> str:
        """Say how the results break the limit; "" where they keep it.

        What was not measured breaks nothing: see `can_judge`.
        """
        value = results.get(self.result)
        if value is None or _COMPARE[self.comparison](value, self.value):
            return ""
        return f"{self.result} is {value:.6g}, the limit is {self}"

    def can_judge(self, results: Mapping[str, float | None]) -> bool:
        """Tell whether its result was measured at all."""
        return results.get(self.result) is not None


def parse_limit(text: str) -> Limit:
    """Read a limit such as "power_w <= 800".

    Raises:
        ValueError: With a sentence of what was expected.
    """
    match = _LIMIT.match(text)
    if not match:
        raise ValueError('Expected a limit such as "power_w <= 800".')
    if match[1] not in RESULT_NAMES:
        raise ValueError(f"Expected one of the results {', '.join(RESULT_NAMES)}.")
    if not math.isfinite(value := float(match[3])):
        raise ValueError("Expected a number that can be reached.")
    return Limit(match[1], match[2], value)
