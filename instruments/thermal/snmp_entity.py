"""Sensors that tell their type, scale and precision: ENTITY-SENSOR-MIB (RFC 3433)."""

from instruments.reading import Status
from instruments.thermal.sensor_values import location_of
from instruments.thermal.snmp_agent import Answer
from instruments.thermal.snmp_points import Agent, Point

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
"""entPhySensorType; other, unknown, air flow and truth values are left out."""

_UNITS_SCALE = 9
_SCALES, _PRECISIONS = range(1, 18), range(-8, 10)
"""What RFC 3433 has of entPhySensorScale and entPhySensorPrecision."""

_STATES = {2: Status.ABSENT, 3: Status.ERROR}
"""entPhySensorOperStatus: 2 is unavailable, 3 is nonoperational."""


def find_entity_sensors(agent: Agent) -> list[Point]:
    """List the sensors of a device with their names.

    A reading is a whole number: its unit times 10 to the power of three times the
    distance of the scale from "units", with `precision` decimals.

    Raises:
        SourceError: The device does not answer.
    """
    table = agent.walk(_SENSOR)
    rows = [oid.rsplit(".", 1)[1] for oid in table if oid.startswith(f"{_SENSOR}.1.")]
    names = agent.walk(f"{_PHYSICAL}.7") | agent.walk(f"{_PHYSICAL}.2")
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
                10.0 ** (3 * (scale - _UNITS_SCALE) - precision),
                location_of(label),
                "probe",
                # The ends of the range stand for under- and overflow.
                (-1_000_000_000.0, 1_000_000_000.0),
                {f"{_SENSOR}.5.{row}": _STATES},
            )
        )
    return points


def _number(table: dict[str, Answer], oid: str, default: int) -> int:
    found = table.get(oid)
    return default if found is None or found.number is None else int(found.number)
