"""What a RAID controller's tool tells of one drive behind it."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from instruments.reading import Status

Pair = tuple[float, Status]

QUANTITIES = (
    ("temperature", "degC"),
    ("media_errors", ""),
    ("other_errors", ""),
    ("smart_failing", ""),
)
NO_TEMPERATURE: Pair = (math.nan, Status.UNSUPPORTED)


@dataclass(frozen=True, slots=True)
class RaidDrive:
    """One drive.

    Attributes:
        place: Controller, enclosure and slot as the tool names them, such as
            "c0-e252-s3"; unique.
        slot: Slot number; None where the tool tells none.
        serial: Serial number; "" where it is not told.
        model: Model; "" where it is not told.
        values: Value and status by quantity.
    """

    place: str
    slot: int | None
    serial: str = ""
    model: str = ""
    values: Mapping[str, Pair] = field(default_factory=dict)


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


def degrees(number: float) -> Pair:
    """Make a value of a temperature; 0 degC means no sensor, which is assumed."""
    return (number, Status.OK) if number else NO_TEMPERATURE


def count(number: float) -> Pair:
    """Make a value of a count of errors."""
    return number, Status.OK


def alert(is_failing: bool) -> Pair:
    """Make a value of a drive's own alarm."""
    return float(is_failing), Status.CRIT if is_failing else Status.OK
