"""Temperatures of SAS drives by their temperature log page, also under load.

It is one cheap command, where a report of SMART is several; that it does not disturb
a load is judged, not measured. SATA drives have no such page.
"""

import math
import re
from collections.abc import Sequence

from instruments.driver import HOST, Driver, Found, period
from instruments.errors import SourceError
from instruments.reading import Identity, Judged, Reading, Status
from instruments.sizes import counted
from instruments.thermal.drives.drive_list import Drive, choose_drives, list_drives
from instruments.thermal.drives.drive_poll import Answer, DrivePoll
from instruments.thermal.drives.drive_tool import run_tool, said_plainly
from instruments.thermal.drives.same_drives import SameDrives
from instruments.thermal.drives.smart import DEVICES, ENCLOSURE
from instruments.tools.command import Completed
from instruments.tools.hosts import Host

# As sg_logs prints page 0x0d: "Current temperature = 31 C".
_CURRENT = re.compile(r"Current temperature = (-?\d{1,18}) C")
_REFERENCE = re.compile(r"Reference temperature = (-?\d{1,18}) C")
_PAGE = re.compile(r"Temperature (?:log )?page", re.IGNORECASE)
# sg3_utils(8), EXIT STATUS: the device is not ready, as a drive in standby.
_NOT_READY = 2
_ILLEGAL_REQUEST = (5, 9)


class DriveLogs(DrivePoll):
    """Temperatures of SAS drives as a source of section "thermal"."""

    driver = "drives"
    asks_under_load = True
    _same: SameDrives | None = None

    def open(self) -> Identity:
        """Find the drives, and keep in mind who they are; raises SourceError."""
        identity = super().open()
        nodes = [drive.node for drive in self.drives]
        self._same = SameDrives(self.name, self.host, nodes)
        return identity

    def read(self) -> Reading:
        """Ask the drives whose turn it is, unless one is another one now."""
        if self._same is not None:  # else it is not open, as the reading will say
            self._same.check()
        return super().read()

    def find(self) -> list[Drive]:
        """Get the SAS drives, or those that are named; see `DrivePoll`."""
        drives = choose_drives(self.host, self.nodes)
        chosen = drives if self.nodes else [d for d in drives if d.kind == "scsi"]
        if not chosen:
            raise SourceError(
                "there is no SAS drive",
                where="lsblk",
                way_out="SATA and NVMe drives are read with the driver hwmon or smart.",
            )
        return chosen

    def quantities(self, drive: Drive) -> Sequence[tuple[str, str]]:  # noqa: ARG002
        """Get the temperature alone; see `DrivePoll`."""
        return (("temperature", "degC"),)

    def ask(self, drive: Drive) -> Answer:
        """Ask sg_logs; see `DrivePoll`."""
        words = ["sg_logs", "--readonly", "-p", "0x0d", drive.node]
        done = run_tool(self.host, words, self.timeout_s)
        value = read_page(done)
        trouble = ""
        if value[1] is Status.ERROR:
            complaint = done.stderr.strip().partition("\n")[0]
            trouble = said_plainly(complaint or "it is not a temperature page")
        return Answer({"temperature": value}, done.stdout or done.stderr, trouble)

    def identify(self, drives: Sequence[Drive]) -> Identity:
        """Get the version of sg_logs, and so see that it is there; see `DrivePoll`."""
        done = run_tool(self.host, ["sg_logs", "--version"], self.timeout_s)
        version = (done.stdout or done.stderr).strip()
        return Identity(
            maker="sg3_utils",
            model=counted(len(drives), "SAS drive"),
            serial="",
            firmware=f"sg_logs {version.removeprefix('version: ')}",
            address=" ".join(drive.node for drive in drives),
        )


def read_page(done: Completed) -> Judged:
    """Read the temperature in degC from what sg_logs printed.

    The drive's reference temperature is the most it is specified for.
    """
    if done.code == _NOT_READY:
        return math.nan, Status.STANDBY
    if done.code in _ILLEGAL_REQUEST:
        return math.nan, Status.UNSUPPORTED
    current = _CURRENT.search(done.stdout)
    if done.code != 0 or not _PAGE.search(done.stdout):
        return math.nan, Status.ERROR
    if current is None:
        return math.nan, Status.UNSUPPORTED
    value = float(current[1])
    reference = _REFERENCE.search(done.stdout)
    is_hot = reference is not None and value >= float(reference[1])
    return value, Status.WARN if is_hot else Status.OK


def _discover(host: Host) -> list[Found]:
    drives = [drive for drive in list_drives(host) if drive.kind == "scsi"]
    names = ", ".join(drive.name for drive in drives)
    label = f"{counted(len(drives), 'SAS drive')} ({names})"
    return [Found(label, {})] if drives else []


DRIVER = Driver(
    "thermal",
    "drives",
    "SAS drive temperatures, also under load (sg_logs)",
    (DEVICES, period(30.0, 5.0), HOST, ENCLOSURE),
    DriveLogs,
    _discover,
)
