"""Drives behind a RAID controller by one call of the controller's own tool."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from instruments.bounds import within_bounds
from instruments.errors import BenchError, SourceError
from instruments.files.foreign_text import object_at, objects_of, parsed_json
from instruments.reading import SECOND, Channel, Identity, Judged, Reading, Status
from instruments.settings import Settings
from instruments.sizes import counted
from instruments.thermal.drives.drive_poll import DriveSource
from instruments.thermal.drives.drive_tool import run_tool
from instruments.tools.command_errors import Missing, errors_of, lost, missing

QUANTITIES = (
    ("temperature", "degC"),
    ("media_errors", ""),
    ("other_errors", ""),
    ("smart_failing", ""),
)
NO_TEMPERATURE: Judged = (math.nan, Status.UNSUPPORTED)


@dataclass(frozen=True, slots=True)
class RaidDrive:
    """One drive.

    Attributes:
        place: Controller, enclosure and slot as the tool names them, such as
            "c0-e252-s3"; unique.
        slot: Slot number; None where the tool has none.
        serial: Serial number; "" where it is not known.
        model: Model; "" where it is not known.
        values: Value and status by quantity.
    """

    place: str
    slot: int | None
    serial: str = ""
    model: str = ""
    values: Mapping[str, Judged] = field(default_factory=dict)


def name_places(drives: Iterable[RaidDrive]) -> dict[str, str]:
    """Get a location for each drive by its place: its slot, where that is unique."""
    drives = list(drives)
    slots = [drive.slot for drive in drives]
    return {
        drive.place: f"slot{drive.slot:02d}"
        if drive.slot is not None and slots.count(drive.slot) == 1
        else f"drive-{drive.place}"
        for drive in drives
    }


def degrees(number: float) -> Judged:
    """Make a value of a temperature; 0 degC means no sensor, which is assumed."""
    return (number, Status.OK) if number else NO_TEMPERATURE


def count(number: float) -> Judged:
    """Make a value of a count of errors."""
    return number, Status.OK


def alert(is_failing: bool) -> Judged:
    """Make a value of a drive's own alarm."""
    return float(is_failing), Status.CRIT if is_failing else Status.OK


PROGRAMS = ("storcli64", "storcli", "perccli64", "perccli")
"""One tool under several names."""

COMMANDS = (
    ("/cALL/eALL/sALL", "show", "all", "J", "nolog"),
    ("/cALL/sALL", "show", "all", "J", "nolog"),
)
"""Drives in enclosures, and those that the controller sees without one."""

# The key of a drive's details: "Drive /c0/e252/s3 - Detailed Information".
_PATH = re.compile(
    r"Drive /c(\d{1,18})(?:/e(\d{1,18}))?/s(\d{1,18}) - Detailed Information$"
)
_STORCLI_TEMPERATURE = re.compile(r"(-?\d{1,6})\s{0,9}C\b")


def read_storcli(text: str) -> list[RaidDrive]:
    """Read the drives of all controllers.

    Raises:
        ValueError: It is not JSON of storcli.
    """
    document = parsed_json(text)
    controllers = document.get("Controllers") if isinstance(document, dict) else None
    if not isinstance(controllers, list):
        raise ValueError("no list of controllers")
    drives: list[RaidDrive] = []
    for controller in controllers:
        data = object_at(controller, "Response Data")
        drives += [
            _storcli_drive(path, object_at(data, key))
            for key in data
            if (path := _PATH.match(key))
        ]
    return drives


def complaint(text: str) -> str:
    """Get why there are no drives, as the tool says; "" where it says nothing."""
    try:
        document = parsed_json(text)
    except ValueError:
        return text.strip().partition("\n")[0][:100]
    controllers = document.get("Controllers") if isinstance(document, dict) else None
    for controller in controllers if isinstance(controllers, list) else ():
        description = object_at(controller, "Command Status").get("Description")
        if isinstance(description, str):
            return description
    return ""


