"""One SNMP device as a source: its values are found once, then polled."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from instruments.base import Linked
from instruments.errors import SourceError
from instruments.reading import SECOND, Channel, Identity, Judged, Reading, Status
from instruments.settings import Settings
from instruments.thermal.sensor_values import (
    SensorValue,
    location_of,
    make_channels,
    make_reading,
)
from instruments.thermal.snmp.agent import Answer, SnmpAgent, agent_of, open_session
from instruments.thermal.snmp.points import Agent, Point, find_points
from instruments.thermal.snmp.profile import Profile
from instruments.timebase import monotonic_ns

if TYPE_CHECKING:
    from instruments.thermal.snmp.session import SnmpSession

_THERMAL_NAMES = {
    "P": "power",
    "S": "apparent_power",
    "U": "voltage",
    "I": "current",
    "f": "frequency",
    "Wh": "energy",
}
"""In a thermal source, so that an outlet's watts are not summed with a meter's."""


class Snmp(Linked["SnmpSession"]):
    """One device as a source of section "thermal" or "power".

    Args:
        settings: Name, options of `OPTIONS`, and period.
        section: "thermal" or "power".
        profile: What the device has; None where the bench says it.
        own: What the bench names itself.
        connect: Opens a conversation; raises SourceError.
        clock: Gives monotonic nanoseconds.
    """

    driver = "snmp"

    def __init__(
        self,
        settings: Settings,
        section: str,
        profile: Profile | None,
        own: Sequence[Point],
        *,
        connect: "Callable[[SnmpAgent, str], SnmpSession]" = open_session,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        self._address = f"{settings.text('address')}:{settings.integer('port')}"
        super().__init__(f"{settings.name} ({self._address})")
        self.name = settings.name
        self.section = section
        self.period_s = settings.number("period")
        self._settings = settings
        self._profile = profile
        self._own = own
        self._connect = connect
        self._clock = clock
        self._points: tuple[Point, ...] = ()
        self.channels: tuple[Channel, ...] = ()
        self._counters: dict[str, tuple[float, int]] = {}

    def open(self) -> Identity:
        """Ask the device who it is and which values it has.

        Raises:
            SourceError: Not reached, not let in, or it has none of the values.
        """
        self.close()
        agent = agent_of(self._settings, self._where)
        with self._opening(self._connect(agent, self._where)) as link:
            identity = link.identify(self._profile, self._address)
            points = tuple(self._find(link))
        if points != self._points:
            self._points = points
            channels = make_channels(self.name, map(_shell, points), self.period_s)
            self.channels = tuple(channels.values())
        return identity

    def read(self) -> Reading:
        """Get all values in as few questions as the agent allows.

        Raises:
            SourceError: No answer, or the agent refuses.
        """
        link = self._opened()
        oids = dict.fromkeys(oid for point in self._points for oid in point.oids)
        start = self._clock()
        answers = link.get(list(oids))
        end = self._clock()
        values = {
            point.oid: self._judge(point, answers, (start + end) // 2)
            for point in self._points
        }
        raw = "\n".join(f"{oid} = {a.shown}" for oid, a in answers.items()).encode()
        keys = [point.oid for point in self._points]
        return make_reading(self.channels, keys, values, (start, end), raw)

    def close(self) -> None:
        """End the conversation; may be called twice."""
        self._counters.clear()
        super().close()

    def _find(self, link: "SnmpSession") -> list[Point]:
        outlets = self._settings.texts("outlets")
        profiled = self._find_units(
            link, ("outlet",) if outlets else self._settings.texts("scopes")
        )
        if outlets:
            profiled = self._chosen(profiled, outlets)
        elif self.section == "power":
            self._check_feeds(profiled)
        if self.section == "thermal":
            profiled = [
                replace(p, quantity=_THERMAL_NAMES.get(p.quantity, p.quantity))
                for p in profiled
            ]
        # What the bench says of an identifier wins over its profile.
        points = list({point.oid: point for point in (*profiled, *self._own)}.values())
        if not points:
            raise SourceError(
                "the device has none of the requested values",
                where=self._where,
                way_out="Check profile and scopes, or name identifiers with oids.",
            )
        return points

    def _find_units(self, link: "SnmpSession", scopes: Sequence[str]) -> list[Point]:
        """Find the values of the units that the bench names, of all without any."""
        units = self._settings.texts("units")
        points = self._find_profiled(link, scopes, units)
        if missing := [unit for unit in units if unit not in _members(points)]:
            there = ", ".join(_members(self._find_profiled(link, scopes, ())))
            raise SourceError(
                f"there is no unit {missing[0]} that has such values",
                where=self._where,
                way_out=f"Available there: {there or 'none, so leave units out'}.",
            )
        return points

    def _find_profiled(
        self, link: "SnmpSession", scopes: Sequence[str], units: Sequence[str]
    ) -> list[Point]:
        if self._profile is None:
            return []
        points = find_points(link, self._profile, scopes, units)
        if self._profile.entity and "probe" in scopes:
            points += find_entity_sensors(link)
        return points

    def _check_feeds(self, points: Sequence[Point]) -> None:
        """Refuse to add up what nobody named: all power of a source is the device's.

        Raises:
            SourceError: There are several units and none is named, or a part is
                counted with its whole.
        """
        scopes = {point.scope for point in points if point.quantity == "P"}
        if len(scopes) > 1:
            raise SourceError(
                f"its power would count twice, by {' and by '.join(sorted(scopes))}",
                where=self._where,
                way_out="Keep only one of them in scopes.",
            )
        chain = _members(points)
        if len(chain) > 1 and not self._settings.texts("units"):
            raise SourceError(
                f"it reports on a chain of units ({', '.join(chain)}), whose power "
                "would be added up",
                where=self._where,
                way_out="Name in units those that feed the device and nothing else, "
                f'such as units = ["{chain[0]}"], or its outlets.',
            )

    def _chosen(self, points: Sequence[Point], outlets: Sequence[str]) -> list[Point]:
        """Keep some outlets; one alone is the meter itself and has no place."""
        places = {point.location.replace("outlet", "") for point in points}
        for outlet in outlets:
            if outlet.replace("outlet", "") not in places:
                there = ", ".join(sorted(places, key=lambda p: (len(p), p)))
                raise SourceError(
                    f"there is no outlet {outlet} that is measured",
                    where=self._where,
                    way_out=f"Available there: {there or 'none'}.",
                )
        wanted = {outlet.replace("outlet", "") for outlet in outlets}
        kept = [p for p in points if p.location.replace("outlet", "") in wanted]
        if len(outlets) == 1:
            kept = [replace(point, location="") for point in kept]
        return kept

    def _judge(self, point: Point, answers: dict[str, Answer], now: int) -> SensorValue:
        number, status = point.value(answers)
        if point.rate and status.is_value:
            bits = answers[point.oid].bits
            number, status = self._growth(point, number, bits, now)
        shell = _shell(point)
        return replace(shell, value=number, status=status)

    def _growth(self, point: Point, number: float, bits: int, now: int) -> Judged:
        """Difference a counter; the first reading and a counter set back are gaps.

        A counter of 32 bits that fell from its upper half has wrapped; one of 64 bits
        does not wrap in the life of a device, so that it was set back.
        """
        before = self._counters.get(point.oid)
        self._counters[point.oid] = (number, now)
        if before is None or now <= before[1]:
            return math.nan, Status.STALE
        grown = number - before[0]
        top = 2.0**32 * point.factor
        if grown < 0 and bits == 32 and before[0] > top / 2:
            grown += top
        if grown < 0:
            return math.nan, Status.STALE
        return grown * SECOND / (now - before[1]), Status.OK


def _members(points: Iterable[Point]) -> list[str]:
    """Get the numbers of the units of a chain that have any of some values."""
    return sorted({p.member for p in points if p.member}, key=lambda m: (len(m), m))


def _shell(point: Point) -> SensorValue:
    return SensorValue(
        point.oid,
        "",
        point.quantity,
        point.unit,
        math.nan,
        Status.ABSENT,
        point.location,
    )


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
