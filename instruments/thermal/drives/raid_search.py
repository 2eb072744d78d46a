"""Looks for drives behind RAID controllers with whichever tool is there."""

from collections.abc import Callable

from instruments.driver import Found
from instruments.errors import SourceError
from instruments.files.foreign_text import parsed_json
from instruments.thermal.drives.drive_list import counted
from instruments.thermal.drives.drive_tool import run_tool
from instruments.thermal.drives.raid_tool import Arcconf, Storcli
from instruments.tools.hosts import Host

_TIMEOUT_S = 10.0


def find_controllers(host: Host) -> list[Found]:
    """Find ways to drives behind controllers; tools that are missing find none.

    A drive may be reached by two of them: which one is used is for a person to say.
    """
    found: list[Found] = []
    searches: tuple[Callable[[Host], list[Found]], ...] = (
        _by_storcli,
        _by_arcconf,
        _by_smartctl,
    )
    for search in searches:
        try:
            found += search(host)
        except SourceError:
            continue  # the tool is not there, or has no controller
    return found


def _by_storcli(host: Host) -> list[Found]:
    drives, _ = Storcli("raid", host).ask()
    label = f"{counted(len(drives))} behind a controller (storcli)"
    return [Found(label, {"controller": "storcli"})]


def _by_arcconf(host: Host) -> list[Found]:
    drives, _ = Arcconf("raid", host).ask()
    label = f"{counted(len(drives))} behind controller 1 (arcconf)"
    return [Found(label, {"controller": "arcconf", "number": 1})] if drives else []


def _by_smartctl(host: Host) -> list[Found]:
    # --scan looks at what the controllers say; it asks no drive.
    done = run_tool(host, ["smartctl", "--scan", "-j"], _TIMEOUT_S)
    types: dict[str, list[str]] = {}
    try:
        for device in parsed_json(done.stdout).get("devices", ()):
            if "," in device["type"]:
                types.setdefault(device["name"], []).append(device["type"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return []
    return [
        Found(
            f"{counted(len(kinds))} behind {device} (smartctl)",
            {"controller": "smartctl", "device": device, "types": tuple(kinds)},
        )
        for device, kinds in types.items()
    ]
