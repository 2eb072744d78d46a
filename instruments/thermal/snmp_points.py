"""The values that one SNMP device really has, found once when it is opened."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from instruments.errors import BadInput, SourceError
from instruments.reading import Status
from instruments.thermal.sensor_values import judged, short_name
from instruments.thermal.snmp_agent import Answer
from instruments.thermal.snmp_profile import UNITS, Profile, ValueRule

_OWN = re.compile(
    r"\s*(?P<quantity>\w+)(?:\.(?P<location>[\w-]+))?\s*=\s*\.?(?P<oid>\d+(?:\.\d+)+)"
    r"(?:\s+(?P<unit>(?!missing\b|rate\b|[-+]\s)[^\s*]+))?"
    r"(?:\s*\*\s*(?P<factor>[-+.\deE]+))?"
    r"(?:\s+(?P<sign>[-+])\s+(?P<offset>[.\deE]+))?"
    r"(?:\s+missing\s+(?P<missing>[-+.\deE,]+))?(?P<rate>\s+rate)?\s*"
)
_KELVIN = "K"
_ZERO_C_IN_K = 273.15


class Agent(Protocol):
    """What is needed of a session here."""

    def get(self, oids: Sequence[str]) -> dict[str, Answer]:
        """Get values by identifier; raises SourceError."""
        ...

    def walk(self, column: str) -> dict[str, Answer]:
        """Get all values below an identifier; raises SourceError."""
        ...


@dataclass(frozen=True, slots=True)
class Point:
    """One value of one device.

    Attributes:
        oid: Where its number is.
        quantity: As in `Channel`.
        unit: As in `Channel`.
        factor: What the number is multiplied by.
        offset: What is added then.
        location: Its place.
        scope: As in `ValueRule`; "own" for what the bench names itself.
        missing: Numbers that mean "no value".
        state: Where its state is, "" where there is none.
        states: What a state means.
        rate: Whether it is a counter of which the growth a second is wanted.
    """

    oid: str
    quantity: str
    unit: str
    factor: float = 1.0
    location: str = ""
    scope: str = "own"
    missing: tuple[float, ...] = ()
    state: str = ""
    states: Mapping[int, Status] = field(default_factory=dict)
    rate: bool = False
    offset: float = 0.0

    def value(self, answers: Mapping[str, Answer]) -> tuple[float, Status]:
        """Judge what was answered; a rate still is the counter itself here."""
        answer = answers.get(self.oid, Answer(missing=True))
        if answer.missing:
            return math.nan, Status.ABSENT
        if answer.number is None or answer.number in self.missing:
            return math.nan, Status.NAN if answer.number is None else Status.ABSENT
        status = Status.OK
        if self.state:
            told = answers.get(self.state, Answer(missing=True)).number
            status = self.states.get(-1 if told is None else int(told), Status.OK)
        return judged(answer.number * self.factor + self.offset, status)


def own_points(lines: Sequence[str]) -> list[Point]:
    """Parse identifiers of a bench: "temperature.inlet = 1.3.6.1.4.1.9.1 degC * 0.1".

    The unit K makes degC of kelvins.

    Raises:
        BadInput: A line is not like that; `where` is the key.
    """
    return [_own_point(line) for line in lines]


def _own_point(line: str) -> Point:
    match = _OWN.fullmatch(line)
    unit = match["unit"] or "" if match else ""
    if match is None or (unit and unit not in (*UNITS, _KELVIN)):
        raise BadInput(
            f'oids has "{line}"',
            where="oids",
            way_out='Expected "quantity.location = 1.3.6.1.4.1.9.1.0 unit * factor '
            f'+ offset missing -1", with a unit of {", ".join(UNITS)}, K (becomes '
            'degC), or none; only the identifier is needed. "rate" at the end is for '
            "the growth of a counter.",
        )
    offset = _number("offset", f"{match['sign']}{match['offset']}", match["offset"])
    if unit == _KELVIN:
        unit, offset = "degC", offset - _ZERO_C_IN_K
    gone = match["missing"]
    return Point(
        match["oid"],
        match["quantity"],
        unit,
        _number("factor", match["factor"], match["factor"], 1.0),
        match["location"] or "",
        missing=tuple(_number("missing", n, n) for n in gone.split(","))
        if gone
        else (),
        rate=bool(match["rate"]),
        offset=offset,
    )


def _number(what: str, text: str, given: str | None, default: float = 0.0) -> float:
    """Read a number of `oids`; the default where it was not given."""
    if given is None:
        return default
    try:
        return float(text)
    except ValueError:
        raise BadInput(
            f'oids has the {what} "{text}"',
            where="oids",
            way_out="Expected a number such as 0.1.",
        ) from None


def find_points(
    agent: Agent, profile: Profile, scopes: Sequence[str], where: str
) -> list[Point]:
    """Find which values of a profile a device has.

    Raises:
        SourceError: The device does not answer, or is set in a way that is refused.
    """
    walked: dict[str, dict[str, Answer]] = {}
    points = []
    for rule in profile.values:
        if rule.scope in scopes:
            points += _rows(agent, rule, walked, where)
    return points


def _rows(
    agent: Agent,
    rule: ValueRule,
    walked: dict[str, dict[str, Answer]],
    where: str,
) -> list[Point]:
    rows = _indices(agent, rule.oid, walked)
    if not rows:
        return []
    _check_setting(agent, rule, where)
    facts = _facts(agent, rule, rows)
    points = []
    for row in rows:
        only = rule.only
        if only and facts[only[0].replace("{}", row)].number != only[1]:
            continue
        digits = facts[rule.digits.replace("{}", row)].number if rule.digits else 0
        label = facts[rule.label.replace("{}", row)].text if rule.label else ""
        location = rule.location.replace("{}", row)
        if not location and label:
            location = short_name(label)
        elif not location and (len(rows) > 1 or rule.scope == "probe"):
            location = f"{rule.scope}{row}"
        points.append(
            Point(
                rule.oid.replace("{}", row),
                rule.quantity,
                rule.unit,
                rule.factor / 10 ** (digits or 0),
                location,
                rule.scope,
                rule.missing,
                rule.state.replace("{}", row),
                rule.states,
                offset=rule.offset,
            )
        )
    return points


def _indices(agent: Agent, oid: str, walked: dict[str, dict[str, Answer]]) -> list[str]:
    """List the rows of a column; one of "" where the identifier has no row."""
    prefix, has_row, suffix = oid.partition("{}")
    if not has_row:
        return [] if agent.get([oid])[oid].missing else [""]
    column = prefix.rstrip(".")
    if column not in walked:
        walked[column] = agent.walk(column)
    pattern = re.compile(rf"{re.escape(prefix)}(\d+){re.escape(suffix)}")
    found = (pattern.fullmatch(name) for name in walked[column])
    return [match[1] for match in found if match]


def _facts(agent: Agent, rule: ValueRule, rows: Sequence[str]) -> dict[str, Answer]:
    """Get what is asked only once: names, decimals, kinds."""
    wanted = [rule.digits, rule.label, rule.only[0] if rule.only else ""]
    oids = [oid.replace("{}", row) for oid in wanted if oid for row in rows]
    return agent.get(oids) if oids else {}


def _check_setting(agent: Agent, rule: ValueRule, where: str) -> None:
    if rule.must is None:
        return
    oid, number, way_out = rule.must
    told = agent.get([oid])[oid]
    if told.number is not None and told.number != number:
        raise SourceError(
            f"{rule.quantity} is set to another unit ({told.shown} at {oid})",
            where=where,
            way_out=way_out,
        )
