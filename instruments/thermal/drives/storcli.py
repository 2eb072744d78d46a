"""Reads what storcli, perccli and their like print of drives, in their JSON.

No controller was at hand: keys and forms are those of published outputs.
"""

import re
from collections.abc import Iterator

from instruments.files.foreign_text import parsed_json
from instruments.thermal.drives.raid_drive import (
    NO_TEMPERATURE,
    Pair,
    RaidDrive,
    alert,
    count,
    degrees,
)

PROGRAMS = ("storcli64", "storcli", "perccli64", "perccli")
"""One tool under several names."""

COMMANDS = (
    ("/cALL/eALL/sALL", "show", "all", "J", "nolog"),
    ("/cALL/sALL", "show", "all", "J", "nolog"),
)
"""Drives in enclosures, and those that the controller sees without one."""

_PATH = re.compile(
    r"Drive /c(\d{1,18})(?:/e(\d{1,18}))?/s(\d{1,18}) - Detailed Information$"
)
_TEMPERATURE = re.compile(r"(-?\d{1,6})\s{0,9}C\b")


def read_storcli(text: str) -> list[RaidDrive]:
    """Read the drives of all controllers.

    Raises:
        ValueError: It is no JSON of storcli.
    """
    document = parsed_json(text)
    controllers = document.get("Controllers") if isinstance(document, dict) else None
    if not isinstance(controllers, list):
        raise ValueError("no list of controllers")
    drives: list[RaidDrive] = []
    for controller in controllers:
        data = _object(controller, "Response Data")
        drives += [
            _drive(found, _object(data, key))
            for key in data
            if (found := _PATH.match(key))
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
        said = _object(controller, "Command Status").get("Description")
        if isinstance(said, str):
            return said
    return ""


def _drive(path: re.Match[str], detail: dict[str, object]) -> RaidDrive:
    state, attributes = {}, {}
    for key, part in _parts(detail):
        if key.endswith(" State"):
            state = part
        elif key.endswith(" Device attributes"):
            attributes = part
    values: dict[str, Pair] = {
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


def _temperature(told: object) -> Pair:
    found = _TEMPERATURE.search(told) if isinstance(told, str) else None
    return degrees(float(found[1])) if found else NO_TEMPERATURE


def _parts(detail: dict[str, object]) -> Iterator[tuple[str, dict[str, object]]]:
    for key, part in detail.items():
        if isinstance(part, dict):
            yield key, part


def _object(parent: object, key: str) -> dict[str, object]:
    value = parent.get(key) if isinstance(parent, dict) else None
    return value if isinstance(value, dict) else {}
