"""A server's management controller by IPMI over LAN: temperatures, fans, supplies.

No BMC of hardware was at hand; this was tried against OpenIPMI's simulator. It
says "0, ok" of a sensor that nobody ever set, and a BMC might: a zero is taken for a
value, because a fan that stands still is one.
"""

from collections.abc import Callable, Iterator, Mapping

from instruments.base import Linked
from instruments.driver import HOST, Driver, period
from instruments.errors import SourceError
from instruments.reading import Channel, Identity, Reading, Status
from instruments.settings import Option, Settings
from instruments.thermal.ipmi.tool import ADDRESS, CIPHER, PORT, IpmiTool, login
from instruments.thermal.sensor_values import (
    TO_CELSIUS,
    ZONES,
    SensorValue,
    judged,
    location_of,
    make_channels,
    make_reading,
    quantity_of,
)
from instruments.timebase import monotonic_ns
from instruments.tools.secrets import source_password

Unit = tuple[str, float, float]
"""Ours, factor and offset."""

UNITS: Mapping[str, Unit] = {
    "degrees C": ("degC", *TO_CELSIUS["degC"]),
    "degrees F": ("degC", *TO_CELSIUS["degF"]),
    "degrees K": ("degC", *TO_CELSIUS["K"]),
    "Volts": ("V", 1.0, 0.0),
    "Amps": ("A", 1.0, 0.0),
    "Watts": ("W", 1.0, 0.0),
    "Joules": ("Wh", 1 / 3600, 0.0),
    "VA": ("VA", 1.0, 0.0),
    "RPM": ("1/min", 1.0, 0.0),
    "Hz": ("Hz", 1.0, 0.0),
    "percent": ("%", 1.0, 0.0),
}
"""By the names that ipmitool gives them."""

# Sensor unit type codes (IPMI 2.0, table 43-15).
_CODES = {
    **dict(enumerate(("degrees C", "degrees F", "degrees K", "Volts", "Amps"), 1)),
    **dict(enumerate(("Watts", "Joules"), 6)),
    **{9: "VA", 18: "RPM", 19: "Hz"},
}
# ipmitool's words: noncritical, critical and nonrecoverable, the lower and the upper
# one of each.
_STATES = {
    "ok": Status.OK,
    "nc": Status.WARN,
    "lnc": Status.WARN,
    "unc": Status.WARN,
    "cr": Status.CRIT,
    "lcr": Status.CRIT,
    "ucr": Status.CRIT,
    "nr": Status.CRIT,
    "lnr": Status.CRIT,
    "unr": Status.CRIT,
}
# SDR type 01h has the formula of a sensor (IPMI 2.0, 43.1); compact ones have no
# reading.
_FULL_RECORD = 1
# Type and length of an ID string: bits 7:6 set are 8-bit ASCII (IPMI 2.0, 43.15).
_ASCII = 0xC0
_AIR = {0x27: "ambient", 0x37: "inlet", 0x40: "inlet"}
"""Entities outside of the machine: the room, and the two numbers of its air inlet."""

_WHOLE = (*range(3), 6, 7, 0x0C, 0x0D, *range(0x10, 0x12), *range(0x16, 0x1A), 0x42)
_PARTS = frozenset(range(0x43)) - {*_AIR, *_WHOLE}
"""Entities that are parts of a machine; many makers call all of it a system board, and
of those from 43h on, makers give the meaning."""


def list_units(records: bytes) -> dict[str, str]:
    """Get the unit of each sensor by its key, also of one without a reading now.

    Args:
        records: Sensor data records one after the other, as `ipmitool sdr dump` writes
            them. One that ends too early, or whose name is not in ASCII, is excluded.
    """
    return {key: _unit(record[20], record[21]) for key, record in _full(records)}


def list_entities(records: bytes) -> dict[str, int]:
    """Get the entity of each sensor by its key; `records` is as in `list_units`."""
    return {key: record[8] for key, record in _full(records)}


def _full(records: bytes) -> Iterator[tuple[str, bytes]]:
    """Give the full records of sensors with their keys."""
    taken: set[str] = set()
    while len(records) >= 5:
        end = 5 + records[4]
        record, records = records[:end], records[end:]
        # Byte 48 of the record is the length of its name, which follows.
        if record[3] != _FULL_RECORD or len(record) < 49 or record[47] < _ASCII:
            continue
        name = record[48 : 48 + (record[47] & 0x1F)].decode("ascii", "replace")
        key = _key(name.strip("\0 "), taken)
        taken.add(key)
        yield key, record


