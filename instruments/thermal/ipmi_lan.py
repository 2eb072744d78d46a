"""The sensors of a BMC by pyghmi, in process: the session is held between reads."""

import struct
import threading
from typing import Any

from pyghmi.constants import Health  # type: ignore[import-untyped]  # ships no types
from pyghmi.exceptions import PyghmiException  # type: ignore[import-untyped]
from pyghmi.ipmi import sdr as sdr_module  # type: ignore[import-untyped]

from instruments.errors import SourceError
from instruments.link_errors import explain
from instruments.reading import Identity, Status
from instruments.thermal.ipmi_identity import identity_of
from instruments.thermal.ipmi_session import BmcSession
from instruments.thermal.sensor_values import SensorValue, judged, quantity_of

UNITS = {
    "°C": ("degC", 1.0, 0.0),
    "°F": ("degC", 5 / 9, -160 / 9),
    "K": ("degC", 1.0, -273.15),
    "V": ("V", 1.0, 0.0),
    "A": ("A", 1.0, 0.0),
    "W": ("W", 1.0, 0.0),
    "VA": ("VA", 1.0, 0.0),
    "RPM": ("1/min", 1.0, 0.0),
    "Hz": ("Hz", 1.0, 0.0),
    "%": ("%", 1.0, 0.0),
}
"""Ours, factor and offset for each unit of IPMI that is kept."""

READ_S = 20.0
"""Longest wait for all sensors together."""

LIST_S = 60.0
"""Longest wait for the list of hundreds of sensors."""

_UNREADABLE = (
    *(PyghmiException, NotImplementedError, LookupError, struct.error),
    *(ValueError, TypeError, ArithmeticError),
)
"""What pyghmi raises of descriptions and readings that it cannot make sense of."""

_LISTING = threading.Lock()
_LISTS: dict[str, dict[Any, Any]] = {}
_OWN = 0x20
_THRESHOLD = 1
_NO_NUMBER = 3
_NOT_THERE = 0xCB


class LanBmc:
    """A BMC that is asked in process.

    A sensor of another controller (owner not 20h) is left out: pyghmi would read the
    BMC's own sensor of that number in its place.

    Args:
        session: An open session; closed with this.
        where: Source and address, for errors.
    """

    def __init__(self, session: BmcSession, where: str) -> None:
        self._session = session
        self._where = where
        try:
            sdr = _list_sensors(session, where)
        except _UNREADABLE as e:
            raise SourceError(
                f"the BMC's list of sensors cannot be read ({e!r})",
                where=where,
                way_out='Try way = "ipmitool".',
            ) from e
        self._sensors: dict[str, Any] = {
            key: entry
            for key, entry in sdr.sensors.items()
            if entry.readable
            and entry.sensor_owner == _OWN
            and entry.reading_type == _THRESHOLD
            and entry.numeric_format != _NO_NUMBER
            and entry.unit_suffix.strip() in UNITS
        }

    def identify(self, address: str) -> Identity:
        """Ask the BMC who it is; raises SourceError."""
        data = self._session.ask(6, 1)
        return identity_of(data, self._guid(), address, self._where)

    def read(self) -> tuple[list[SensorValue], bytes]:
        """Read every sensor; return the values and the answers as they came.

        Raises:
            SourceError: The BMC answers no more.
        """
        values, raw = [], []
        with self._session.within(READ_S):
            for key, entry in self._sensors.items():
                answer = self._session.raw_command(
                    4, 0x2D, (entry.sensor_number,), rslun=entry.sensor_lun
                )
                shown = answer.get("error") or bytes(answer["data"]).hex(" ")
                raw.append(f"{entry.name}: {shown}")
                values.append(self._value(key, entry, answer))
        return values, "\n".join(raw).encode()

    def close(self) -> None:
        """Log out; may be called twice."""
        self._session.close()

    def _value(self, key: str, entry: Any, answer: dict[str, Any]) -> SensorValue:
        unit, factor, offset = UNITS[entry.unit_suffix.strip()]
        number: float | None = None
        if "error" in answer or len(answer["data"]) < 3:
            absent = answer.get("code") == _NOT_THERE
            status = Status.ABSENT if absent else Status.ERROR
        else:
            try:
                found = entry.decode_sensor_reading(
                    self._session.command, answer["data"]
                )
            except _UNREADABLE:
                found = None  # such as the logarithm of a reading of 0
            if found is None:
                status = Status.ERROR
            else:
                status = Status.ABSENT if found.unavailable else _status(found.health)
                number = None if found.value is None else found.value * factor + offset
        quantity = quantity_of(unit)
        if unit == "%" and entry.sensor_type == "Fan":
            quantity = "fan_percent"
        return SensorValue(key, entry.name, quantity, unit, *judged(number, status))

    def _guid(self) -> str:
        try:
            return self._session.ask(6, 0x37).hex()
        except SourceError:
            return ""


def _list_sensors(session: BmcSession, where: str) -> Any:
    """Fetch the list of sensors, or take it from when this BMC was last opened.

    pyghmi keeps lists by firmware and date for all BMCs together, so that two servers
    of one kind would show each other's sensors; here each has a store of its own.
    """
    if not _LISTING.acquire(timeout=LIST_S):
        raise explain(TimeoutError(), where, LIST_S)
    try:
        with session.within(LIST_S):
            sdr_module.shared_sdrs = _LISTS.setdefault(where, {})
            return session.command.init_sdr()
    finally:
        _LISTING.release()


def _status(health: int) -> Status:
    if health >= Health.Critical:
        return Status.CRIT
    return Status.WARN if health >= Health.Warning else Status.OK
