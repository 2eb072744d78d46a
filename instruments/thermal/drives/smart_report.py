"""What smartctl says of one drive, in its JSON."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from instruments.files.foreign_text import object_at, objects_at, parsed_json
from instruments.reading import Judged, Status
from instruments.throttling import NVME as THROTTLING

STANDBY_CODE = 3
"""What `-n standby,3` lets it exit with; 2, the default, also means "not opened"."""

_MOST = 2.0**128
"""The log of NVMe has numbers of 128 bits, and nothing has greater ones."""

_ALL_ONES = 2.0**63
"""From here on, a count of 64 bits is one that the drive does not keep."""

# smartctl(8), EXIT STATUS: bit 0 a bad command line, bit 1 the device did not open.
_NO_DATA = 0b11
_TEMPERATURE_ALARM = 0b10
"""Bit of NVMe's critical warning."""

# ATA attribute 9: power-on hours.
_POWER_ON = 9
_ALL = ("smart_failing", "power_on_hours")
# ATA attributes that count errors, by their numbers.
_ATTRIBUTES = {
    5: "reallocated",
    187: "uncorrectable",
    197: "pending",
    199: "crc_errors",
}
_NVME = "nvme_smart_health_information_log"
_WORN = "scsi_percentage_used_endurance_indicator"
_PATHS = (
    # The first one that is there counts, whatever the drive is.
    ("power_on_hours", ("power_on_time", "hours")),
    ("power_on_hours", (_NVME, "power_on_hours")),
    ("media_errors", (_NVME, "media_errors")),
    ("wear", ("endurance_used", "current_percent")),  # smartctl 7.5 or newer
    ("wear", (_NVME, "percentage_used")),
    ("wear", (_WORN,)),
    ("grown_defects", ("scsi_grown_defect_list",)),
    *(
        (f"{what}_{kind}", ("scsi_error_counter_log", what, field))
        for what in ("read", "write", "verify")
        for kind, field in (
            ("corrected", "total_errors_corrected"),
            ("uncorrected", "total_uncorrected_errors"),
        )
    ),
)
"""Where smartctl has a quantity."""

_ERRORS = tuple(name for name, path in _PATHS if path[0] == "scsi_error_counter_log")
QUANTITIES = {
    "sat": (*_ALL, "reallocated", "uncorrectable", "pending", "crc_errors"),
    "scsi": (*_ALL, "grown_defects", *_ERRORS, "wear"),
    "nvme": (*_ALL, "media_errors", "wear", *THROTTLING),
}
"""What each kind of drive reports of its health: hours, counts of errors, wear as a
share of its life, and how often heat slowed it down."""

_GROWING = (
    *("smart_failing", "reallocated", "uncorrectable", "pending", "crc_errors"),
    *("grown_defects", "media_errors"),
    *(name for name in _ERRORS if name.endswith("_uncorrected")),
)
"""What does not grow in a drive and on a link that are well; SAS drives correct errors
all the time."""

Object = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SmartReport:
    """One report.

    Attributes:
        status: OK where it has data; otherwise why not.
        trouble: What smartctl complained of.
        serial: Serial number; "" where it is not known.
        model: Model; "" where it is not known.
        values: Value and status by quantity: temperature in degC, and counts.
    """

    status: Status
    trouble: str = ""
    serial: str = ""
    model: str = ""
    values: Mapping[str, Judged] = field(default_factory=dict)


def read_report(text: str, code: int) -> SmartReport:
    """Read what `smartctl -j` printed.

    Args:
        text: What it printed.
        code: Its exit code, a mask of bits: 0 and 1 mean no data, 2 that a command
            failed, the others tell of the drive's health and past.
    """
    try:
        document = parsed_json(text)
    except ValueError:
        return SmartReport(Status.ERROR, "smartctl printed no JSON")
    if not isinstance(document, dict):
        return SmartReport(Status.ERROR, "smartctl printed no report")
    trouble = _trouble(document)
    if code == STANDBY_CODE:
        return SmartReport(Status.STANDBY, trouble or "the drive is in standby")
    serial, model = _text(document, "serial_number"), _text(document, "model_name")
    if code < 0 or code & _NO_DATA:
        reason = trouble or f"smartctl ended with code {code}"
        return SmartReport(Status.ERROR, reason, serial, model)
    values = {"temperature": _temperature(document), **_health(document)}
    return SmartReport(Status.OK, trouble, serial, model, values)


