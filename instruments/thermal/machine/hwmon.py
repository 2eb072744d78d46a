"""The kernel's own sensors (hwmon) as a source: boards, processors, drives.

Files are read, so no privilege and no tool is needed; a drive is still asked by the
kernel for each value (drivetemp for SATA, nvme). Old kernels (before 3.14 or so) keep
some values beside the device instead; these are not looked for.
"""

from math import nan

from instruments.driver import HOST, Driver, Found, period
from instruments.errors import SourceError
from instruments.reading import Identity, Reading, Status
from instruments.settings import Kind, Option
from instruments.thermal.machine.hwmon_tree import Chip, scan
from instruments.thermal.machine.hwmon_values import (
    Sensor,
    list_sensors,
    sensor_trouble,
    sensor_value,
)
from instruments.thermal.sensor_values import HostSensors, SensorValue
from instruments.tools.command_errors import errors_of
from instruments.tools.hosts import Host

_TIMEOUT_S = 5.0
_LOOK_AGAIN_NS = 30_000_000_000  # a search costs more than a read, so not each time


class Hwmon(HostSensors):
    """All chips of a machine, or some, as a source of section "thermal".

    A chip that is gone is absent, and found again when it comes back, under whatever
    number it has then. Chips of one name without a device and with equal labels are
    refused: which is which may change with a boot.
    """

    driver = "hwmon"
    _sensors: dict[str, Sensor]
    _looked_ns = 0

    def open(self) -> Identity:
        """Find the chips; raises SourceError."""
        self.close()
        chips = self._scan()
        if not self._sensors:
            wanted = f" of {', '.join(self._names)}" if self._names else ""
            raise SourceError(
                f"the kernel has no sensors{wanted}",
                where=f"{self.name} ({self._host})",
                way_out="SATA drives have some after 'modprobe drivetemp'.",
                status=Status.ABSENT,
            )
        _refuse_equal(self.name, chips)
        # All that there are, whether they can be read now or not.
        declared = [
            SensorValue(
                sensor.key,
                "",
                sensor.quantity,
                sensor.unit,
                nan,
                Status.NAN,
                sensor.place,
            )
            for sensor in self._sensors.values()
        ]
        self._declare(declared)
        return Identity("Linux", _summary(chips), "", "", str(self._host))

    def read(self) -> Reading:
        """Read all values; raises SourceError."""
        if not self._keys:
            raise self._not_open()
        start = self._clock()
        texts = self._read()
        # A drive that was pulled and pushed in again has another folder.
        if start - self._looked_ns > _LOOK_AGAIN_NS and self._has_lost(texts):
            self._scan()
            texts = self._read()
        end = self._clock()
        values = {
            key: sensor_value(sensor, texts) for key, sensor in self._sensors.items()
        }
        raw = "".join(f"{path} {text}" for path, text in texts.items() if text)
        troubles = (sensor_trouble(sensor, texts) for sensor in self._sensors.values())
        trouble = next(filter(None, troubles), "")
        return self._reading(values, (start, end), raw, trouble)

    def close(self) -> None:
        """Forget the chips and let go of the machine."""
        self._sensors = {}
        super().close()

    def _scan(self) -> list[Chip]:
        self._looked_ns = self._clock()
        with errors_of(self.name):
            chips = scan(self._host, self._names)
        self._sensors = {sensor.key: sensor for sensor in list_sensors(chips)}
        return chips

    def _read(self) -> dict[str, str | None]:
        paths = [path for each in self._sensors.values() for path in each.paths]
        with errors_of(self.name):
            return self._host.read_many(paths, max(1.0, min(self.period_s, _TIMEOUT_S)))

    def _has_lost(self, texts: dict[str, str | None]) -> bool:
        """Tell whether a chip that was there at the start gives nothing at all."""
        alive = {
            sensor.chip
            for sensor in self._sensors.values()
            if texts.get(sensor.paths[0]) is not None
        }
        is_lost = any(sensor.chip not in alive for sensor in self._sensors.values())
        return is_lost or any(key not in self._sensors for key in self._keys)


def _refuse_equal(source: str, chips: list[Chip]) -> None:
    """Refuse chips that differ only in their order at boot; raises SourceError."""
    keys = [chip.key for chip in chips if not chip.device]
    equal = {chip.name for chip in chips if keys.count(chip.key) > 1}
    if not equal:
        return
    others = ", ".join(f'"{name}"' for name in sorted({c.name for c in chips} - equal))
    raise SourceError(
        f"chips called {', '.join(sorted(equal))} have no device and equal labels, "
        "another boot may swap them",
        where=source,
        way_out=f"Name those to read without them: chips = [{others}].",
    )


def _summary(chips: list[Chip]) -> str:
    names = [chip.name for chip in chips]
    counted = {name: names.count(name) for name in names}
    return ", ".join(
        name if count == 1 else f"{count} {name}" for name, count in counted.items()
    )


def _discover(host: Host) -> list[Found]:
    chips = scan(host)
    return [Found(f"Kernel sensors: {_summary(chips)}", {})] if chips else []


DRIVER = Driver(
    "thermal",
    "hwmon",
    "Kernel sensors (hwmon): boards, processors, SATA and NVMe drives",
    (
        Option(
            "chips",
            "Names of the chips to read; without it, all of them. Chips of one name "
            "that have no device are told apart by the label of their first sensor.",
            Kind.TEXTS,
            example="drivetemp",
        ),
        period(5.0, 0.5),
        HOST,
    ),
    Hwmon,
    _discover,
)
