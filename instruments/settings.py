"""What a driver can be told in bench.toml: its options, and the values they got."""

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from instruments.errors import BadInput
from instruments.tools.hosts import Host, LocalHost

Value = str | int | float | bool | tuple[str, ...]


class Kind(StrEnum):
    """What a value of an option looks like."""

    TEXT = "text"
    NUMBER = "number"
    INTEGER = "integer"
    FLAG = "flag"
    CHOICE = "choice"
    TEXTS = "texts"


_EXPECTED = {
    Kind.TEXT: "a text in quotes",
    Kind.NUMBER: "a number",
    Kind.INTEGER: "a whole number",
    Kind.FLAG: "true or false",
    Kind.TEXTS: "a list of texts",
}


@dataclass(frozen=True, slots=True)
class Option:
    """One key of a source in bench.toml; a form is drawn from it, too.

    Attributes:
        key: As spelled in the file.
        help: What it is, in one sentence for a person.
        kind: What its value looks like.
        default: The value where the key is missing.
        required: Whether the key must be there; it has no default then.
        choices: The allowed values: words, or numbers as the instrument has them.
        low: Smallest number.
        high: Largest number.
        unit: Unit of the number.
        example: A value as somebody would write it.
    """

    key: str
    help: str
    kind: Kind = Kind.TEXT
    default: Value | None = None
    required: bool = False
    choices: tuple[str | float, ...] = ()
    low: float = float("-inf")
    high: float = float("inf")
    unit: str = ""
    example: str = ""

    @property
    def expected(self) -> str:
        """Say what a value must be, such as "a number from 1 to 5 V"."""
        unit = f" {self.unit}" if self.unit else ""
        if self.choices:
            names = (f"{c:g}" if isinstance(c, float) else str(c) for c in self.choices)
            return f"one of {', '.join(names)}{unit}"
        text = _EXPECTED[self.kind]
        if self.low != float("-inf"):
            text += f" from {self.low:g}"
            text += f" to {self.high:g}" if self.high != float("inf") else " up"
        example = f' such as "{self.example}"' if self.example else ""
        return f"{text}{unit}{example}"

    def take(self, value: object) -> Value:
        """Check a value as it came from a file or a form.

        Raises:
            BadInput: It is not what the option expects; `where` is the key.
        """
        found = self._converted(value)
        if found is None or not self._is_allowed(found):
            shown = f'"{value}"' if isinstance(value, str) else _plain(value)
            hint = ""
            if isinstance(value, str) and self.choices:
                close = difflib.get_close_matches(value, map(str, self.choices), n=1)
                hint = f' (did you mean "{close[0]}"?)' if close else ""
            raise BadInput(
                f"{self.key} is {shown}",
                where=self.key,
                way_out=f"Expected {self.expected}{hint}.",
            )
        return found

    def _converted(self, value: object) -> Value | None:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        match self.kind:
            case Kind.TEXT | Kind.CHOICE if isinstance(value, str) and value.strip():
                return value
            case Kind.NUMBER if is_number and math.isfinite(value):  # type: ignore[arg-type]
                return float(value)  # type: ignore[arg-type]
            case Kind.INTEGER if is_number and isinstance(value, int):
                return value
            case Kind.FLAG if isinstance(value, bool):
                return value
            case Kind.TEXTS if isinstance(value, list | tuple):
                if all(isinstance(part, str) and part.strip() for part in value):
                    return tuple(value)
        return None

    def _is_allowed(self, value: Value) -> bool:
        if self.choices:
            parts = value if isinstance(value, tuple) else (value,)
            return all(part in self.choices for part in parts)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self.low <= value <= self.high
        return True


@dataclass(frozen=True, slots=True)
class Settings:
    """What one source of a bench was told, complete with defaults.

    Attributes:
        name: Name of the source, unique on the bench.
        values: A value for each option that was given or has a default.
        host: Where its commands run.
    """

    name: str
    values: Mapping[str, Value] = field(default_factory=dict)
    host: Host = field(default_factory=LocalHost)

    def text(self, key: str) -> str:
        """Get a text; "" where the key was left out."""
        return str(self.values.get(key, ""))

    def number(self, key: str) -> float:
        """Get a number; the option has a default or is required."""
        return float(self.values[key])  # type: ignore[arg-type]

    def integer(self, key: str) -> int:
        """Get a whole number; the option has a default or is required."""
        return int(self.values[key])  # type: ignore[arg-type]

    def flag(self, key: str) -> bool:
        """Get true or false; false where the key was left out."""
        return bool(self.values.get(key, False))

    def texts(self, key: str) -> tuple[str, ...]:
        """Get a list of texts; empty where the key was left out."""
        found = self.values.get(key, ())
        return found if isinstance(found, tuple) else ()


def complete(
    options: Sequence[Option], given: Mapping[str, object]
) -> dict[str, Value]:
    """Check what was given for some options and fill in the defaults.

    Raises:
        BadInput: A key is unknown, missing or wrong; `where` is the key.
    """
    known = {option.key: option for option in options}
    for key in given:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f' (did you mean "{close[0]}"?)' if close else ""
            names = ", ".join(sorted(("driver", "name", *known)))
            raise BadInput(
                f"unknown key{hint}", where=key, way_out=f"Known here: {names}."
            )
    values: dict[str, Value] = {}
    for option in options:
        if option.key in given:
            values[option.key] = option.take(given[option.key])
        elif option.required:
            raise BadInput(
                f"{option.key} is missing",
                where=option.key,
                way_out=f"Expected {option.expected}.",
            )
        elif option.default is not None:
            values[option.key] = option.default
    return values


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "a table"
    return "a list" if isinstance(value, list) else str(value)
