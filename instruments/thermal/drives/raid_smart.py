"""Drives behind a RAID controller, one by one through smartctl."""

import re
from dataclasses import replace

from instruments.errors import BadInput, SourceError
from instruments.reading import Status
from instruments.thermal.drives.drive_list import Drive
from instruments.thermal.drives.drive_tool import run_tool
from instruments.thermal.drives.smart import Smart
from instruments.thermal.drives.smart_report import STANDBY_CODE, read_report
from instruments.tools.hosts import Host

_TYPES = re.compile(r"(sat\+)?(megaraid,\d+|cciss,\d+|aacraid,\d+,\d+,\d+)")


class RaidSmart(Smart):
    """Drives that smartctl tells apart by type, such as "megaraid,3".

    The drives of some controllers share one world wide name: their serial numbers
    tell them apart.

    Args:
        name: Name of the source.
        host: Where smartctl runs.
        types: What -d is given for each drive.
        device: The device that they are reached through.
        period_s: Seconds until each drive is asked again.
        under_load: Whether drives are asked while a load runs.

    Raises:
        BadInput: A type is none of a RAID controller.
    """

    driver = "raid"

    def __init__(
        self,
        name: str,
        host: Host,
        types: tuple[str, ...],
        device: str = "",
        *,
        period_s: float = 60.0,
        under_load: bool = False,
    ) -> None:
        super().__init__(name, host, types, period_s=period_s, under_load=under_load)
        for kind in types:
            if not _TYPES.fullmatch(kind):
                raise BadInput(
                    f'types has "{kind}"',
                    where="types",
                    way_out="Expected megaraid,N, cciss,N or aacraid,H,L,ID, with "
                    "sat+ before it for SATA drives where smartctl wants it.",
                )
        self._device = device or "/dev/bus/0"

    def find(self) -> list[Drive]:
        """Get the drives and their serial numbers, without waking one."""
        return [self._identify(Drive(self._device, kind)) for kind in self.nodes]

    def _identify(self, drive: Drive) -> Drive:
        standby = f"standby,{STANDBY_CODE}"
        words = ["smartctl", "-j", "-n", standby, "-i", "-d", drive.kind, drive.node]
        try:
            done = run_tool(self.host, words, self.timeout_s)
        except SourceError as error:
            if error.status is Status.TIMEOUT:
                return drive  # it is asked again in its turn
            raise
        report = read_report(done.stdout, done.code)
        return replace(drive, serial=report.serial, model=report.model)