def _storcli_drive(path: re.Match[str], detail: dict[str, object]) -> RaidDrive:
    state, attributes = {}, {}
    # The path of the drive stands before these words, "Drive /c0/e252/s3 State".
    for key, part in objects_of(detail):
        if key.endswith(" State"):
            state = part
        elif key.endswith(" Device attributes"):
            attributes = part
    values: dict[str, Judged] = {
        "temperature": _temperature(state.get("Drive Temperature"))
    }
    for name, key in (
        ("media_errors", "Media Error Count"),
        ("other_errors", "Other Error Count"),
    ):
        number = state.get(key)
        if isinstance(number, int):
            values[name] = count(float(number))
    flagged = state.get("S.M.A.R.T alert flagged by drive")
    if flagged in ("Yes", "No"):
        values["smart_failing"] = alert(flagged == "Yes")
    controller, enclosure, slot = path.groups()
    middle = f"-e{enclosure}" if enclosure else ""
    return RaidDrive(
        f"c{controller}{middle}-s{slot}",
        int(slot),
        str(attributes.get("SN") or "").strip(),
        str(attributes.get("Model Number") or "").strip(),
        values,
    )


def _temperature(value: object) -> Judged:
    """Read a temperature such as " 28C (82.40 F)"."""
    number = _STORCLI_TEMPERATURE.search(value) if isinstance(value, str) else None
    return degrees(float(number[1])) if number else NO_TEMPERATURE


_DEVICE = re.compile(r"\s*Device #(\d{1,18})\s*$")
# "         Serial number                      : S1": at least a space before it, and
# before the colon.
_FIELD = re.compile(r"\s+(\S+(?: \S+)*?)\s+: (.*)$")
_TEMPERATURE = re.compile(r"(-?\d{1,6})\s*(?:deg )?C\b")
_SLOT = re.compile(r"Slot (\d{1,9})")
_COUNTS = {"medium error count": "media_errors", "hardware error count": "other_errors"}


def read_arcconf(text: str, controller: int) -> list[RaidDrive]:
    """Read the drives of one controller; enclosure processors are excluded.

    Raises:
        ValueError: It is not a list of physical devices.
    """
    if "Physical Device information" not in text:
        raise ValueError("no physical device information")
    return [
        _drive(number, fields, controller)
        for number, is_drive, fields in _devices(text)
        if is_drive
    ]


def _devices(text: str) -> Iterator[tuple[int, bool, dict[str, str]]]:
    number, is_drive, fields = -1, False, dict[str, str]()
    for line in text.splitlines():
        if device := _DEVICE.match(line):
            if number >= 0:
                yield number, is_drive, fields
            number, is_drive, fields = int(device[1]), False, {}
        elif line.strip().startswith("Device is a"):
            is_drive = "hard drive" in line.lower() or "ssd" in line.lower()
        elif pair := _FIELD.match(line):
            # The first of a name counts: a list of phys follows with names alike.
            fields.setdefault(pair[1].lower(), pair[2].strip())
    if number >= 0:
        yield number, is_drive, fields


def _drive(number: int, fields: Mapping[str, str], controller: int) -> RaidDrive:
    shown = fields.get("current temperature") or fields.get("temperature", "")
    number_shown = _TEMPERATURE.match(shown)
    temperature = degrees(float(number_shown[1])) if number_shown else NO_TEMPERATURE
    values: dict[str, Judged] = {"temperature": temperature}
    for key, name in _COUNTS.items():
        if fields.get(key, "").isdigit():
            values[name] = count(float(fields[key]))
    # "S.M.A.R.T." says whether a drive has warned, not whether it can.
    warnings = fields.get("s.m.a.r.t. warnings", "")
    if warnings.isdigit():
        values["smart_failing"] = alert(int(warnings) > 0)
    location = _SLOT.search(fields.get("reported location", ""))
    channel = fields.get("reported channel,device(t:l)", "").partition("(")[0]
    place = channel.replace(",", "-") or f"device{number}"
    return RaidDrive(
        f"c{controller}-{place}",
        int(location[1]) if location else None,
        fields.get("serial number", ""),
        fields.get("model", ""),
        values,
    )


