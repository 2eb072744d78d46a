"""What a source or a switch does with one SNMP device while it is open."""

import math
from collections.abc import Sequence
from typing import Protocol

from instruments.reading import Identity, Status
from instruments.thermal.sensor_values import location_of
from instruments.thermal.snmp.agent import Answer, SnmpAgent
from instruments.thermal.snmp.points import Agent, Point, find_points
from instruments.thermal.snmp.profile import Profile

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
_SCALES = {n: 3 * (n - _UNITS_SCALE) for n in range(1, 18)} | {14: 18, 15: 15}
"""The power of ten of each entPhysSensorScale; RFC 3433 has exa before peta."""

_PRECISIONS = range(-8, 10)
"""What RFC 3433 has of entPhysSensorPrecision."""

_WITHIN, _CLASS = f"{_PHYSICAL}.4", f"{_PHYSICAL}.5"
_PARTS = frozenset({6, 7, 10, 12, 14, 15})
"""entPhysicalClass: supply, fan, port, processor, battery, drive.

A module may be a part or nearly the whole device, so its sensors' names tell.
"""

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
    told = table[oid].number if oid in table else None
    return int(told) if told is not None and math.isfinite(told) else default


_DESCRIPTION = "1.3.6.1.2.1.1.1.0"
_PRINTED = 60


class _Session(Protocol):
    def get(self, oids: Sequence[str]) -> dict[str, Answer]: ...

    def walk(self, column: str) -> dict[str, Answer]: ...

    def set_integer(self, oid: str, number: int) -> None: ...

    def close(self) -> None: ...


class SnmpLink:
    """An open device.

    Args:
        session: The conversation; closed with this.
    """

    def __init__(self, session: _Session) -> None:
        self._session = session

    def get(self, oids: Sequence[str]) -> dict[str, Answer]:
        """Get values by identifier; raises SourceError."""
        return self._session.get(oids)

    def set_integer(self, oid: str, number: int) -> None:
        """Write a whole number; raises SourceError."""
        self._session.set_integer(oid, number)

    def identify(self, profile: Profile | None, address: str) -> Identity:
        """Ask who it is; a device without a profile has its description only.

        Raises:
            SourceError: No answer, or the agent refuses.
        """
        wanted = ("", _DESCRIPTION, "", "")
        if profile is not None:
            wanted = (profile.maker, profile.model, profile.serial, profile.firmware)
        oids = [text for text in wanted if text.startswith("1.")]
        answers = self._session.get(oids or [_DESCRIPTION])
        maker, model, serial, firmware = (_text(text, answers) for text in wanted)
        return Identity(maker, model, serial, firmware, address)

    def find(
        self, profile: Profile, scopes: Sequence[str], units: Sequence[str]
    ) -> list[Point]:
        """List which values of a profile it has; raises SourceError."""
        points = find_points(self._session, profile, scopes, units)
        if profile.entity and "probe" in scopes:
            points += find_entity_sensors(self._session)
        return points

    def close(self) -> None:
        """End the conversation; may be called twice."""
        self._session.close()


def open_session(agent: SnmpAgent, where: str) -> SnmpLink:
    """Open a conversation; pysnmp is imported here, as it takes a while.

    Raises:
        SourceError: The address is none, or the account does not go together.
    """
    from instruments.thermal.snmp.session import SnmpSession  # noqa: PLC0415

    return SnmpLink(SnmpSession(agent, where))


def _text(text: str, answers: dict[str, Answer]) -> str:
    if not text.startswith("1."):
        return text
    answer = answers.get(text, Answer(missing=True))
    return "" if answer.missing else " ".join(answer.shown.split())[:_PRINTED]
