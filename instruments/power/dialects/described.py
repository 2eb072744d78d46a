"""A power meter that is known by a description only: what to ask, where values are."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from instruments.driver import Driver
from instruments.errors import BadInput
from instruments.link.scpi import Scpi
from instruments.power.options import RESOURCE, STALE_AFTER
from instruments.power.points import Point, Sample, Timing
from instruments.power.polled import PolledMeter
from instruments.power.scpi_values import parse_value
from instruments.reading import Identity, Judged, Status
from instruments.settings import Kind, Option, Settings

MOST_ANSWER = 128
"""Characters of an answer that is compared with an expression; *IDN? has 72 at most
(IEEE 488.2, 10.14)."""

_NAMED = re.compile(r"([^\s=:]+)[\s=:]+(.*)")
"""A value with its name before it: "U +110.14E+0", "U=110.14" or "U: 110.14"."""


@dataclass(frozen=True, slots=True)
class Field:
    """Where one value is found.

    Attributes:
        ask: The question whose answer has it.
        point: What it is.
        position: Its place in the answer, from 1 on; 0 where it has a name.
        name: Its name in the answer; "" where it has a position.
        scale: What makes it the unit of the point, such as 1/3600 for J to Wh.
    """

    ask: str
    point: Point
    position: int = 0
    name: str = ""
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class Description:
    """All that is known of a meter.

    Attributes:
        title: Maker and model, for a person.
        idn: Expression that the whole answer to *IDN? matches, whatever its case.
        timing: Its beat.
        fields: What is read.
        setup: Commands after connecting.
        acknowledged: Whether an empty line answers each command.
        checks: Questions after that, and the expressions that their answers match.
        restart: Commands that integrate energy from zero.
        release: Commands before letting go.
        line_end: What a line needs before its line feed.
        separator: What parts the values of an answer.
        nan: What stands for "no value"; numbers are compared as numbers.
        overrange: What stands for "over range".
    """

    title: str
    idn: str
    timing: Timing
    fields: tuple[Field, ...]
    setup: tuple[str, ...] = ()
    acknowledged: bool = False
    checks: tuple[tuple[str, str], ...] = ()
    restart: tuple[str, ...] = ()
    release: tuple[str, ...] = ()
    line_end: str = ""
    separator: str = ","
    nan: tuple[str, ...] = ()
    overrange: tuple[str, ...] = ()


class Described:
    """The dialect of a description.

    Args:
        description: What the meter is like.
    """

    def __init__(self, description: Description) -> None:
        self.points: Sequence[Point] = [field.point for field in description.fields]
        self._description = description
        self._asks = tuple(dict.fromkeys(field.ask for field in description.fields))

    def identify(self, scpi: Scpi, address: str) -> Identity:
        """Identify the meter; see `Dialect`."""
        answer = scpi.ask("*IDN?")
        if not _fits(self._description.idn, answer):
            title = self._description.title
            raise scpi.refuse(
                f'"{answer[:60]}" answers there instead of the expected {title}'
            )
        fields = [field.strip() for field in answer.split(",")]
        fields += [""] * (4 - len(fields))
        # A meter whose *IDN? is not of four fields is known by what there is of them.
        maker, model, serial = fields[:3]
        simulated = serial.startswith("SIM")
        firmware = " ".join(fields[3:]).strip()
        return Identity(maker, model, serial, firmware, address, simulated)

    def integrates(self, scpi: Scpi) -> bool:  # noqa: ARG002
        """Tell that this is not known; see `Dialect`."""
        return False

    def set_up(self, scpi: Scpi) -> None:
        """Send the setup, and make sure of it; see `Dialect`."""
        self._send(scpi, self._description.setup)
        for question, expected in self._description.checks:
            answer = scpi.ask(question)
            if not _fits(expected, answer):
                raise scpi.refuse(f'{question} is "{answer[:60]}", not {expected}')

    def begin_step(self, scpi: Scpi, label: str) -> None:  # noqa: ARG002
        """Send what integrates energy from zero; see `Dialect`."""
        self._send(scpi, self._description.restart)

    def sample(self, scpi: Scpi) -> Sample:
        """Ask question after question; see `Dialect`."""
        answers = {ask: scpi.ask(ask) for ask in self._asks}
        parts = {ask: self._split(scpi, ask, answers[ask]) for ask in self._asks}
        values = [self._value(scpi, field, parts[field.ask]) for field in self._fields]
        return Sample(values, "\n".join(answers.values()))

    def release(self, scpi: Scpi) -> None:
        """Send what lets go of it; see `Dialect`."""
        self._send(scpi, self._description.release)

    @property
    def _fields(self) -> tuple[Field, ...]:
        return self._description.fields

    def _send(self, scpi: Scpi, commands: Sequence[str]) -> None:
        for command in commands:
            if not self._description.acknowledged:
                scpi.write(command)
            elif answer := scpi.ask(command):
                raise scpi.refuse(f'"{answer[:60]}" came as the answer to {command}')

    def _split(self, scpi: Scpi, ask: str, answer: str) -> list[str]:
        """Part an answer, which has as many values as its last position says."""
        parts = [part.strip() for part in answer.split(self._description.separator)]
        last = max(field.position for field in self._fields if field.ask == ask)
        if last and len(parts) != last:
            raise scpi.refuse(
                f'{len(parts)} values came where {last} were expected ("{answer[:60]}")'
            )
        return parts

    def _value(self, scpi: Scpi, field: Field, parts: Sequence[str]) -> Judged:
        if field.position:
            text = parts[field.position - 1]
        else:
            pairs = (_NAMED.fullmatch(part) for part in parts)
            named = {pair[1]: pair[2] for pair in pairs if pair}
            if field.name not in named:
                shown = self._description.separator.join(parts)
                raise scpi.refuse(f'no "{field.name}" is in "{shown[:60]}"')
            text = named[field.name]
        if _is_one_of(text, self._description.nan):
            return math.nan, Status.NAN
        if _is_one_of(text, self._description.overrange):
            return math.nan, Status.OVERRANGE
        value, status = parse_value(text, scpi.where)
        return value * field.scale, status


def _fits(expression: str, answer: str) -> bool:
    # The expression is somebody's own, and may take for ever with a long text.
    is_short = len(answer) <= MOST_ANSWER
    return is_short and bool(re.fullmatch(expression, answer, re.IGNORECASE))


def _is_one_of(text: str, tokens: Sequence[str]) -> bool:
    number = _number(text)
    return any(
        text.upper() == token.upper()
        or (number is not None and number == _number(token))
        for token in tokens
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def described_driver(meters: Mapping[str, Description | BadInput]) -> Driver:
    """Make the driver that offers some descriptions.

    Args:
        meters: Each description by its name; a mistake in place of one that has one,
            so that nobody looks in vain for a meter that is excluded.
    """

    def build(settings: Settings) -> PolledMeter:
        meter = settings.text("meter")
        known = meters[meter]
        if isinstance(known, BadInput):
            raise BadInput(
                f'the description of "{meter}" has a mistake, {known.where}: '
                f"{known.what}",
                where="meter",
                way_out=known.way_out,
            )
        dialect, end = Described(known), known.line_end
        return PolledMeter(settings, "described", dialect, known.timing, line_end=end)

    return Driver(
        "power",
        "described",
        "A meter described in a file of yours",
        (
            Option(
                "meter",
                "Name of the description: its file without .toml.",
                Kind.CHOICE,
                required=True,
                choices=tuple(meters),
            ),
            RESOURCE,
            STALE_AFTER,
        ),
        build,
    )
