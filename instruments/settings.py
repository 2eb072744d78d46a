"""Options of drivers, switches, engines and phases, and their values."""

import contextlib
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum

from instruments.durations import format_duration, parse_duration
from instruments.errors import OptionError
from instruments.sizes import describe_size, parse_size
from instruments.tools.hosts import Host, LocalHost

Value = str | int | float | bool | tuple[str, ...]


class Kind(StrEnum):
    """What a value of an option looks like."""

    TEXT = "text"
    LINES = "lines"
    NUMBER = "number"
    INTEGER = "integer"
    SIZE = "size"
    DURATION = "duration"
    FLAG = "flag"
    CHOICE = "choice"
    TEXTS = "texts"
    COMMAND = "command"


_EXPECTED = {
    Kind.TEXT: "a text in quotes",
    Kind.LINES: "a text in quotes",
    Kind.NUMBER: "a number",
    Kind.INTEGER: "a whole number",
    Kind.SIZE: "a size such as 64k or 1m",
    Kind.DURATION: "a duration such as 90s, 5m or 1h",
    Kind.FLAG: "true or false",
    Kind.TEXTS: "a list of texts",
    Kind.COMMAND: "a program and its arguments",
}
# How a bound is written; all others as a plain number.
_SHOWN = {Kind.SIZE: describe_size, Kind.DURATION: format_duration}
# Words that fio, TOML and people write.
_FLAGS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


_COMMA = re.compile(r"[+-]?\d+,\d+")
"""A number as it is written in much of the world, but not in TOML."""


