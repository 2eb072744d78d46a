"""Reads what arcconf prints of drives (`GETCONFIG n PD`); it knows only text.

No controller was at hand: names and forms are those of published outputs, and that a
temperature reads "36 C/ 96 F" or "36 deg C" is assumed.
"""

import re
from collections.abc import Iterator, Mapping

from instruments.thermal.drives.raid_drive import (
    NO_TEMPERATURE,
    Pair,
    RaidDrive,
    alert,
    count,
    degrees,
)

_DEVICE = re.compile(r"\s*Device #(\d{1,18})\s*$")
_FIELD = re.compile(r"\s+(\S+(?: \S+)*?)\s+: (.*)$")
_TEMPERATURE = re.compile(r"(-?\d{1,6})\s*(?:deg )?C\b")
_SLOT = re.compile(r"Slot (\d{1,9})")
_COUNTS = {
    "medium error count": "media_errors",
    "hardware error count": "other_errors",
}


def read_arcconf(text: str, controller: int) -> list[RaidDrive]:
    """Read the drives of one controller; enclosure processors are left out.

    Raises:
        ValueError: It is no list of physical devices.
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
        elif found := _FIELD.match(line):
            # The first of a name counts: a list of phys follows with names alike.
            fields.setdefault(found[1].lower(), found[2].strip())
    if number >= 0:
        yield number, is_drive, fields


def _drive(number: int, fields: Mapping[str, str], controller: int) -> RaidDrive:
    told = fields.get("current temperature") or fields.get("temperature", "")
    found = _TEMPERATURE.match(told)
    temperature = degrees(float(found[1])) if found else NO_TEMPERATURE
    values: dict[str, Pair] = {"temperature": temperature}
    for key, name in _COUNTS.items():
        if fields.get(key, "").isdigit():
            values[name] = count(float(fields[key]))
    # "S.M.A.R.T." tells whether a drive has warned, not whether it can.
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
