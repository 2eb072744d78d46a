"""Sensors that an SNMP device describes itself, by its entity tables (RFC 3433)."""

import math

from instruments.reading import Status
from instruments.thermal.sensor_values import location_of
from instruments.thermal.snmp.agent import Answer
from instruments.thermal.snmp.points import Agent, Point

# entPhySensorEntry (RFC 3433) and entPhysicalEntry (RFC 6933).
_SENSOR = "1.3.6.1.2.1.99.1.1.1"
_PHYSICAL = "1.3.6.1.2.1.47.1.1.1.1"
_TYPES = {
    3: ("voltage", "V"),
    4: ("voltage", "V"),
    5: ("current", "A"),
    6: ("power", "W"),
    7: ("frequency", "Hz"),
    8: ("temperature", "degC"),
    9: ("humidity", "%"),
    10: ("fan", "1/min"),
}
"""entPhySensorType; other, unknown, air flow and truth values are excluded."""

# EntitySensorDataScale: 9 is units, each step a factor of 1000 (RFC 3433).
_UNITS_SCALE = 9
_SCALES = {n: 3 * (n - _UNITS_SCALE) for n in range(1, 18)} | {14: 18, 15: 15}
"""The power of ten of each entPhysSensorScale; RFC 3433 has exa before peta."""

_PRECISIONS = range(-8, 10)
"""What RFC 3433 has of entPhysSensorPrecision."""

_WITHIN, _CLASS = f"{_PHYSICAL}.4", f"{_PHYSICAL}.5"
_PARTS = frozenset({6, 7, 10, 12, 14, 15})
"""entPhysicalClass: supply, fan, port, processor, battery, drive.

A module may be a part or nearly the whole device, so its sensors' names tell.
"""

# An entity may name itself as what it is contained in, and so make a ring.
_DEEPEST = 16

_STATES = {2: Status.ABSENT, 3: Status.ERROR}
"""entPhySensorOperStatus: 2 is unavailable, 3 is nonoperational."""


def find_entity_sensors(agent: Agent) -> list[Point]:
    """List the sensors of a device with their names.

    A reading is a whole number: its unit times 10 to the power of its scale, with
    `precision` decimals.

    Raises:
        SourceError: The device does not answer.
    """
    table = agent.walk(_SENSOR)
    rows = [oid.rsplit(".", 1)[1] for oid in table if oid.startswith(f"{_SENSOR}.1.")]
    # entPhysicalName (7) wins over entPhysicalDescr (2), which may be that of a model.
    names = agent.walk(f"{_PHYSICAL}.7") | agent.walk(f"{_PHYSICAL}.2")
    tree = agent.walk(_WITHIN) | agent.walk(_CLASS)
    points = []
    for row in rows:
        kind = table[f"{_SENSOR}.1.{row}"].number
        if kind not in _TYPES:
            continue
        quantity, unit = _TYPES[int(kind)]
        scale = _number(table, f"{_SENSOR}.2.{row}", _UNITS_SCALE)
        precision = _number(table, f"{_SENSOR}.3.{row}", 0)
        if scale not in _SCALES or precision not in _PRECISIONS:
            continue  # a number whose scale makes no sense says nothing
        label = next(
            (
                names[oid].text
                for oid in (f"{_PHYSICAL}.7.{row}", f"{_PHYSICAL}.2.{row}")
                if oid in names and names[oid].text
            ),
            f"sensor {row}",
        )
        points.append(
            Point(
                f"{_SENSOR}.4.{row}",
                quantity,
                unit,
                10.0 ** (_SCALES[scale] - precision),
                location_of(label, is_part=_is_in_part(tree, row)),
                "probe",
                # The ends of the range stand for under- and overflow.
                (-1_000_000_000.0, 1_000_000_000.0),
                {f"{_SENSOR}.5.{row}": _STATES},
            )
        )
    return points


def _is_in_part(tree: dict[str, Answer], row: str) -> bool:
    """Tell whether something that a sensor is contained in is a part of the device."""
    for _ in range(_DEEPEST):
        row = f"{_number(tree, f'{_WITHIN}.{row}', 0)}"
        if _number(tree, f"{_CLASS}.{row}", 0) in _PARTS:
            return True
    return False


def _number(table: dict[str, Answer], oid: str, default: int) -> int:
    number = table[oid].number if oid in table else None
    return int(number) if number is not None and math.isfinite(number) else default