def compare_reports(before: str, after: str) -> list[str]:
    """Say which counts of errors grew between two reports of one drive.

    Returns:
        Such as "2 more pending"; empty where none grew, or a report has no data.
    """
    old, new = (read_report(text, 0).values for text in (before, after))
    return [
        f"{new[name][0] - old[name][0]:.15g} more {name}"
        for name in _GROWING
        if name in old and name in new and new[name][0] > old[name][0]
    ]


def _temperature(document: Object) -> Judged:
    """Get the temperature; the raw values of attributes are not temperatures."""
    temperature = object_at(document, "temperature")
    current = _number(temperature, "current")
    trip = _number(temperature, "drive_trip")
    if math.isnan(current) or (current == 0 and trip == 0):
        # A volume of a RAID controller says 0 of 0: it has no sensor.
        return math.nan, Status.UNSUPPORTED
    log = object_at(document, _NVME)
    warning = _number(log, "critical_warning")
    alarm = not math.isnan(warning) and int(warning) & _TEMPERATURE_ALARM
    if alarm or (trip > 0 and current >= trip):
        return current, Status.CRIT
    return current, Status.OK


def _health(document: Object) -> dict[str, Judged]:
    values = _counts(document)
    passed = object_at(document, "smart_status").get("passed")
    if isinstance(passed, bool):
        values["smart_failing"] = float(not passed)
    _add_attributes(values, document)
    return {
        name: (value, Status.CRIT if name == "smart_failing" and value else Status.OK)
        for name, value in values.items()
    }


def _counts(document: Object) -> dict[str, float]:
    """Read what has its own place in the report, whatever the drive is."""
    values: dict[str, float] = {}
    for name, path in _PATHS:
        parent = document
        for key in path[:-1]:
            parent = object_at(parent, key)
        number = _number(parent, path[-1])
        if 0 <= number < _ALL_ONES:
            values.setdefault(name, number)
    log = object_at(document, _NVME)
    for name, (_, factor) in THROTTLING.items():
        # nvme-cli's name, or the one that smartctl has for the same field.
        number = _number(log, name if name in log else name.replace("thm_", "thermal_"))
        if 0 <= number < _ALL_ONES:
            values[name] = number * factor
    return values


def _add_attributes(values: dict[str, float], document: Object) -> None:
    """Add what SATA drives have in their table; other places of the hours win."""
    for row in objects_at(object_at(document, "ata_smart_attributes"), "table"):
        raw = object_at(row, "raw")
        number = _number(raw, "value")
        # The text has what smartctl knows of the drive: "8 (7 0)" are 8 sectors, with
        # other facts in the upper bytes; "12h+34m" is in hours, however it is counted.
        text = re.match(r"\d{1,15}(?=$|h| \()", _text(raw, "string"))
        identifier = row.get("id")
        name = _ATTRIBUTES.get(identifier, "") if isinstance(identifier, int) else ""
        if name and 0 <= number < _ALL_ONES:
            values[name] = float(int(text[0] if text else number) & 0xFFFFFFFF)
        elif identifier == _POWER_ON and text:
            values.setdefault("power_on_hours", float(text[0]))


def _trouble(document: Object) -> str:
    messages = objects_at(object_at(document, "smartctl"), "messages")
    texts = (_text(each, "string") for each in messages)
    return "; ".join(text for text in texts if text)


def _number(parent: Object, key: str) -> float:
    """Get a number; NaN where there is none, or an impossible one."""
    value = parent.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if abs(value) < _MOST else math.nan
    return math.nan


def _text(parent: Object, key: str) -> str:
    value = parent.get(key)
    return value.strip() if isinstance(value, str) else ""
