"""One log file of an HMC8015 as it was read: its facts, its rows, its columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from instruments.errors import BadInput
from instruments.reading import Status


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a log.

    Attributes:
        quantity: As a channel is called, such as "P".
        unit: Unit, as the log says.
        values: One a row; NaN where there was none.
        statuses: One a row.
    """

    quantity: str
    unit: str
    values: tuple[float, ...]
    statuses: tuple[Status, ...]


@dataclass(frozen=True, slots=True)
class Log:
    """One log file.

    Attributes:
        facts: What its head says, as written: Device, Date, Serial No. and so on.
        day: The date of its first row, None where the head has none that can be read
            in one way only.
        seconds: Time of each row in seconds since the midnight before the first row.
        columns: What was measured.
        left_out: What was damaged, with its line.
    """

    facts: Mapping[str, str]
    day: date | None
    seconds: tuple[float, ...]
    columns: tuple[Column, ...]
    left_out: tuple[str, ...] = ()

    def times(self, zone: tzinfo, day: date | None = None) -> tuple[datetime, ...]:
        """Get wall-clock times; a pause of a day or more in the log is not seen.

        Args:
            zone: The zone of the meter's clock, which the log does not tell.
            day: The date of the first row, where the head has none.

        Raises:
            BadInput: No date is known.
        """
        first = day or self.day
        if first is None:
            raise BadInput(
                "the log does not say of what day it is",
                where=self.facts.get("file", ""),
                way_out="Give the date of its first row.",
            )
        midnight = datetime(first.year, first.month, first.day, tzinfo=zone)
        return tuple(midnight + timedelta(seconds=s) for s in self.seconds)
