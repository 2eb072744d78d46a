"""Conditions on channels that an operator prompt waits for: "mains.P < 5"."""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from instruments.errors import OptionError

_RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_COMPARED = re.compile(r"^(\S+)\s*(<=|>=|<|>)\s*(-?\d+(?:\.\d+)?)$")
_STATED = re.compile(r"^(\S+)\s+(present|absent)$")


@dataclass(frozen=True, slots=True)
class Condition:
    """What all channels of a pattern have to be.

    Attributes:
        pattern: On printed names, such as "*.temperature.slot07".
        relation: "<", "<=", ">", ">=", or "present" (it delivers values), "absent".
        value: What it is compared with, in the channel's unit.
    """

    pattern: str
    relation: str
    value: float = 0.0

    def __str__(self) -> str:
        if self.relation in _RELATIONS:
            return f"{self.pattern} {self.relation} {self.value:g}"
        return f"{self.pattern} {self.relation}"

    def holds(self, value: float | None) -> bool:
        """Tell whether a newest reading is as it should be; None is no value."""
        if self.relation == "absent":
            return value is None
        if value is None:
            return False
        compare = _RELATIONS.get(self.relation)
        return compare is None or compare(value, self.value)


def parse_conditions(option: str, text: str) -> tuple[Condition, ...]:
    """Read conditions of an option, with semicolons between; raises OptionError."""
    parts = [part.strip() for part in text.split(";")]
    return tuple(_condition(option, part) for part in parts if part)


def _condition(option: str, text: str) -> Condition:
    if match := _COMPARED.match(text):
        return Condition(match[1], match[2], float(match[3]))
    if match := _STATED.match(text):
        return Condition(match[1], match[2])
    raise OptionError(
        option,
        f'"{text}" is no condition',
        'Expected such as "mains.P < 5", "*.temperature.slot07 present" or '
        '"*.temperature.slot07 absent".',
    )