@dataclass(frozen=True, slots=True)
class Option:
    """One key of a table in bench.toml or of a step; forms are drawn from it, too.

    Attributes:
        key: As spelled in the file; engines' own keys are spelled as they spell them.
        help: What it is, in one sentence for a person.
        kind: What its value looks like.
        default: The value where the key is missing; a size or a duration is written
            as somebody would write it.
        required: Whether the key must be there; it has no default then.
        choices: The allowed values: words, or numbers as the instrument has them.
        low: Smallest number, bytes of a size, or seconds.
        high: Largest number, bytes of a size, or seconds.
        unit: Unit of the number.
        example: A value as somebody would write it.
        words: What each of the choices does; "" for none.
        name: Its name on a form; "" where that is its key in words.
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
    words: tuple[str, ...] = ()
    name: str = ""

    @property
    def title(self) -> str:
        """Its name on a form, such as "Voltage range"."""
        words = self.name or self.key.replace("_", " ")
        return f"{words[:1].upper()}{words[1:]}"

    @property
    def explained(self) -> str:
        """Say in one line what it is, what may be entered, and what the default is."""
        text = f"{self.help.rstrip('.') or self.key}."
        if self.kind not in (Kind.FLAG, Kind.TEXT, Kind.LINES, Kind.CHOICE):
            text += f" Expected {as_entered(self.expected)}."
        default = written(self.default)
        return f"{text} Default: {default}." if default else text

    @property
    def expected(self) -> str:
        """Say what a value must be, such as "a number from 1 to 5 V"."""
        unit = f" {self.unit}" if self.unit else ""
        if self.choices:
            return f"one of {', '.join(map(written, self.choices))}{unit}"
        text = _EXPECTED[self.kind]
        show = _SHOWN.get(self.kind, "{:g}".format)
        has_high = self.high != float("inf")
        if self.low != float("-inf"):
            low = show(self.low)
            text += f" from {low} to" if has_high else f" of {low}{unit} or more"
        elif has_high:
            text += " of at most"
        if has_high:
            text += f" {show(self.high)}"
        if has_high or self.low == float("-inf"):
            text += unit
        example = f' such as "{self.example}"' if self.example else ""
        return f"{text}{example}"

    def take(self, value: object) -> Value:
        """Check a value as it came from a file or a form.

        Raises:
            OptionError: It is not what the option expects.
        """
        taken = self._converted(value)
        if taken is None or not self._is_allowed(taken):
            words = map(str, self.choices) if isinstance(value, str) else ()
            hint = did_you_mean(str(value), words)
            if self.kind is Kind.NUMBER and _COMMA.fullmatch(str(value).strip()):
                hint = f", with a point: {str(value).strip().replace(',', '.')}"
            raise OptionError(
                self.key,
                f"{self.key} is {plain(value)}",
                f"Expected {self.expected}{hint}.",
            )
        return taken

    def typed(self, text: str) -> object:
        """Read what was written as text, or give it back for `take` to refuse."""
        bare = text.strip()
        match self.kind:
            case Kind.FLAG:
                return _FLAGS.get(bare, bare)
            case Kind.TEXTS:
                return [part.strip() for part in bare.split(",") if part.strip()]
            case Kind.INTEGER | Kind.NUMBER:
                # A whole number first: an INTEGER is no float, "8" must not be 8.0.
                for make in (int, float):
                    with contextlib.suppress(ValueError):
                        return make(bare)
        return bare

    def _converted(self, value: object) -> Value | None:
        with contextlib.suppress(ValueError):
            return _CONVERT[self.kind](value)
        return None

    def _is_allowed(self, value: Value) -> bool:
        if self.choices:
            parts = value if isinstance(value, tuple) else (value,)
            return all(part in self.choices for part in parts)
        # To Python, true is the number 1.
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self.low <= value <= self.high
        return True


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of all options of a source, a switch or a step.

    Attributes:
        name: Name of the source, unique on the bench; of the engine of a step.
        values: A value for each option that was given or has a default.
        host: Where its commands run.
    """

    name: str
    values: Mapping[str, Value] = field(default_factory=dict)
    host: Host = field(default_factory=LocalHost)

    def text(self, key: str) -> str:
        """Get a text; "" where the key was omitted."""
        return written(self.values.get(key))

    def number(self, key: str) -> float:
        """Get a number or the seconds of a duration; the option is never omitted."""
        return float(self.values[key])  # type: ignore[arg-type]

    def optional(self, key: str) -> float | None:
        """Get a number, None where the key was omitted."""
        return self.number(key) if key in self.values else None

    def integer(self, key: str) -> int:
        """Get a whole number or the bytes of a size; the option is never omitted."""
        return int(self.values[key])  # type: ignore[arg-type]

    def flag(self, key: str) -> bool:
        """Get true or false; false where the key was omitted."""
        return bool(self.values.get(key, False))

    def texts(self, key: str) -> tuple[str, ...]:
        """Get a list of texts; empty where the key was omitted."""
        value = self.values.get(key, ())
        return value if isinstance(value, tuple) else ()


def complete(
    options: Sequence[Option],
    given: Mapping[str, object],
    also: Iterable[str] = ("driver", "name"),
) -> dict[str, Value]:
    """Check what was given for some options and fill in the defaults.

    Args:
        options: All that there are.
        given: Values as a file has them, by key.
        also: Further keys of the same table, for the error of one that is unknown.

    Raises:
        OptionError: A key is unknown, missing or wrong.
    """
    _refuse_unknown(given, [option.key for option in options], also)
    values: dict[str, Value] = {}
    for option in options:
        if option.key in given:
            values[option.key] = option.take(given[option.key])
        elif option.required:
            raise OptionError(
                option.key,
                f"{option.key} is missing",
                f"Expected {option.expected}: {option.help.rstrip('.')}.",
            )
        elif option.default is not None:
            # Defaults of sizes and durations are written as texts, such as "4k".
            is_text = option.kind in (Kind.SIZE, Kind.DURATION)
            default = option.default
            values[option.key] = option.take(default) if is_text else default
    return values


