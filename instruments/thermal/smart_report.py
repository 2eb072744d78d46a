"""What smartctl says of one drive, in its JSON."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from instruments.reading import Status

STANDBY_CODE = 3
"""What `-n standby,3` lets it exit with; 2, the default, also means "not opened"."""

_NO_DATA = 0b11
_TEMPERATURE_ALARM = 0b10
"""Bit of NVMe's critical warning."""

_ATTRIBUTES = {
    5: "reallocated",
    187: "uncorrectable",
    197: "pending",
    199: "crc_errors",
}
QUANTITIES = {
    "sat": ("smart_failing", "reallocated", "pending", "crc_errors"),
    "scsi": ("smart_failing", "grown_defects", "wear"),
    "nvme": ("smart_failing", "media_errors", "wear"),
}
"""Counts of errors that each kind of drive tells; wear is a share of its life."""

Pair = tuple[float, Status]
Object = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SmartReport:
    """One report.

    Attributes:
        status: OK where it has data; otherwise why not.
        trouble: What smartctl complained of.
        serial: Serial number; "" where it is not told.
        model: Model; "" where it is not told.
        values: Value and status by quantity: temperature in degC, and counts.
    """

    status: Status
    trouble: str = ""
    serial: str = ""
    model: str = ""
    values: Mapping[str, Pair] = field(default_factory=dict)


def read_report(text: str, code: int) -> SmartReport:
    """Read what `smartctl -j` printed.

    Args:
        text: What it printed.
        code: Its exit code, a mask of bits: 0 and 1 mean no data, 2 that a command
            failed, the others tell of the drive's health and past.
    """
    try:
        document = json.loads(text)
    except ValueError:
        return SmartReport(Status.ERROR, "smartctl printed no JSON")
    if not isinstance(document, dict):
        return SmartReport(Status.ERROR, "smartctl printed no report")
    trouble = _trouble(document)
    if code == STANDBY_CODE:
        return SmartReport(Status.STANDBY, trouble or "the drive is in standby")
    serial, model = _text(document, "serial_number"), _text(document, "model_name")
    if code < 0 or code & _NO_DATA:
        said = trouble or f"smartctl ended with code {code}"
        return SmartReport(Status.ERROR, said, serial, model)
    values = {"temperature": _temperature(document), **_health(document)}
    return SmartReport(Status.OK, trouble, serial, model, values)


def _temperature(document: Object) -> Pair:
    """Get the temperature; the raw values of attributes are no temperatures."""
    told = _object(document, "temperature")
    current = _number(told, "current")
    trip = _number(told, "drive_trip")
    if math.isnan(current) or (current == 0 and trip == 0):
        # A volume of a RAID controller says 0 of 0: it has no sensor.
        return math.nan, Status.UNSUPPORTED
    log = _object(document, "nvme_smart_health_information_log")
    warning = _number(log, "critical_warning")
    alarm = not math.isnan(warning) and int(warning) & _TEMPERATURE_ALARM
    if alarm or (trip > 0 and current >= trip):
        return current, Status.CRIT
    return current, Status.OK


def _health(document: Object) -> dict[str, Pair]:
    found: dict[str, float] = {}
    passed = _object(document, "smart_status").get("passed")
    if isinstance(passed, bool):
        found["smart_failing"] = float(not passed)
    table = _object(document, "ata_smart_attributes").get("table")
    for row in table if isinstance(table, list) else ():
        if isinstance(row, dict) and row.get("id") in _ATTRIBUTES:
            # Some drives keep other facts in the upper bytes of the raw value.
            raw = _number(_object(row, "raw"), "value")
            if not math.isnan(raw):
                found[_ATTRIBUTES[row["id"]]] = float(int(raw) & 0xFFFFFFFF)
    log = _object(document, "nvme_smart_health_information_log")
    found["media_errors"] = _number(log, "media_errors")
    # The first where smartctl is 7.5 or newer, whatever the drive is.
    worn = _number(_object(document, "endurance_used"), "current_percent")
    for told in (
        _number(log, "percentage_used"),
        _number(document, "scsi_percentage_used_endurance_indicator"),
    ):
        worn = told if math.isnan(worn) else worn
    found["wear"] = worn
    found["grown_defects"] = _number(document, "scsi_grown_defect_list")
    return {
        name: (value, Status.CRIT if name == "smart_failing" and value else Status.OK)
        for name, value in found.items()
        if not math.isnan(value)
    }


def _trouble(document: Object) -> str:
    messages = _object(document, "smartctl").get("messages")
    if not isinstance(messages, list):
        return ""
    texts = (_text(each, "string") for each in messages if isinstance(each, dict))
    return "; ".join(text for text in texts if text)


def _object(parent: Object, key: str) -> dict[str, object]:
    value = parent.get(key)
    return value if isinstance(value, dict) else {}


def _number(parent: Object, key: str) -> float:
    value = parent.get(key)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else math.nan  # type: ignore[arg-type]


def _text(parent: Object, key: str) -> str:
    value = parent.get(key)
    return value.strip() if isinstance(value, str) else ""
