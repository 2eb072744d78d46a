"""Drives through SMART: temperature and counts of errors, for SAS, SATA and NVMe."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from instruments.driver import HOST, Driver, Found, period
from instruments.errors import SourceError
from instruments.reading import Identity, Status
from instruments.settings import Kind, Option
from instruments.sizes import counted
from instruments.thermal.drives.drive_list import Drive, choose_drives, list_drives
from instruments.thermal.drives.drive_poll import AT_ONCE, Answer, DrivePoll
from instruments.thermal.drives.drive_pool import DrivePool
from instruments.thermal.drives.drive_tool import run_tool, said_plainly
from instruments.thermal.drives.smart_report import (
    QUANTITIES,
    STANDBY_CODE,
    read_report,
)
from instruments.throttling import NVME
from instruments.timebase import monotonic_ns
from instruments.tools.hosts import Host

_VERSION_S = 5.0
_UNITS = {"wear": "%", **{name: unit for name, (unit, _) in NVME.items()}}


class Smart(DrivePoll):
    """SMART of many drives as a source of section "thermal".

    A drive in standby is not woken; whether a reading keeps an idle one from falling
    asleep depends on the drive.
    """

    driver = "smart"

    def find(self) -> list[Drive]:
        """Get the drives; see `DrivePoll`."""
        return choose_drives(self.host, self.nodes)

    def quantities(self, drive: Drive) -> Sequence[tuple[str, str]]:
        """Get temperature and what its kind of drive counts; see `DrivePoll`."""
        counts = QUANTITIES.get(drive.family, ("smart_failing",))
        return (
            ("temperature", "degC"),
            *((name, _UNITS.get(name, "")) for name in counts),
        )

    def ask(self, drive: Drive) -> Answer:
        """Ask smartctl; see `DrivePoll`."""
        return ask_smartctl(self.host, drive, self.timeout_s)

    def identify(self, drives: Sequence[Drive]) -> Identity:
        """Get smartctl's version, and so see that it is there; see `DrivePoll`."""
        done = run_tool(self.host, ["smartctl", "--version"], _VERSION_S)
        version = (done.stdout.splitlines() or [""])[0]
        return Identity(
            maker="smartmontools",
            model=counted(len(drives), "drive"),
            serial="",
            firmware=" ".join(version.split()[:2]),
            address=" ".join(drive.node for drive in drives),
        )


def ask_smartctl(host: Host, drive: Drive, timeout_s: float) -> Answer:
    """Get temperature and counts of one drive, without waking it.

    Raises:
        SourceError: It is late; smartctl is missing or the host is lost; or another
            drive than was found sits there now.
    """
    standby = ("-n", f"standby,{STANDBY_CODE}")
    # -i for the serial number, by which a drive that was exchanged is noticed.
    words = ["smartctl", "-j", *standby, "-i", "-H", "-A"]
    if drive.family == "scsi":
        words += ["-l", "error"]  # the counters of SAS; other drives keep a list there
    words += ["-d", drive.kind]
    done = run_tool(host, [*words, drive.node], timeout_s)
    report = read_report(done.stdout, done.code)
    if report.serial and drive.serial and not _same(report.serial, drive.serial):
        raise SourceError(
            f"the drive {report.serial} is there now, not {drive.serial}",
            where=drive.node,
        )
    if report.status is not Status.OK:
        gap = (math.nan, report.status)
        quantities = ("temperature", *(q for each in QUANTITIES.values() for q in each))
        # A drive in standby is in order.
        trouble = said_plainly(report.trouble) if report.status is Status.ERROR else ""
        return Answer(dict.fromkeys(quantities, gap), done.stdout, trouble)
    return Answer(report.values, done.stdout)


def _same(reported: str, expected: str) -> bool:
    """Compare serial numbers; udev cuts long ones short, or pads them."""
    first = reported.replace(" ", "")
    second = expected.replace(" ", "").replace("_", "")  # udev's sign for a space
    return first.startswith(second) or second.startswith(first)


CAPTURE_S = 30.0
"""Seconds for one drive; a full report takes many commands."""


@dataclass(frozen=True, slots=True)
class Captured:
    """What one drive answered.

    Attributes:
        name: The drive and its serial number, such as "sdb-ZAD2JFJ5".
        text: Its full report as JSON, or why there is none.
        answered: Whether there is one.
    """

    name: str
    text: str
    answered: bool

    @property
    def file_name(self) -> str:
        """What it is kept as, such as "smart-sdb-ZAD2JFJ5.json"."""
        return f"smart-{self.name}.{'json' if self.answered else 'txt'}"


def capture_smart(
    host: Host, drives: Sequence[Drive], timeout_s: float = CAPTURE_S
) -> list[Captured]:
    """Get the full report of each drive (`smartctl -x`).

    Drives in standby are not woken. A drive that does not answer has the reason as
    its text, so that a look at the files says which one is missing and why.

    Args:
        host: The machine with the drives.
        drives: The drives.
        timeout_s: Seconds for one drive.

    Raises:
        SourceError: smartctl is missing, or the host is lost.
    """

    def capture(drive: Drive) -> str:
        standby = ("-n", f"standby,{STANDBY_CODE}")
        words = ["smartctl", "-j", *standby, "-x", "-d", drive.kind, drive.node]
        return run_tool(host, words, timeout_s).stdout

    pool = DrivePool(capture, timeout_s + 1.0)
    captured = []
    for first in range(0, len(drives), AT_ONCE):
        group = drives[first : first + AT_ONCE]
        answers = pool.ask_all(group, monotonic_ns())
        for drive in group:
            text = answers.get(drive, f"no answer within {timeout_s:g} s\n")
            captured.append(Captured(_name(drive), text, drive in answers))
    return captured


def _name(drive: Drive) -> str:
    parts = (drive.name, drive.serial)
    name = "-".join(part for part in parts if part)
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name)


def _discover(host: Host) -> list[Found]:
    drives = list_drives(host)
    label = (
        f"{counted(len(drives), 'drive')} ({', '.join(drive.name for drive in drives)})"
    )
    return [Found(label, {})] if drives else []


UNDER_LOAD = Option(
    "under_load",
    "Whether drives are asked while a load runs, which slows SATA drives.",
    Kind.FLAG,
    default=False,
)
DEVICES = Option(
    "devices",
    "Nodes of the drives; without it, all of them.",
    Kind.TEXTS,
    example="/dev/sdb",
)
ENCLOSURE = Option(
    "enclosure",
    "Logical identifier of the enclosure whose slot numbers count, where drives sit "
    "in several.",
    example="500a098000000424",
)

DRIVER = Driver(
    "thermal",
    "smart",
    "Drives by SMART (smartctl): SAS, SATA, NVMe",
    (DEVICES, period(60.0, 10.0), HOST, UNDER_LOAD, ENCLOSURE),
    Smart,
    _discover,
)
