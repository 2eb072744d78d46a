"""What was found in a file: steps and traces, on the file's own clock."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path

import numpy as np
import numpy.typing as npt

from instruments.errors import BadInput
from workloads.base import Measured
from workloads.fio.output import Counters

Times = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MS = 1_000_000
"""Nanoseconds in a millisecond."""


END_NS = 7_258_118_400 * 10**9
"""The first moment of 2200 in ns since 1970; 64 bits end in 2262."""


def midnight_ns(day: date) -> int:
    """Get the begin of a day in ns since 1970, as if its zone were UTC.

    Raises:
        BadInput: It is none of 1970 to 2199.
    """
    if not 1970 <= day.year < 2200:
        raise BadInput(
            f"{day} is not a date on which it was measured",
            where="date",
            way_out="Expected one from 1970 to 2199.",
        )
    moment = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return round(moment.timestamp()) * 1_000_000_000


class Clock(StrEnum):
    """What the times of a file count from.

    WALL: 1970, UTC. LOCAL: 1970, in a zone that is not said. DAY: midnight of the
    first row, in a zone that is not said. OWN: the begin of what the file tells of.
    """

    WALL = "wall"
    LOCAL = "local"
    DAY = "day"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class FileClock:
    """The clock of a file."""

    kind: Clock  # what its times count from
    spread_ns: int  # how far they may be off
    method: str  # where they come from, for the offset that is stored


@dataclass(frozen=True, slots=True)
class FoundTrace:
    """Values of some quantities over time."""

    # (quantity, unit, location) of each column
    quantities: tuple[tuple[str, str, str], ...]
    period_ns: int  # nominal time between two rows
    window_ns: int  # what a row is averaged over; 0 where it is not said
    starts: Times  # start of each row in ns of the file's clock
    ends: Times  # end of each row
    values: Floats  # one row a time; NaN where there is no value
    # of the same shape, where a meter was over range; None for nowhere
    over: npt.NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class FoundStep:
    """One step as a file tells of it."""

    label: str  # what it is called
    engine: str  # what made the load
    start_ns: int  # when it began, in ns of the file's clock, ramp included
    window: tuple[int, int] | None  # the measured window, None where it is not said
    values: Mapping[str, Measured]  # its results by the names of report_table
    # the engine's options, as it calls them
    options: Mapping[str, str] = field(default_factory=dict)
    ramp_s: float = 0.0  # seconds before the window
    # "FAIL" for the device, "ABORTED" for a run that was cut short, "ERROR" for the
    # rest, "" for none
    fault: str = ""
    reason: str = ""  # the sentence for it, or what is to be known of its values
    # what is to be known of single results, by name
    notes: Mapping[str, str] = field(default_factory=dict)
    # what was counted, by direction, where all of it has histograms; and on how many
    # machines
    counted: Mapping[str, Counters] = field(default_factory=dict)
    hosts: int = 1


@dataclass(frozen=True, slots=True)
class Found:
    """What one file holds."""

    path: Path
    kind: str  # what it is, such as "fio JSON"
    engine: str  # the source that it is of: "fio", "vdbench", "mains" and so on
    section: str  # "load" or "power"
    clock: FileClock  # what its times count from
    extent: tuple[int, int]  # first and last time in ns of its clock
    maker: str = ""  # who made what measured
    model: str = ""  # what measured
    serial: str = ""  # its serial number
    version: str = ""
    steps: tuple[FoundStep, ...] = ()
    traces: tuple[FoundTrace, ...] = ()
    # for the name of a log that belongs to it, without "_bw.1.log", the number of the
    # step that each job wrote it in, -1 for none
    run_logs: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()  # what is to be known of the whole
    run_path: Path | None = None  # the run's own file, where this is beside it
    more_paths: tuple[Path, ...] = ()  # further files that it was read from

    @property
    def folder(self) -> Path:
        """Where its file is, as of a log that may be beside it."""
        return self.path.absolute().parent

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files that it was read from."""
        return self.path, *self.more_paths