def _refuse_unknown(
    given: Mapping[str, object], keys: Sequence[str], also: Iterable[str]
) -> None:
    names = sorted({*also, *keys})
    for key in given:
        if key not in keys:
            way_out = f"Available: {', '.join(names)}." if names else "Remove it."
            raise OptionError(key, f"unknown key{did_you_mean(key, names)}", way_out)


def read_step(
    engine: str,
    options: Sequence[Option],
    given: Mapping[str, str],
    ours: Mapping[str, str] | None = None,
) -> Settings:
    """Check the options of a step, which a plan holds as texts.

    Args:
        engine: Name of the engine.
        options: All that it has.
        given: What the plan says; an option without a value is excluded.
        ours: Options of the engine that Bayscope sets, and what to do instead.

    Raises:
        OptionError: A key is unknown, missing or set by Bayscope, or a value is wrong.
    """
    for key in given:
        if key in (ours or {}):
            way_out = f"{(ours or {})[key]}."
            raise OptionError(key, "this option belongs to Bayscope", way_out)
    by_key = {option.key: option for option in options}
    # An unknown key stays even without a value, so that it is refused by its name.
    typed = {
        key: by_key[key].typed(text) if key in by_key else text
        for key, text in given.items()
        if text.strip() or key not in by_key
    }
    return Settings(engine, complete(options, typed, ()))


def closest(word: str, candidates: Iterable[str]) -> str:
    """Find the candidate that is spelled most like a word; "" where none is close."""
    close = get_close_matches(word, list(candidates), 3)
    # A slip is seldom in the first letter: bss is bs, and not ss.
    close.sort(key=lambda candidate: candidate[:1] != word[:1])
    return close[0] if close else ""


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """Hint at the candidate that is spelled most like a word, if one is close."""
    close = closest(word, candidates)
    return f' (did you mean "{close}"?)' if close else ""


def some_of(names: Collection[str], most: int = 20) -> str:
    """List what there is, where it may be hundreds: the first, and how many more."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(list(names)[:most])}{more}" or "none"


def as_entered(expected: str) -> str:
    """Write what a file needs as a form needs it: without quotes around texts."""
    return expected.replace("a text in quotes", "a text").replace(
        "a list of texts", "texts with commas between"
    )


def written(value: object) -> str:
    """Write a value for a person or a field: true, 8, 4k, one, two; "" for none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(map(written, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


_MOST_DIGITS = 40
"""Of a whole number that is refused: more of them say nothing."""


def plain(value: object) -> str:
    """Write any value of a file for the sentence that refuses it."""
    if isinstance(value, Mapping | list):
        return "a table" if isinstance(value, Mapping) else "a list"
    text = f'"{value}"' if isinstance(value, str) else written(value)
    is_long = isinstance(value, int) and len(text) > _MOST_DIGITS
    return f"a number of {len(text.lstrip('-'))} digits" if is_long else text


def _text(value: object) -> str | None:
    text = _lines(value)
    return text if text is not None and text.isprintable() else None


def _lines(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _number(value: object) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number of hundreds of digits
        return None
    return number if math.isfinite(number) else None


def _integer(value: object) -> int | None:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value if is_whole else None  # type: ignore[return-value]


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _texts(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list | tuple):
        return None
    is_good = all(isinstance(part, str) and part.strip() for part in value)
    return tuple(value) if is_good else None


# What is no text becomes "", which the parsers refuse as they refuse any other text.
def _size(value: object) -> int:
    return parse_size(value if isinstance(value, str | int) else "")


def _duration(value: object) -> float:
    return parse_duration(value if isinstance(value, str | int | float) else "")


_CONVERT: Mapping[Kind, Callable[[object], Value | None]] = {
    Kind.TEXT: _text,
    Kind.LINES: _lines,
    Kind.NUMBER: _number,
    Kind.INTEGER: _integer,
    Kind.SIZE: _size,
    Kind.DURATION: _duration,
    Kind.FLAG: _flag,
    Kind.CHOICE: _text,
    Kind.TEXTS: _texts,
    Kind.COMMAND: _lines,
}
