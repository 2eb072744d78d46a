"""Which channels an enclosure gives, and what a status page says of each."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from instruments.reading import Channel, Judged, Status
from instruments.thermal.ses.element import (
    Element,
    Key,
    Kind,
    Static,
    StatusPage,
    Thresholds,
)

_ABSENT = (math.nan, Status.ABSENT)
_UNSUPPORTED = (math.nan, Status.UNSUPPORTED)

_PLACES = (
    ("inlet", ("inlet", "intake", "front", "air in")),
    ("ambient", ("ambient", "room")),
    ("exhaust", ("exhaust", "outlet", "air out", "rear")),
)
"""Words in a descriptor that tell a place; which vendor uses which is assumed."""

_PARTS = re.compile(r"psu|power|supply|iom|module|expander|canister|chip|cpu|esm|ecm")
"""Names of parts, whose inlet is not that of the enclosure."""

_DRIVES = ("slot", "bay", "drive", "disk", "hdd", "ssd", "wwn")

_ORDER = {
    Kind.TEMPERATURE: 1,
    Kind.COOLING: 2,
    Kind.VOLTAGE: 3,
    Kind.CURRENT: 4,
    Kind.POWER_SUPPLY: 5,
    Kind.CONTROLLER: 6,
    Kind.DEVICE_SLOT: 7,
    Kind.ARRAY_SLOT: 7,
}
"""What is listed first; enclosures begin with their many slots."""


@dataclass(frozen=True, slots=True)
class Sensor:
    """One channel and where its value stands.

    Attributes:
        channel: What it measures.
        key: The element.
        take: Gets value and status from the element.
    """

    channel: Channel
    key: Key
    take: Callable[[Element], Judged]


def list_sensors(static: Static, source: str, period_ns: int) -> tuple[Sensor, ...]:
    """List the channels of an enclosure.

    Temperatures are named by place or descriptor, fans and supplies are counted,
    bays go by the enclosure's own slot number. States are channels, too, with the
    element status codes of SES-3 as values (1 ok, 2 critical, 3 noncritical,
    4 unrecoverable); what is not there is a gap.
    """
    sensors: list[Sensor] = []
    used: Counter[tuple[str, str]] = Counter()

    def add(key: Key, quantity: str, unit: str, place: str, take: _Take) -> None:
        used[quantity, place] += 1
        count = used[quantity, place]
        location = place if count == 1 else f"{place}-{count}"
        channel = Channel(source, quantity, unit, location, period_ns)
        sensors.append(Sensor(channel, key, take))

    groups = list(enumerate(static.configuration.groups))
    groups.sort(key=lambda pair: _ORDER.get(pair[1].kind, 0))
    # Counted over all groups: an enclosure may have several of one kind.
    counts: Counter[Kind] = Counter()
    for header, group in groups:
        for number in range(group.count):
            key = (header, number)
            counts[group.kind] += 1
            for measured in _measured(static, key, group.kind, counts[group.kind]):
                add(key, *measured)
    return tuple(sensors)


def _measured(
    static: Static, key: Key, kind: Kind, count: int
) -> Iterator[tuple[str, str, str, "_Take"]]:
    """Give quantity, unit, place and reader of each channel of an element."""
    name = static.names.get(key, "")
    match kind:
        case Kind.TEMPERATURE:
            limits = static.thresholds.get(key, Thresholds())
            place = place_of(name) or f"temp{count}"
            yield "temperature", "degC", place, _temperature(limits)
        case Kind.COOLING:
            yield "fan", "1/min", f"fan{count}", _fan
            yield "fan_code", "", f"fan{count}", _fan_code
        case Kind.VOLTAGE:
            yield "voltage", "V", slug(name) or f"rail{count}", _sensor
        case Kind.CURRENT:
            yield "current", "A", slug(name) or f"rail{count}", _sensor
        case Kind.POWER_SUPPLY:
            yield "state", "", f"psu{count}", _state
        case Kind.CONTROLLER:
            yield "state", "", f"iom{count}", _state
        case Kind.DEVICE_SLOT | Kind.ARRAY_SLOT:
            yield "state", "", f"slot{slot_of(static, key):02d}", _state


def values(sensors: Sequence[Sensor], page: StatusPage) -> list[Judged]:
    """Get value and status of each channel; what is missing is absent."""
    elements: Mapping[Key, Element] = page.elements
    return [
        sensor.take(elements[sensor.key]) if sensor.key in elements else _ABSENT
        for sensor in sensors
    ]


def slot_of(static: Static, key: Key) -> int:
    """Get the enclosure's own number of a bay; its position where it gives none."""
    bay = static.bays.get(key)
    return key[1] if bay is None or bay.slot is None else bay.slot


def place_of(name: str) -> str:
    """Get where a temperature is measured: a place of the bench, or the name."""
    words = name.lower()
    for place, hints in () if _PARTS.search(words) else _PLACES:
        if any(hint in words for hint in hints):
            return place
    plain = slug(name)
    # What is near a drive is not the drive's own temperature.
    return f"temp-{plain}" if plain.startswith(_DRIVES) else plain


def slug(name: str) -> str:
    """Make a short stable name of a descriptor: letters, digits and "-"."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


_Take = Callable[[Element], Judged]


def _temperature(limits: Thresholds) -> _Take:
    def take(element: Element) -> Judged:
        value, status = _sensor(element)
        if status is Status.OK:
            status = limits.judge(value)
        elif status is Status.WARN and limits.judge(value) is Status.CRIT:
            status = Status.CRIT
        return value, status

    return take


def _sensor(element: Element) -> Judged:
    if not element.status.is_value:
        return math.nan, element.status
    if math.isnan(element.value):
        return _UNSUPPORTED
    return element.value, element.status


def _fan(element: Element) -> Judged:
    value, status = _sensor(element)
    # Some shelves tell only the speed code: 0 1/min is not a speed of theirs then.
    if value == 0 and element.speed_code:
        return _UNSUPPORTED
    return value, status


def _fan_code(element: Element) -> Judged:
    if not element.status.is_value:
        return math.nan, element.status
    if element.speed_code is None:
        return _UNSUPPORTED
    return float(element.speed_code), element.status


def _state(element: Element) -> Judged:
    if not element.status.is_value:
        return math.nan, element.status
    return float(element.state), element.status
