"""What a calculator is: inputs, outputs with formulas, and what works them out."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from instruments.errors import OptionError
from instruments.settings import Option, Settings, Value, complete

Values = Mapping[str, float | None]
"""Outputs by their keys; None for what does not follow from what was given."""

TB, TIB = 1e12, 2.0**40
"""Bytes."""


@dataclass(frozen=True, slots=True)
class Output:
    """One figure of an answer."""

    key: str  # as `--json` names it
    title: str
    unit: str = ""
    formula: str = ""  # how it is made, in words of the inputs
    source: str = ""  # where the formula or its constants come from
    is_limit: bool = False  # whether what is below it is on the safe side


@dataclass(frozen=True, slots=True)
class Course:
    """A line of a chart."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """What an answer looks like over one of its inputs.

    Attributes:
        across: What runs to the right, with its unit.
        up: What runs upwards, with its unit.
        courses: The lines.
        is_log: Whether what runs to the right is drawn by its logarithm.
    """

    across: str
    up: str
    courses: tuple[Course, ...]
    is_log: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What a calculator worked out."""

    values: Values
    notes: tuple[str, ...] = ()  # what is to be known of it, as sentences
    chart: Chart | None = None


@dataclass(frozen=True, slots=True)
class Calculator:
    """One calculator.

    Attributes:
        word: What the command line calls it.
        title: What a form calls it.
        about: What it answers, in one sentence.
        options: Its inputs.
        outputs: What it may answer, in order.
        work: Works it out; raises OptionError for inputs that do not go together.
        takes: Inputs that a session can give: names of results of a row, of the row at
            rest ("idle."), of the bench's device ("dut.") or of its costs ("cost.").
        only: Inputs that count only where another one, named first, has one of the
            values that follow; a form shows them then alone.
    """

    word: str
    title: str
    about: str
    options: tuple[Option, ...]
    outputs: tuple[Output, ...]
    work: Callable[[Settings], Answer]
    takes: Mapping[str, str] = field(default_factory=dict)
    only: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)

    def answer(self, given: Mapping[str, object]) -> Answer:
        """Work it out.

        Args:
            given: Inputs by key; what is left out has its default.

        Raises:
            OptionError: An input is unknown, missing or wrong, or does not go together
                with another one.
        """
        settings = Settings(self.word, complete(self.options, given, ()))
        try:
            answer = self.work(settings)
        except (OverflowError, ZeroDivisionError):
            raise OptionError(
                self.options[0].key,
                "these numbers are too large or too small to calculate with",
                "Enter others.",
            ) from None
        return replace(answer, notes=(*answer.notes, *self._unused(given)))

    def _unused(self, given: Mapping[str, object]) -> Iterator[str]:
        """Say which inputs were given for nothing."""
        for option in self.options:
            if option.key in given and not self.counts(option.key, given):
                by, where = self.only[option.key]
                words = ", ".join(where)
                yield f"{option.title}: not used, as it counts for {by} {words} alone."

    def counts(self, key: str, given: Mapping[str, object]) -> bool:
        """Tell whether an input has a part in the answer to these."""
        by, where = self.only.get(key, ("", ()))
        default = {one.key: one.default for one in self.options}.get(by)
        return not by or given.get(by, default) in where

    def taken(self, facts: Mapping[str, object]) -> dict[str, Value]:
        """Get the inputs that a session gives, as far as they are what is expected.

        Args:
            facts: By the names that `takes` has.
        """
        values = {}
        for option in self.options:
            value = facts.get(self.takes.get(option.key, ""))
            if value not in (None, "", 0):
                values[option.key] = option.take(value)
        return values

    def outputs_of(self, given: Mapping[str, object]) -> tuple[Output, ...]:
        """Get the outputs, with the currency that was given in their units."""
        default = {one.key: one.default for one in self.options}.get("currency", "")
        currency = str(given.get("currency", default))
        return tuple(
            replace(one, unit=one.unit.replace("currency", currency))
            for one in self.outputs
        )


def figure(value: float | None) -> str:
    """Write a figure as it is shown: six significant digits."""
    if value is None:
        return ""
    text = f"{value:.6g}"
    return f"{value:.0f}" if "e+" in text and abs(value) < 1e15 else text


def wrong(key: str, what: str, expected: str) -> OptionError:
    """Make the error of an input that does not go together with the others."""
    return OptionError(key, what, expected)


def numbered(text: str, key: str) -> dict[float, float]:
    """Read pairs such as "4:320, 8:416", none of them negative.

    Raises:
        OptionError: They are none.
    """
    pairs: dict[float, float] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        first, _, second = part.partition(":")
        try:
            pair = float(first), float(second)
        except ValueError:
            pair = math.nan, math.nan
        if not (0 <= pair[1] < math.inf and 0 < pair[0] < math.inf):
            raise wrong(
                key,
                f'{key} has "{part}" in it',
                'Expected pairs such as "4:320, 8:416", none of them negative.',
            )
        if pair[0] in pairs:
            raise wrong(key, f"{key} has {first.strip()} twice", "Give each size once.")
        pairs[pair[0]] = pair[1]
    return pairs
