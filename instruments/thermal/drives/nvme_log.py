"""What an NVMe drive tells of its temperatures, in degrees Celsius.

`nvme smart-log` tells kelvin, in whole degrees. Drives measure in degrees Celsius and
add 273, and nvme-cli and smartctl take 273 off again; so does this, while the kernel's
sensors (driver hwmon) take 273.15 off. The composite temperature is the one that the
drive's limits are for; it need not be its hottest sensor.
"""

from dataclasses import dataclass

from instruments.errors import SourceError
from instruments.reading import Status
from instruments.thermal.drives.drive_list import drive_place
from instruments.thermal.machine.hwmon_values import temperature_status
from instruments.thermal.sensor_values import SensorValue, judged

_KELVIN = 273
_LEAST_KELVIN = 173  # -100 degC, colder than any drive may be
_SENSORS = range(1, 9)  # the log page has places for eight

Document = dict[str, object]


@dataclass(frozen=True, slots=True)
class NvmeDrive:
    """One drive.

    Attributes:
        node: Its controller's device node.
        model: Model.
        serial: Serial number.
        firmware: Firmware revision.
        warn: Composite temperature from where on it warns, in degC; None without one.
        crit: Likewise, from where on it is critical.
    """

    node: str
    model: str
    serial: str
    firmware: str
    warn: float | None
    crit: float | None

    @property
    def place(self) -> str:
        """Get its location, such as "drive-S1"."""
        return drive_place(self.name)

    @property
    def name(self) -> str:
        """Get its serial number, or else the name of its node."""
        return self.serial or self.node.rpartition("/")[2]


def drive_values(drive: NvmeDrive, log: Document | SourceError) -> list[SensorValue]:
    """Make the values of a drive from its log, or gaps from what went wrong."""
    names = {"temperature": drive.place}
    for number in _SENSORS:
        names[f"temperature_sensor_{number}"] = f"{drive.place}-sensor-{number}"
    values = []
    celsius_now: float | None
    for field, place in names.items():
        if isinstance(log, SourceError):
            celsius_now, status = None, log.status
        else:
            celsius_now = celsius(log.get(field))
            limits = (
                (drive.warn, drive.crit) if field == "temperature" else (None, None)
            )
            status = Status.UNSUPPORTED
            if celsius_now is not None:
                status = temperature_status(celsius_now, *limits)
        key = f"{drive.name} {field}"
        value, status = judged(celsius_now, status)
        values.append(
            SensorValue(key, field, "temperature", "degC", value, status, place)
        )
    return values


def celsius(kelvin: object) -> float | None:
    """Convert kelvin as a drive tells it; None for 0, which is "not reported".

    A number that is too small for kelvin is in another unit, and none here.
    """
    try:
        number = float(str(kelvin))
    except ValueError:
        return None
    return number - _KELVIN if number > _LEAST_KELVIN else None
