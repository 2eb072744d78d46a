"""Fields of a form and groups of them, whatever draws it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.plan.edit import Path


class FieldKind(StrEnum):
    """What is entered; the file gets the TOML value of it."""

    TEXT = "a text"
    LINES = "a text of several lines"
    DURATION = "a duration such as 90s, 5m or 1h"
    SIZE = "a size such as 64k or 1m"
    COUNT = "a whole number"
    NUMBER = "a number"
    FLAG = "yes or no"
    CHOICE = "one of a few words"
    TEXTS = "texts with commas between"
    COMMAND = "a program and its arguments"


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a step.

    Attributes:
        path: Where it stands in the step, such as ("fio", "bs").
        kind: What is entered.
        help: What it does, in half a sentence.
        default: What holds where it is left out; "" where nothing does.
        choices: The words of a CHOICE.
        unit: Behind the field.
        shown: Whether it is there without being asked for.
        low: Smallest number, None where there is no limit.
        high: Largest number, None where there is no limit.
        words: What each of the choices does, "" where that is not told.
    """

    path: Path
    kind: FieldKind = FieldKind.TEXT
    help: str = ""
    default: str = ""
    choices: tuple[str, ...] = ()
    unit: str = ""
    shown: bool = True
    low: float | None = None
    high: float | None = None
    words: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Its name on the form: engines' own keys are spelled as they spell them."""
        name = self.path[-1]
        if len(self.path) > 1:
            return name
        words = name.replace("_", " ")
        return f"{words[:1].upper()}{words[1:]}"

    @property
    def expected(self) -> str:
        """What may be entered, such as "a whole number from 0 to 100"."""
        low = "" if self.low is None else f" from {self.low:g}"
        high = "" if self.high is None else f" to {self.high:g}"
        return f"{self.kind}{low}{high}"

    @property
    def explained(self) -> str:
        """All that is known of it, in one line."""
        told = f"{self.help or self.path[-1]}."
        if self.kind not in (FieldKind.FLAG, FieldKind.TEXT, FieldKind.CHOICE):
            told += f" Expected {self.expected}."
        return f"{told} Left out, it is {self.default}." if self.default else told


@dataclass(frozen=True, slots=True)
class Group:
    """Fields below one heading.

    Attributes:
        title: The heading.
        table: The table of the step that they are in, "" for the step itself.
        fields: The fields; those not shown can be asked for.
        first: What stands in the table once it is switched on; nothing where the
            table is there anyway.
        help: What it does, for a table that can be switched on.
        is_folded: Whether its fields are hidden until one of them is used.
    """

    title: str
    table: str
    fields: tuple[Field, ...]
    first: Mapping[str, object] = field(default_factory=dict)
    help: str = ""
    is_folded: bool = False

    @property
    def is_optional(self) -> bool:
        """Whether the table is switched on and off as a whole."""
        return bool(self.first)
