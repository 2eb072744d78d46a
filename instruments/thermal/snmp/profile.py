"""What a kind of SNMP device has, from a text file: identifiers, units, scales."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

import platformdirs

import resources
from instruments.errors import BadInput, plain_words
from instruments.files.foreign_text import MISSHAPEN, parsed_toml, read_text
from instruments.reading import Status
from instruments.thermal.sensor_values import TO_CELSIUS

PLACEHOLDER = re.compile(r"\{(\w*)\}")
SCOPES = ("device", "phase", "outlet", "probe")
UNITS = (
    *("1/s", "B/s", "s", "W", "VA", "var", "V", "A", "Hz", "Wh", "degC", "1/min"),
    *("dB", "%", "Ah", "deg"),
)
"""Units that a value may have, besides none."""

SETTABLE = (*UNITS, *(unit for unit in TO_CELSIUS if unit != "degC"))
"""Units that may be written; those of temperature all become degC."""


@dataclass(frozen=True, slots=True)
class ValueRule:
    """One value, or one column of a table.

    "{}" in an identifier is its row, and such as "{unit}" is a further number that
    tells rows apart; all of these may be in every other text of the rule.

    Attributes:
        scope: What it belongs to: "device", "phase", "outlet" or "probe".
        quantity: What is measured, as in `Channel`.
        unit: Its unit, as in `Channel`.
        oid: Where its number is.
        factor: What the number is multiplied by to give the unit.
        offset: What is added then, such as -273.15 for kelvins.
        location: Its place; "{}" is the row.
        label: Where its name is; used where that is of a zone, or `location` is "".
        digits: Where the number of its decimals is.
        missing: Numbers that mean "no value".
        state: Where its state is, such as whether its probe is connected.
        states: What a state means; one that is not here is "ok".
        alarm: Where a second state is, such as that of its limits; the worse counts.
        alarms: What that one means.
        scale: Where the unit that the device is set to is.
        scales: The units of temperature by the numbers that are there.
        only: Rows count only where this identifier has this number.
        columns: Where further numbers of a row stand that its identifier does not
            have, such as that of its unit, by the names of their placeholders.
    """

    scope: str
    quantity: str
    unit: str
    oid: str
    factor: float = 1.0
    location: str = ""
    label: str = ""
    digits: str = ""
    missing: tuple[float, ...] = ()
    state: str = ""
    states: Mapping[int, Status] = field(default_factory=dict)
    alarm: str = ""
    alarms: Mapping[int, Status] = field(default_factory=dict)
    scale: str = ""
    scales: Mapping[int, str] = field(default_factory=dict)
    only: tuple[str, int] | None = None
    offset: float = 0.0
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SwitchRule:
    """How outlets are switched; "{}" in an identifier is the outlet.

    Attributes:
        state: Where the state is.
        is_on: Its numbers that mean on.
        is_off: Its numbers that mean off; any other is a transition.
        commands: For on and off: where to write which number.
    """

    state: str
    is_on: tuple[int, ...]
    is_off: tuple[int, ...]
    commands: Mapping[str, tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Profile:
    """A kind of device; maker, model, serial and firmware are identifiers or words.

    Attributes:
        first: The number of the first unit of a chain, whose places have no prefix.
    """

    name: str
    title: str
    maker: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""
    entity: bool = False
    first: int = 1
    values: tuple[ValueRule, ...] = ()
    switch: SwitchRule | None = None


def profile_names() -> tuple[str, ...]:
    """List the profiles that ship, and those in the user's folder `snmp`."""
    shipped = (entry.name for entry in files("resources").joinpath("snmp").iterdir())
    own = (path.name for path in _own_folder().glob("*.toml"))
    names = {name.removesuffix(".toml") for name in (*shipped, *own) if "." in name}
    return tuple(sorted(names))


def load_profile(name: str) -> Profile:
    """Read a profile; one of the user's comes before one that ships.

    Raises:
        BadInput: It has a mistake.
    """
    file = _own_folder() / f"{name}.toml"
    if file.exists():
        return read_profile(name, read_text(file))
    try:
        return read_profile(name, resources.read_text("snmp", f"{name}.toml"))
    except OSError as error:
        raise _mistake(name, plain_words(error)) from error


