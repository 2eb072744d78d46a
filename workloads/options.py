"""What an engine may be told in its own table of a step: keys, types and limits."""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from instruments.errors import OptionError
from workloads.sizes import describe_size, parse_size


class OptionKind(StrEnum):
    """What the value of an option is; the plan holds every value as text."""

    SIZE = "a size such as 64k or 1m"
    COUNT = "a whole number"
    NUMBER = "a number"
    FLAG = "true or false"
    TEXT = "a text"
    CHOICE = "one of a few words"


@dataclass(frozen=True, slots=True)
class EngineOption:
    """One option of an engine.

    Attributes:
        key: Its name, spelled as the engine spells it.
        kind: What its value is.
        default: The value where it is left out; "" where there is none.
        help: What it does, in half a sentence.
        low: Smallest value of a number or size.
        high: Largest value of a number or size.
        choices: The words of a CHOICE.
        required: Whether it has to be there.
    """

    key: str
    kind: OptionKind
    default: str = ""
    help: str = ""
    low: float = 0
    high: float = 2**53
    choices: tuple[str, ...] = ()
    required: bool = False


class Options:
    """The options of one step, with defaults filled in and every value checked.

    Args:
        engine: Name of the engine, for errors.
        known: Every option that it has.
        given: What the plan says.
        ours: Options of the engine that Bayscope sets, and what to do instead.

    Raises:
        OptionError: A key is unknown or set by Bayscope, or a value is wrong.
    """

    def __init__(
        self,
        engine: str,
        known: Sequence[EngineOption],
        given: Mapping[str, str],
        ours: Mapping[str, str] | None = None,
    ) -> None:
        self._known = {option.key: option for option in known}
        for key in given:
            if key in (ours or {}):
                raise OptionError(
                    key, "this option belongs to Bayscope", f"{(ours or {})[key]}."
                )
            if key not in self._known:
                near = difflib.get_close_matches(key, self._known, n=1)
                hint = f' (is "{near[0]}" meant?)' if near else ""
                raise OptionError(
                    key,
                    f"{engine} has no such option here{hint}",
                    f"Known here: {', '.join(sorted(self._known))}.",
                )
        for option in known:
            if option.required and not given.get(option.key, "").strip():
                raise OptionError(
                    option.key,
                    f"{option.key} is missing",
                    f"Expected {option.kind}: {option.help}.",
                )
        self._given = dict(given)
        for option in known:
            if option.key in given or option.default:
                self._check(option)

    def __contains__(self, key: str) -> bool:
        return key in self._given

    def text(self, key: str) -> str:
        """Get a text as it was given, or the default."""
        return self._given.get(key, self._known[key].default).strip()

    def size(self, key: str) -> int:
        """Get a size in bytes."""
        return parse_size(self.text(key))

    def count(self, key: str) -> int:
        """Get a whole number."""
        return int(self.text(key))

    def number(self, key: str) -> float:
        """Get a number."""
        return float(self.text(key))

    def flag(self, key: str) -> bool:
        """Get true or false."""
        return self.text(key) in ("1", "true", "yes")

    def fail(self, key: str, what: str, way_out: str) -> OptionError:
        """Make the error of an option."""
        return OptionError(key, what, way_out)

    def _check(self, option: EngineOption) -> None:
        text = self.text(option.key)
        value: float | None = None
        try:
            if option.kind is OptionKind.SIZE:
                value = parse_size(text)
            elif option.kind is OptionKind.COUNT:
                value = int(text)
            elif option.kind is OptionKind.NUMBER:
                value = float(text)
        except ValueError:
            raise self._wrong(option, text, str(option.kind)) from None
        if option.kind is OptionKind.FLAG and text not in _FLAGS:
            raise self._wrong(option, text, str(option.kind))
        if option.kind is OptionKind.CHOICE and text not in option.choices:
            raise self._wrong(option, text, f"one of {', '.join(option.choices)}")
        if option.kind is OptionKind.TEXT and not text.isprintable():
            raise self._wrong(option, "more than one line", "a text on one line")
        if value is not None and not option.low <= value <= option.high:
            show = describe_size if option.kind is OptionKind.SIZE else "{:g}".format
            limits = f"{show(option.low)} to {show(option.high)}"
            raise self._wrong(option, text, f"{option.kind} from {limits}")

    def _wrong(self, option: EngineOption, text: str, expected: str) -> OptionError:
        return OptionError(
            option.key, f"{option.key} is {text or 'empty'}", f"Expected {expected}."
        )


_FLAGS = ("0", "1", "true", "false", "yes", "no")