def read_values(
    text: str, units: dict[str, str], entities: Mapping[str, int] | None = None
) -> list[SensorValue]:
    """Read the lines `name,value,unit,state` of `ipmitool -c sdr list full`.

    Args:
        text: What it printed.
        units: The unit of each sensor, as a sensor without a reading comes without
            it; units that are printed are added.
        entities: What each sensor is part of, where that is known.

    Returns:
        A value for each sensor whose unit is known and of use; a sensor that has no
        line has an error.
    """
    values: dict[str, SensorValue] = {}
    parts = entities or {}
    seen: set[str] = set()
    for name, number, printed, state in _rows(text):
        key = _key(name, seen)
        seen.add(key)
        # ipmitool prints a rate as its plain unit. By its record it has none of use
        # (""), and that stays so.
        if printed and units.get(key, printed):
            units[key] = printed
        unit = units.get(key, "")
        if unit in UNITS:
            values[key] = _value(
                key, name, number, unit, state, entity=parts.get(key, 0)
            )
    for key, unit in units.items():
        if unit in UNITS and key not in seen:
            values[key] = _value(key, key, "", unit, "", entity=parts.get(key, 0))
    return list(values.values())


def _rows(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        parts = [part.strip() for part in line.rsplit(",", 3)]
        if len(parts) == 4:
            yield parts


def _key(name: str, taken: Mapping[str, str] | set[str]) -> str:
    """Tell sensors of one name apart by their order."""
    key, count = name, 1
    while key in taken:
        count += 1
        key = f"{name} {count}"
    return key


def _unit(kind: int, base: int) -> str:
    """Name a unit; "" for none of use, such as a rate or a product of two units."""
    # Sensor Units 1 of the record (IPMI 2.0, 43.1): bits 7:6 are 3 where there is no
    # analog reading, 5:3 a rate, 2:1 a modifier unit, 0 a percentage.
    if kind >> 6 == 3 or kind & 0b111110:
        return ""
    if kind & 1:
        return "percent" if base == 0 else ""
    return _CODES.get(base, "")


def _value(
    key: str, name: str, number: str, unit: str, state: str, *, entity: int
) -> SensorValue:
    ours, factor, offset = UNITS[unit]
    # ipmitool prints a state such as "ns" of a sensor that is not there, and no line at
    # all of one that could not be read.
    missing = Status.ABSENT if state else Status.ERROR
    status = _STATES.get(state.lower(), missing)
    try:
        value: float | None = float(number) * factor + offset
    except ValueError:
        value = None
        status = Status.NAN if status.is_value else status
    quantity = quantity_of(ours, name)
    if ours == "%" and "fan" in name.lower():
        quantity = "fan_percent"
    place = location_of(name, is_part=entity in _PARTS)
    if quantity == "temperature" and entity in _AIR and place not in ZONES:
        place = _AIR[entity]
    return SensorValue(key, name, quantity, ours, *judged(value, status), place)


class Ipmi(Linked[IpmiTool]):
    """One BMC as a source of section "thermal".

    Args:
        settings: Name and options; the password lies under the name.
        clock: Gives monotonic nanoseconds.
    """

    section = "thermal"
    driver = "ipmi"

    def __init__(
        self, settings: Settings, clock: Callable[[], int] = monotonic_ns
    ) -> None:
        self._address = f"{settings.text('address')}:{settings.integer('port')}"
        super().__init__(f"{settings.name} ({self._address})")
        self.name = settings.name
        self.period_s = settings.number("period")
        self._settings = settings
        self._clock = clock
        self._units: dict[str, str] = {}
        self._entities: dict[str, int] = {}
        self._keys: tuple[str, ...] = ()
        self.channels: tuple[Channel, ...] = ()

    def open(self) -> Identity:
        """Log in and list the sensors.

        Raises:
            SourceError: Not reached, not let in, or there is no sensor.
        """
        self.close()
        password = source_password(self.name, login(self._settings), self._where)
        with self._opening(IpmiTool(self._settings, password, self._where)) as tool:
            identity = tool.identify(self._address)
            records = tool.list_sensors()
            self._units, self._entities = list_units(records), list_entities(records)
            values = read_values(tool.read_sensors(), self._units, self._entities)
            if not values:
                raise SourceError(
                    "the BMC lists no sensor that has a number", where=self._where
                )
        channels = make_channels(self.name, values, self.period_s)
        if tuple(channels) != self._keys:
            self._keys, self.channels = tuple(channels), tuple(channels.values())
        return identity

    def read(self) -> Reading:
        """Read every sensor once.

        Raises:
            SourceError: The BMC no longer answers.
        """
        tool = self._opened()
        start = self._clock()
        text = tool.read_sensors()
        end = self._clock()
        read = read_values(text, self._units, self._entities)
        values = {value.key: value for value in read}
        span = (start, end)
        return make_reading(self.channels, self._keys, values, span, text.encode())


DRIVER = Driver(
    "thermal",
    "ipmi",
    "BMC by IPMI over LAN (iDRAC, iLO, XCC, Supermicro, OpenBMC)",
    (
        ADDRESS,
        PORT,
        Option("user", "Account on the BMC; USER rights are enough.", required=True),
        CIPHER,
        HOST,
        period(10.0, 1.0),
    ),
    Ipmi,
    secret="password of the BMC's user",
    retired=("way",),
    login=login,
)
