"""The values that an SNMP device has, found when it is opened."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from instruments.errors import BadInput
from instruments.reading import Judged, Status
from instruments.thermal.sensor_values import TO_CELSIUS, ZONES, judged, location_of
from instruments.thermal.snmp.agent import Answer
from instruments.thermal.snmp.profile import (
    PLACEHOLDER,
    SETTABLE,
    Profile,
    ValueRule,
    in_celsius,
)

# quantity.location = identifier unit * factor + offset missing numbers rate; all but
# quantity and identifier may be omitted. A word after the identifier is its unit unless
# it begins one of the parts that follow.
_OWN = re.compile(
    r"\s*(?P<quantity>\w+)(?:\.(?P<location>[\w-]+))?\s*=\s*\.?(?P<oid>\d+(?:\.\d+)+)"
    r"(?:\s+(?P<unit>(?!missing\b|rate\b|[-+]\s)[^\s*]+))?"
    r"(?:\s*\*\s*(?P<factor>[-+.\deE]+))?"
    r"(?:\s+(?P<sign>[-+])\s+(?P<offset>[.\deE]+))?"
    r"(?:\s+missing\s+(?P<missing>[-+.\deE,]+))?(?P<rate>\s+rate)?\s*"
)
_MOST_DIGITS = 9  # where the precision of RFC 3433 ends, too


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
        states: What the states mean that say what it is worth, by their identifiers;
            the worst counts.
        scale: Where the unit of temperature is that the device is set to; "" where it
            has only one.
        scales: Units by the numbers that are there.
        rate: Whether it is a counter of which the growth a second is wanted.
        member: Number of its unit in a chain; "" where the device has none.
    """

    oid: str
    quantity: str
    unit: str
    factor: float = 1.0
    location: str = ""
    scope: str = "own"
    missing: tuple[float, ...] = ()
    states: Mapping[str, Mapping[int, Status]] = field(default_factory=dict)
    scale: str = ""
    scales: Mapping[int, str] = field(default_factory=dict)
    rate: bool = False
    offset: float = 0.0
    member: str = ""

    @property
    def oids(self) -> tuple[str, ...]:
        """All identifiers that are asked for its value."""
        return tuple(filter(None, (self.oid, *self.states, self.scale)))

    def value(self, answers: Mapping[str, Answer]) -> Judged:
        """Judge what was answered; a rate still is the counter itself here."""
        answer = answers.get(self.oid, Answer(missing=True))
        if answer.missing:
            return math.nan, Status.ABSENT
        if answer.number is None or answer.number in self.missing:
            return math.nan, Status.NAN if answer.number is None else Status.ABSENT
        codes = ((_code(answers.get(oid)), m) for oid, m in self.states.items())
        statuses = [m.get(code, Status.OK) for code, m in codes if code is not None]
        status = max(statuses, key=_RANK.get, default=Status.OK)  # type: ignore[arg-type]
        number = answer.number * self.factor + self.offset
        code = _code(answers.get(self.scale))
        if code is not None:  # without one it is in the unit of the profile
            if code not in self.scales:
                return judged(None, Status.UNSUPPORTED)
            times, plus = TO_CELSIUS[self.scales[code]]
            number = number * times + plus
        return judged(number, status)


# Warnings rank below what is not a value at all.
_RANK = {
    status: {Status.OK: 0, Status.WARN: 1, Status.CRIT: 2}.get(status, 3)
    for status in Status
}


def _code(answer: Answer | None) -> int | None:
    """Get the number of an enumeration; None where there is none."""
    number = None if answer is None else answer.number
    return None if number is None or not math.isfinite(number) else int(number)


def own_points(lines: Sequence[str]) -> list[Point]:
    """Parse identifiers of a bench: "temperature.inlet = 1.3.6.1.4.1.9.1 degC * 0.1".

    The units K and degF make degC.

    Raises:
        BadInput: A line is not like that; `where` is the key.
    """
    return [_own_point(line) for line in lines]


def _own_point(line: str) -> Point:
    match = _OWN.fullmatch(line)
    unit = match["unit"] or "" if match else ""
    if match is None or (unit and unit not in SETTABLE):
        raise BadInput(
            f'oids has "{line}"',
            where="oids",
            way_out='Expected "quantity.location = 1.3.6.1.4.1.9.1.0 unit * factor '
            f'+ offset missing -1", with a unit of {", ".join(SETTABLE)} (degF and K '
            'become degC), or none; only the identifier is needed. "rate" at the end '
            "is for the growth of a counter.",
        )
    offset = _number("offset", f"{match['sign']}{match['offset']}", match["offset"])
    factor = _number("factor", match["factor"], match["factor"], 1.0)
    unit, factor, offset = in_celsius(unit, factor, offset)
    missing_numbers = match["missing"]
    return Point(
        match["oid"],
        match["quantity"],
        unit,
        factor,
        match["location"] or "",
        missing=tuple(_number("missing", n, n) for n in missing_numbers.split(","))
        if missing_numbers
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
    agent: Agent, profile: Profile, scopes: Sequence[str], units: Sequence[str] = ()
) -> list[Point]:
    """Find which values of a profile a device has, in all units of a chain.

    Args:
        agent: The device.
        profile: What it may have.
        scopes: Which of it is wanted.
        units: Numbers of the units that count; empty for all.

    Raises:
        SourceError: The device does not answer.
    """
    walked: dict[str, dict[str, Answer]] = {}
    points = []
    for rule in profile.values:
        if rule.scope in scopes:
            rows = [
                row
                for row in _numbered(agent, rule, _find_rows(agent, rule.oid, walked))
                if not units or row.get("unit", units[0]) in units
            ]
            points += _points(agent, rule, rows, profile.first)
    return points


