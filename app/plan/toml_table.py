"""One table of a TOML file: values with types, mistakes with line and key."""

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import NoReturn

from instruments.errors import BadInput, OptionError, Place, printed
from instruments.settings import Kind, Option, Value, closest, did_you_mean, plain
from instruments.sizes import parse_size


class TomlTable:
    """One table of a file; hands out values and knows where each one stands.

    Every key must be asked for: `finish` complains of those nobody knows.
    """

    def __init__(
        self,
        values: Mapping[str, object],
        file: str,
        place: str,
        lines: Callable[[], Mapping[str, int]],  # asked for where a mistake is
    ) -> None:
        self.values = values
        self.place = place
        self._file = file
        self._lines = lines
        self._known: set[str] = set()

    def fail(self, key: str, what: str, expected: str) -> NoReturn:
        """Raise BadInput for a key: what is wrong and what was expected."""
        full = f"{self.place}.{key}" if self.place and key else (key or self.place)
        lines = self._lines()
        within = [p for p in lines if full and p.startswith(f"{full}.")]
        places = (full, f"{full}#1", *within[:1], *_outwards(self.place))
        line = next((lines[p] for p in places if p in lines), 0)
        raise BadInput(what, where=Place(self._file, line, full), way_out=expected)

    def text(self, key: str, default: str | None = None) -> str:
        """Get a string; required where there is no default."""
        if default is not None and self.values.get(key) == default:
            self._known.add(key)
            return default
        return str(self.value(Option(key, "", Kind.LINES, default)))

    def number(
        self,
        key: str,
        default: float | None = None,
        *,
        low: float = 0.0,
        high: float = float("inf"),
    ) -> float:
        """Get a number between low and high."""
        option = Option(key, "", Kind.NUMBER, default, low=low, high=high)
        return float(self.value(option))  # type: ignore[arg-type]

    def integer(
        self,
        key: str,
        default: int | None = None,
        *,
        low: int = 0,
        high: float = float("inf"),
    ) -> int:
        """Get a whole number between low and high."""
        option = Option(key, "", Kind.INTEGER, default, low=low, high=high)
        return int(self.value(option))  # type: ignore[arg-type]

    def flag(self, key: str, default: bool) -> bool:
        """Get true or false."""
        return bool(self.value(Option(key, "", Kind.FLAG, default)))

    def duration(self, key: str, default: float | None = None) -> float:
        """Get a duration in seconds from "300s", "1h" or a number of seconds."""
        option = Option(key, "", Kind.DURATION, default)
        return float(self.value(option))  # type: ignore[arg-type]

    def size(self, key: str, example: str) -> int | None:
        """Get a size in bytes from "64g"; None where the key is missing."""
        if key not in self.values:
            return None
        text = self.text(key)
        try:
            return parse_size(text)
        except ValueError:
            self.fail(
                key, f'{key} is "{text}"', f'Expected a size such as "{example}".'
            )

    def name(self, default: str | None = None) -> str:
        """Get the name of this table, which stands in names of channels."""
        name = self.text("name", default)
        if not all(letter.isalnum() or letter in "-_" for letter in name):
            self.fail("name", f'name is "{name}"', "Expected letters, digits, - and _.")
        return name

    def check_host(self, key: str, name: str, hosts: Collection[str]) -> None:
        """Check that a [[host]] is one of the bench."""
        if name not in hosts:
            way_out = f"Available: {', '.join(hosts)}." if hosts else "Add a [[host]]."
            what = f'there is no host "{name}"{did_you_mean(name, hosts)}'
            self.fail(key, what, way_out)

    def choice(self, key: str, allowed: Sequence[str], default: str | None) -> str:
        """Get one of the allowed words."""
        option = Option(key, "", Kind.CHOICE, default, choices=tuple(allowed))
        return str(self.value(option))

    def value(self, option: Option) -> Value:
        """Get the value of an option; required where it has no default."""
        key = option.key
        self._known.add(key)
        if key not in self.values:
            if option.default is not None:
                return option.default
            meant = closest(key, self.values)
            hint = f' (is "{meant}" meant to be it?)' if meant else ""
            self.fail(key, f"{key} is missing{hint}", f"Expected {option.expected}.")
        try:
            return option.take(self.values[key])
        except OptionError as error:
            self.fail(key, error.what, error.way_out)

    def day(self, key: str) -> date | None:
        """Get a day from 2026-03-31, with or without quotes; None where left out."""
        self._known.add(key)
        value = self.values.get(key)
        # By its type: a moment of TOML, a datetime, is a date for isinstance, too.
        if value is None or type(value) is date:
            return value
        with contextlib.suppress(ValueError, TypeError):
            return date.fromisoformat(value)  # type: ignore[arg-type]
        return self._wrong(key, value, "a day such as 2026-03-31")

    def texts(self, key: str) -> list[str]:
        """Get a list of strings, empty where the key is missing."""
        value = self._take(key, [])
        if not isinstance(value, list):
            self._wrong(key, value, "a list of texts")
        for entry in value:
            if not isinstance(entry, str):
                what = f"{key} has {plain(entry)} in it"
                self.fail(key, what, "Expected texts in quotes.")
        return list(value)

    def items(self, key: str) -> list[object]:
        """Get a list of whatever is in it, empty where the key is missing."""
        value = self._take(key, [])
        if not isinstance(value, list):
            self._wrong(key, value, "a list")
        return list(value)

    def table(self, key: str) -> "TomlTable":
        """Get a sub-table, empty where the key is missing."""
        value = self._take(key, {})
        if not isinstance(value, dict):
            self._wrong(key, value, f"a table [{printed(self._path(key))}]")
        return TomlTable(value, self._file, self._path(key), self._lines)

    def tables(self, key: str) -> list["TomlTable"]:
        """Get the tables of a [[key]] list, empty where there is none."""
        expected = f"tables headed [[{key}]]"
        value = self._take(key, [])
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            self._wrong(key, value, expected)
        return [
            TomlTable(entry, self._file, f"{self._path(key)}#{number}", self._lines)
            for number, entry in enumerate(value, 1)
        ]

    @property
    def known(self) -> frozenset[str]:
        """The keys that were asked for so far."""
        return frozenset(self._known)

    def rest(self) -> dict[str, object]:
        """Get every key nobody has asked for yet; they count as known from here."""
        found = {k: v for k, v in self.values.items() if k not in self._known}
        self._known.update(found)
        return found

    def expect(self, *keys: str) -> None:
        """Complain of the first key that is none of these, before any is read."""
        self._known.update(keys)
        self.finish()

    def finish(self) -> None:
        """Complain of the first key that nobody asked for."""
        for key in self.values:
            if key not in self._known:
                names = sorted(self._known)
                expected = f"Available: {', '.join(names)}"
                self.fail(key, f"unknown key{did_you_mean(key, names)}", f"{expected}.")

    def _path(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key

    def _take(self, key: str, default: object) -> object:
        self._known.add(key)
        return self.values.get(key, default)

    def _wrong(self, key: str, value: object, expected: str) -> NoReturn:
        self.fail(key, f"{key} is {plain(value)}", f"Expected {expected}.")


def _outwards(place: str) -> Iterator[str]:
    """Yield a place and those around it: a table that is missing has no line."""
    while place:
        yield place
        place = place.rpartition(".")[0]
