"""One SNMP device as a source: its values are found once, then polled."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from instruments.base import Linked
from instruments.errors import SourceError
from instruments.reading import SECOND, Channel, Identity, Judged, Reading, Status
from instruments.settings import Settings
from instruments.thermal.sensor_values import SensorValue, make_channels, make_reading
from instruments.thermal.snmp.agent import Answer, SnmpAgent, agent_of, open_session
from instruments.thermal.snmp.entity import find_entity_sensors
from instruments.thermal.snmp.points import Point, find_points
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
