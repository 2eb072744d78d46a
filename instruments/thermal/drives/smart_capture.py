"""Keeps all that SMART says of drives, such as before and after a step."""

from collections.abc import Sequence

from instruments.thermal.drives.drive_crew import Crew
from instruments.thermal.drives.drive_list import Drive
from instruments.thermal.drives.drive_poll import AT_ONCE
from instruments.thermal.drives.drive_tool import run_tool
from instruments.thermal.drives.smart_report import STANDBY_CODE
from instruments.timebase import monotonic_ns
from instruments.tools.hosts import Host

TIMEOUT_S = 30.0
"""Seconds for one drive; a full report takes many commands."""


def capture_smart(
    host: Host, drives: Sequence[Drive], timeout_s: float = TIMEOUT_S
) -> dict[str, str]:
    """Get the full report of each drive (`smartctl -x`), as JSON text.

    Drives in standby are not woken. A drive that does not answer has the reason as
    its text, so that a look at the files says which one is missing and why.

    Args:
        host: The machine with the drives.
        drives: The drives.
        timeout_s: Seconds for one drive.

    Returns:
        Text by file name, such as "smart-sdb-ZAD2JFJ5.json".

    Raises:
        SourceError: smartctl is missing, or the host is lost.
    """

    def capture(drive: Drive) -> str:
        standby = ("-n", f"standby,{STANDBY_CODE}")
        words = ["smartctl", "-j", *standby, "-x", "-d", drive.kind, drive.node]
        return run_tool(host, words, timeout_s).stdout

    crew = Crew(capture, timeout_s + 1.0)
    texts: dict[str, str] = {}
    for first in range(0, len(drives), AT_ONCE):
        group = drives[first : first + AT_ONCE]
        answers = crew.ask_all(group, monotonic_ns())
        for drive in group:
            if drive in answers:
                texts[_name(drive, "json")] = answers[drive]
            else:
                texts[_name(drive, "txt")] = f"no answer within {timeout_s:g} s\n"
    return texts


def _name(drive: Drive, ending: str) -> str:
    parts = (drive.name, drive.serial)
    name = "-".join(part for part in parts if part)
    plain = "".join(c if c.isalnum() or c in "-_" else "_" for c in name)
    return f"smart-{plain}.{ending}"
