"""What a file does not say of its clock and a person has to: zone, date, offset."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from enum import StrEnum
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.record.imports.found import END_NS, midnight_ns
from instruments.errors import BadInput
from instruments.reading import SECOND

_DISTANCE = re.compile(r"([+-])(\d\d)(?::?(\d\d))?")
_ZONE_HELP = "Expected a time zone such as Europe/Berlin, UTC or +02:00."


class Question(StrEnum):
    """What may have to be said; the value is the option of the command line."""

    ZONE = "--zone"
    DATE = "--date"
    OFFSET = "--offset"
    FIO_VERSION = "--fio-version"


@dataclass(frozen=True, slots=True)
class Answers:
    """What was said."""

    zone: tzinfo | None = None  # the zone of local times, None where it was not said
    day: date | None = None  # the date of times of day, and of files without any clock
    # for files without a clock: how many seconds after the first moment of all the
    # others they begin, or after midnight of the date where no other file has a clock
    offset_s: float | None = None
    # the same for single files by their names; for a file that has a clock, how many
    # seconds later its times belong
    offsets_s: Mapping[str, float] = field(default_factory=dict)
    fio_version: str = ""  # the version that wrote logs whose run is not there

    def offset_ns(self, path: Path) -> int | None:
        """Get the offset that was given for one file by its name."""
        for name in (str(path), path.name):
            if name in self.offsets_s:
                return round(self.offsets_s[name] * SECOND)
        return None


def parse_answers(
    *,
    zone: str = "",
    day: str = "",
    offsets: tuple[str, ...] = (),
    fio_version: str = "",
) -> Answers:
    """Read answers from text.

    Args:
        zone: Name of a zone, or +HH:MM; "" for none.
        day: YYYY-MM-DD; "" for none.
        offsets: SECONDS, or FILE=SECONDS, any number of times.
        fio_version: Such as 2.21; "" for none.

    Raises:
        BadInput: One cannot be read.
    """
    common: float | None = None
    single: dict[str, float] = {}
    for text in offsets:
        name, equals, number = text.rpartition("=")
        try:
            seconds = float(number)
        except ValueError:
            seconds = float("nan")
        if not abs(seconds) < 100 * 366 * 86400:
            raise BadInput(
                f'"{text}" is not a valid offset',
                where="--offset",
                way_out="Expected seconds, or FILE=SECONDS.",
            )
        if equals:
            single[name] = seconds
        else:
            common = seconds
    return Answers(
        zone=parse_zone(zone) if zone else None,
        day=_day(day) if day else None,
        offset_s=common,
        offsets_s=single,
        fio_version=fio_version,
    )


def parse_zone(text: str) -> tzinfo:
    """Read a zone: its name or its distance from UTC. Raises BadInput."""
    name = text.strip()
    if name.upper() in ("UTC", "GMT", "Z"):
        return UTC
    if found := _DISTANCE.fullmatch(name):
        minutes = 60 * int(found[2]) + int(found[3] or 0)
        if minutes < 24 * 60:
            return timezone(timedelta(minutes=minutes if found[1] == "+" else -minutes))
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise BadInput(
            f'"{text}" is not a valid time zone', where="--zone", way_out=_ZONE_HELP
        ) from error


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text.strip())
    except ValueError as error:
        raise BadInput(
            f'"{text}" is not a valid date',
            where="--date",
            way_out="Expected YYYY-MM-DD.",
        ) from error


def utc_shift_ns(local_ns: int, zone: tzinfo, where: str) -> int:
    """Get what is to be added to a local time to make it UTC.

    Raises:
        BadInput: The hour happened twice or not at all, when clocks were changed; or
            the year cannot be.
    """
    if not 0 <= local_ns < END_NS:
        raise BadInput(
            "its times are not of the years 1970 to 2199",
            where=where,
            way_out="Exclude it, or correct its clock.",
        )
    plain = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=local_ns // SECOND)
    found = {
        plain.replace(tzinfo=zone, fold=fold).utcoffset() or timedelta()
        for fold in (0, 1)
    }
    if len(found) > 1:
        raise BadInput(
            f"{plain:%Y-%m-%d %H:%M:%S} is in the hour in which clocks were changed "
            f"in {zone}",
            where=where,
            way_out="Give --zone as the distance from UTC, such as +02:00.",
        )
    return -round(found.pop().total_seconds()) * SECOND


def day_ns(day: date, zone: tzinfo, where: str) -> int:
    """Get the UTC time of midnight of a day in a zone, in ns since 1970."""
    local = midnight_ns(day)
    return local + utc_shift_ns(local, zone, where)