_TIMEOUT_S = 30.0
"""Seconds for a tool that asks all drives of a controller."""


class RaidTool(DriveSource, ABC):
    """All drives of a controller by one call of its tool."""

    driver = "raid"

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._timeout_s = min(self.period_s, _TIMEOUT_S)
        self._keys: list[tuple[str, str]] = []

    @abstractmethod
    def ask(self) -> tuple[list[RaidDrive], str]:
        """Get the drives and the text they were read from; raises SourceError."""

    def open(self) -> Identity:
        """Find the drives; raises SourceError."""
        with errors_of(self.name):
            drives, _ = self.ask()
        if not drives:
            raise SourceError("the controller has no drive", where=self.name)
        places = name_places(drives)
        # Channels that were declared stay; what is gone reads as absent.
        if not self.channels:
            period_ns = int(self.period_s * SECOND)
            self._keys = [(d.place, name) for d in drives for name, _ in QUANTITIES]
            self.channels = tuple(
                Channel(self.name, name, unit, places[drive.place], period_ns)
                for drive in drives
                for name, unit in QUANTITIES
            )
        return Identity(
            maker="RAID controller",
            model=counted(len(drives), "drive"),
            serial="",
            firmware="",
            address=" ".join(drive.place for drive in drives),
        )

    def read(self) -> Reading:
        """Get all drives; one that is gone is absent; raises SourceError."""
        if not self._keys:
            raise SourceError("the source is not open", where=self.name)
        if resting := self._resting(self.channels):
            return resting
        start = self._clock()
        with errors_of(self.name):
            drives, text = self.ask()
        end = self._clock()
        by_place = {drive.place: drive.values for drive in drives}
        absent, unsupported = Status.ABSENT, Status.UNSUPPORTED
        pairs = [
            by_place[place].get(name, (math.nan, unsupported))
            if place in by_place
            else (math.nan, absent)
            for place, name in self._keys
        ]
        return within_bounds(
            Reading.of(self.channels, (start, end), pairs, text.encode())
        )


class Storcli(RaidTool):
    """Drives behind Broadcom and Dell controllers."""

    _program = ""

    def ask(self) -> tuple[list[RaidDrive], str]:
        """Ask storcli, by whichever of its names it is there; see `RaidTool`."""
        text = ""
        for words in COMMANDS:
            text = self._run(words)
            try:
                drives = read_storcli(text)
            except ValueError:
                drives = []
            if drives:
                return drives, text
        raise SourceError(
            complaint(text) or "it lists no drive",
            where=self._program,
            way_out=f"Try '{self._program} {' '.join(COMMANDS[0])}' as root.",
        )

    def _run(self, words: Sequence[str]) -> str:
        absent: Missing | None = None
        # Each of the names until one is there, which is kept then.
        for program in (self._program,) if self._program else PROGRAMS:
            try:
                done = self.host.run([program, *words], self._timeout_s)
            except Missing as error:
                absent = absent or error
                continue
            except BenchError as error:
                raise lost(error) from error
            self._program = program
            return done.stdout or done.stderr
        self._program = ""
        raise lost(absent or missing(PROGRAMS[0]))


class Arcconf(RaidTool):
    """Drives behind Microchip and Adaptec controllers."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._number = settings.integer("number")

    def ask(self) -> tuple[list[RaidDrive], str]:
        """Ask arcconf of one controller; see `RaidTool`."""
        words = ["arcconf", "GETCONFIG", str(self._number), "PD"]
        done = run_tool(self.host, words, self._timeout_s)
        try:
            return read_arcconf(done.stdout, self._number), done.stdout
        except ValueError:
            complaint = (done.stdout or done.stderr).strip().partition("\n")[0][:100]
            raise SourceError(
                complaint or f"arcconf ended with code {done.code}",
                where=" ".join(words),
                way_out="Run it as root, and give the controller's number.",
            ) from None