_Row = Mapping[str, str]
"""Numbers by the names of the placeholders that they stand for."""


def _points(
    agent: Agent, rule: ValueRule, rows: Sequence[_Row], first: int
) -> list[Point]:
    facts = _facts(agent, rule, rows)
    points = []
    for row in rows:
        only = rule.only
        if only and facts[_fill(only[0], row)].number != only[1]:
            continue
        label = facts[_fill(rule.label, row)].text if rule.label else ""
        # Of a device with one outlet or one phase nobody wants to read its number.
        location = _location(rule, row, label, first, is_alone=len(rows) == 1)
        states = ((rule.state, rule.states), (rule.alarm, rule.alarms))
        points.append(
            Point(
                _fill(rule.oid, row),
                rule.quantity,
                rule.unit,
                rule.factor * _decimals(rule, row, facts),
                location,
                rule.scope,
                rule.missing,
                {_fill(oid, row): meaning for oid, meaning in states if oid},
                _fill(rule.scale, row),
                rule.scales,
                offset=rule.offset,
                member=row.get("unit", ""),
            )
        )
    return points


def _location(
    rule: ValueRule, row: _Row, label: str, first: int, *, is_alone: bool
) -> str:
    """Name the place of a value: by its zone, by its rule, or by its row."""
    location = _fill(rule.location, row)
    named = location_of(label) if label else ""
    if named in ZONES or (named and not location):
        return named
    if not location:
        if is_alone and rule.scope != "probe":
            return ""
        location = f"{rule.scope}{row.get('', '')}"
    return f"{_prefix(rule, row, first)}{location}"


def _prefix(rule: ValueRule, row: _Row, first: int) -> str:
    """Name the numbers of a row that its rule does not place, such as "unit2-".

    The first unit, and whatever is number 1, goes without: most devices are alone, and
    a chain that grows must not rename what was there.
    """
    return "".join(
        f"{name}{number}-"
        for name, number in row.items()
        if name
        and f"{{{name}}}" not in rule.location
        and number != (f"{first}" if name == "unit" else "1")
    )


def _numbered(agent: Agent, rule: ValueRule, rows: list[_Row]) -> list[_Row]:
    """Add the numbers that columns have; a unit without one is excluded."""
    oids = [_fill(oid, row) for row in rows for oid in rule.columns.values()]
    if not oids:
        return rows
    answers = agent.get(oids)
    numbered: list[_Row] = []
    for row in rows:
        numbers = dict(row)
        for name, oid in rule.columns.items():
            code = _code(answers.get(_fill(oid, row)))
            if code is not None:
                numbers[name] = f"{code}"
            elif name != "unit":
                numbers[name] = row.get("", "")
        numbered.append(numbers)
    return numbered


def _decimals(rule: ValueRule, row: _Row, facts: Mapping[str, Answer]) -> float:
    """Get the factor of its decimals; NaN where the device does not tell them."""
    if not rule.digits:
        return 1.0
    digits = _code(facts[_fill(rule.digits, row)])
    if digits is None or abs(digits) > _MOST_DIGITS:
        return math.nan
    return 10.0**-digits


def _find_rows(
    agent: Agent, oid: str, walked: dict[str, dict[str, Answer]]
) -> list[_Row]:
    """List the rows of a column; one without numbers where it is not a column."""
    names = PLACEHOLDER.findall(oid)
    if not names:
        return [] if agent.get([oid])[oid].missing else [{}]
    column = oid.partition("{")[0].rstrip(".")
    if column not in walked:  # several rules may name one table
        walked[column] = agent.walk(column)
    pattern = re.compile(PLACEHOLDER.sub(r"(\\d+)", oid.replace(".", r"\.")))
    matches = (pattern.fullmatch(name) for name in walked[column])
    return [dict(zip(names, match.groups(), strict=True)) for match in matches if match]


def _fill(text: str, row: _Row) -> str:
    """Put the numbers of a row into a text; raises KeyError for one it has not."""
    return PLACEHOLDER.sub(lambda match: row[match[1]], text)


def _facts(agent: Agent, rule: ValueRule, rows: Sequence[_Row]) -> dict[str, Answer]:
    """Get what is asked only once: names, decimals, kinds."""
    wanted = [rule.digits, rule.label, rule.only[0] if rule.only else ""]
    oids = [_fill(oid, row) for oid in wanted if oid for row in rows]
    return agent.get(oids) if oids else {}
