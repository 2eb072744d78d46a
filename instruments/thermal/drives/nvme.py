"""Temperatures of NVMe drives by nvme-cli, and what heat slowed down, as a source."""

import json
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from instruments.driver import HOST, Driver, Found, period
from instruments.errors import SourceError
from instruments.files.foreign_text import parsed_json
from instruments.reading import Identity, Reading, Status
from instruments.settings import Kind, Option, Settings
from instruments.thermal.drives.drive_list import drive_place
from instruments.thermal.drives.drive_tool import run_tool
from instruments.thermal.drives.same_drives import SameDrives
from instruments.thermal.machine.hwmon_values import (
    temperature_limit,
    temperature_status,
)
from instruments.thermal.sensor_values import HostSensors, SensorValue, judged
from instruments.throttling import NVME
from instruments.timebase import monotonic_ns
from instruments.tools.command_errors import errors_of, lost_source
from instruments.tools.hosts import Host

# NVMe reports whole kelvins (NVM Express Base, SMART / Health Information log).
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
    # Most drives have fewer sensors than the log has places.
    missing = log.status if isinstance(log, SourceError) else Status.UNSUPPORTED
    document = {} if isinstance(log, SourceError) else log
    places = {"temperature": drive.place}
    for sensor in _SENSORS:
        places[f"temperature_sensor_{sensor}"] = f"{drive.place}-sensor-{sensor}"
    values = []
    for field, place in places.items():
        number = celsius(document.get(field))
        limits = (drive.warn, drive.crit) if field == "temperature" else (None, None)
        status = missing if number is None else temperature_status(number, *limits)
        key = f"{drive.name} {field}"
        pair = judged(number, status)
        values.append(SensorValue(key, field, "temperature", "degC", *pair, place))
    for field, (unit, factor) in NVME.items():
        count, pair = document.get(field), (math.nan, missing)
        if isinstance(count, int) and count >= 0:
            pair = count * factor, Status.OK
        key = f"{drive.name} {field}"
        values.append(SensorValue(key, field, field, unit, *pair, drive.place))
    return values


def celsius(kelvin: object) -> float | None:
    """Convert kelvin as a drive reports it; None for 0, which is "not reported".

    A number that is too small for kelvin is in another unit, and none here.
    """
    try:
        number = float(str(kelvin))
    except ValueError:
        return None
    return number - _KELVIN if number > _LEAST_KELVIN else None


_FOLDER = "/sys/class/nvme"
_TIMEOUT_S = 5.0


class Nvme(HostSensors):
    """All NVMe drives of a machine, or some, as a source of section "thermal".

    Args:
        settings: Name, host of nvme-cli, which runs as root, and options.
        clock: Gives monotonic nanoseconds.
    """

    driver = "nvme"

    def __init__(
        self, settings: Settings, clock: Callable[[], int] = monotonic_ns
    ) -> None:
        super().__init__(settings, clock)
        self._devices = settings.texts("devices")
        self._drives: list[NvmeDrive] = []
        self._same: SameDrives | None = None

    def open(self) -> Identity:
        """Find the drives and their sensors; raises SourceError."""
        self.close()
        with errors_of(self.name):
            self._drives = self._find()
            logs = {drive.node: self._log(drive) for drive in self._drives}
            nodes = [drive.node for drive in self._drives]
            self._same = SameDrives(self.name, self._host, nodes)
        declared = [
            value
            for drive in self._drives
            for value in drive_values(drive, logs[drive.node])
            if value.status is not Status.UNSUPPORTED
        ]
        self._declare(declared)
        facts = zip(
            *((d.model, d.serial, d.firmware) for d in self._drives), strict=True
        )
        model, serial, firmware = (", ".join(dict.fromkeys(texts)) for texts in facts)
        return Identity("", model, serial, firmware, " ".join(nodes))

    def read(self) -> Reading:
        """Ask one drive after the other; raises SourceError where none answers."""
        if self._same is None:
            raise self._not_open()
        self._same.check()
        values: dict[str, SensorValue] = {}
        raw: dict[str, object] = {}
        trouble: SourceError | None = None
        start = self._clock()
        for drive in self._drives:
            log: Document | SourceError
            try:
                log = raw[drive.node] = self._log(drive)
            except SourceError as error:
                log = trouble = error
            values |= {value.key: value for value in drive_values(drive, log)}
        end = self._clock()
        if trouble is not None and not raw:
            raise lost_source(self.name, trouble)
        return self._reading(values, (start, end), json.dumps(raw), str(trouble or ""))

    def close(self) -> None:
        """Forget the drives and let go of the machine."""
        self._drives, self._same = [], None
        super().close()

    def _find(self) -> list[NvmeDrive]:
        names = self._host.list_folder(_FOLDER)
        nodes = self._devices or tuple(f"/dev/{name}" for name in names)
        if not nodes:
            raise SourceError(
                "it has no NVMe drive",
                where=f"{_FOLDER} on {self._host}",
                way_out="Check whether 'nvme list' shows one there.",
                status=Status.ABSENT,
            )
        drives: dict[str, NvmeDrive] = {}
        for node in nodes:
            controller = self._tool("id-ctrl", node)
            model, serial, firmware = (
                str(controller.get(key) or "").strip() for key in ("mn", "sn", "fr")
            )
            warn, crit = (
                temperature_limit(celsius(controller.get(key)))
                for key in ("wctemp", "cctemp")
            )
            drive = NvmeDrive(node, model, serial, firmware, warn, crit)
            drives.setdefault(drive.name, drive)  # a second port is the same drive
        return list(drives.values())

    def _log(self, drive: NvmeDrive) -> Document:
        return self._tool("smart-log", drive.node)

    def _tool(self, command: str, node: str) -> Document:
        done = run_tool(self._host, ["nvme", command, node, "-o", "json"], _TIMEOUT_S)
        with suppress(ValueError):
            document = parsed_json(done.stdout)
            if not done.code and isinstance(document, dict):
                return document
        lines = f"{done.stderr}\n{done.stdout}".strip().splitlines()
        complaint = lines[0].strip() if lines else "it said nothing"
        raise SourceError(
            f"nvme {command} failed ({complaint})",
            where=f"{node} on {self._host}",
            way_out="It needs root: log in as root, or set sudo of the [[host]]; the "
            "driver hwmon needs no rights.",
        )


def _discover(host: Host) -> list[Found]:
    names = host.list_folder(_FOLDER)
    paths = {name: f"{_FOLDER}/{name}/model" for name in names}
    models = host.read_many(paths.values())
    labels = [f"{name} {(models[paths[name]] or '').strip()}" for name in names]
    return [Found(f"NVMe drives: {', '.join(labels)}", {})] if names else []


DRIVER = Driver(
    "thermal",
    "nvme",
    "NVMe drives by nvme-cli: composite temperature and sensors",
    (
        Option(
            "devices",
            "Nodes of the drives; without it, all of them.",
            Kind.TEXTS,
            example="/dev/nvme0",
        ),
        period(10.0, 1.0),
        HOST,
    ),
    Nvme,
    _discover,
)