def read_profile(name: str, text: str) -> Profile:
    """Read the text of a profile; raises BadInput."""
    return parse_profile(name, parsed_toml(text, f"snmp/{name}.toml"))


def parse_profile(name: str, top: Mapping[str, Any]) -> Profile:
    """Check what a profile's file says.

    Raises:
        BadInput: A key is missing, unknown or wrong.
    """
    try:
        rest = dict(top)
        # Those of all values that say no others.
        states = rest.pop("states", {})
        values = tuple(_value({"states": states, **t}) for t in rest.pop("value", ()))
        switch = rest.pop("switch", None)
        return Profile(
            name=name,
            values=values,
            switch=None if switch is None else _switch(dict(switch)),
            **rest,
        )
    except MISSHAPEN as error:
        raise _mistake(name, plain_words(error)) from error


def _value(table: dict[str, Any]) -> ValueRule:
    if table["scope"] not in SCOPES:
        raise ValueError(f'scope is "{table["scope"]}", expected {", ".join(SCOPES)}')
    if table["unit"] not in ("", *SETTABLE):
        raise ValueError(f'unit is "{table["unit"]}", expected {", ".join(SETTABLE)}')
    scales = {int(number): unit for number, unit in table.pop("scales", {}).items()}
    if strange := sorted(set(scales.values()) - set(TO_CELSIUS)):
        raise ValueError(f"scales has {strange[0]}, expected {', '.join(TO_CELSIUS)}")
    only = table.pop("only", None)
    factor, offset = (
        float(table.pop(key, default))
        for key, default in (("factor", 1), ("offset", 0))
    )
    unit, factor, offset = in_celsius(table.pop("unit"), factor, offset)
    rule = ValueRule(
        unit=unit,
        factor=factor,
        offset=offset,
        missing=tuple(map(float, table.pop("missing", ()))),
        states=_meanings(table.pop("states", {})),
        alarms=_meanings(table.pop("alarms", {})),
        scales=scales,
        only=None if only is None else (only["oid"], only["equals"]),
        **table,
    )
    placeholders = PLACEHOLDER.findall(rule.oid)
    oids = (rule.label, rule.digits, rule.state, rule.alarm, rule.scale)
    # Here, where a sentence can name the profile, and not at the first reading.
    _check_names(rule, (rule.location,), (*placeholders, *rule.columns))
    _check_names(rule, (*oids, *rule.columns.values()), placeholders)
    _check_names(rule, (rule.only[0],) if rule.only else (), placeholders)
    return rule


def _check_names(
    rule: ValueRule, texts: Iterable[str], placeholders: Iterable[str]
) -> None:
    for text in texts:
        if strange := set(PLACEHOLDER.findall(text)).difference(placeholders):
            raise ValueError(f'"{{{min(strange)}}}" of {text} is not in {rule.oid}')


def in_celsius(unit: str, factor: float, offset: float) -> tuple[str, float, float]:
    """Make factor and offset of a unit of temperature those of degC."""
    if unit not in TO_CELSIUS:
        return unit, factor, offset
    times, plus = TO_CELSIUS[unit]
    return "degC", factor * times, offset * times + plus


def _meanings(words: Mapping[str, str]) -> dict[int, Status]:
    return {int(number): Status(word) for number, word in words.items()}


def _switch(table: dict[str, Any]) -> SwitchRule:
    state, on, off = table.pop("state"), table.pop("is_on"), table.pop("is_off")
    commands = {
        action: (str(command["oid"]), int(command["write"]))
        for action, command in table.items()
    }
    if commands.keys() != {"on", "off"}:
        raise ValueError("a switch has the tables on and off, and no other")
    return SwitchRule(state, _whole(on), _whole(off), commands)


def _whole(numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple(int(number) for number in numbers)


def _own_folder() -> Path:
    return platformdirs.user_config_path("bayscope", appauthor=False) / "snmp"


def _mistake(name: str, what: str) -> BadInput:
    return BadInput(
        f"the profile cannot be used ({what.rstrip('.')})",
        where=f"snmp/{name}.toml",
        way_out="Compare it with those that ship.",
    )
