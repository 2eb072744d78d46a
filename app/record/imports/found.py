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
    """The clock of a file.

    Attributes:
        kind: What its times count from.
        spread_ns: How far they may be off.
        method: Where they come from, for the offset that is stored.
    """

    kind: Clock
    spread_ns: int
    method: str


@dataclass(frozen=True, slots=True)
class FoundTrace:
    """Values of some quantities over time.

    Attributes:
        quantities: (quantity, unit, location) of each column.
        period_ns: Nominal time between two rows.
        window_ns: What a row is averaged over; 0 where it is not said.
        starts: Start of each row in ns of the file's clock.
        ends: End of each row.
        values: One row a time; NaN where there is no value.
        over: Of the same shape, where a meter was over range; None for nowhere.
    """

    quantities: tuple[tuple[str, str, str], ...]
    period_ns: int
    window_ns: int
    starts: Times
    ends: Times
    values: Floats
    over: npt.NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class FoundStep:
    """One step as a file tells of it.

    Attributes:
        label: What it is called.
        engine: What made the load.
        start_ns: When it began, in ns of the file's clock, ramp included.
        window: The measured window, None where it is not said.
        values: Its results by the names of report_table.
        options: The engine's options, as it calls them.
        ramp_s: Seconds before the window.
        fault: "FAIL" for the device, "ABORTED" for a run that was cut short, "ERROR"
            for the rest, "" for none.
        reason: The sentence for it, or what is to be known of its values.
        notes: What is to be known of single results, by name.
    """

    label: str
    engine: str
    start_ns: int
    window: tuple[int, int] | None
    values: Mapping[str, Measured]
    options: Mapping[str, str] = field(default_factory=dict)
    ramp_s: float = 0.0
    fault: str = ""
    reason: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """What one file holds.

    Attributes:
        path: The file.
        kind: What it is, such as "fio JSON".
        engine: The source that it is of: "fio", "vdbench", "mains" and so on.
        section: "load" or "power".
        clock: What its times count from.
        extent: First and last time in ns of its clock.
        maker: Who made what measured.
        model: What measured.
        serial: Its serial number.
        version: Its version.
        steps: Steps.
        traces: Traces.
        run_logs: For the name of a log that belongs to it, without "_bw.1.log", the
            number of the step that each job wrote it in, -1 for none.
        remarks: What is to be known of the whole.
        run_path: The run's own file, where this is beside it.
        more_paths: Further files that it was read from.
    """

    path: Path
    kind: str
    engine: str
    section: str
    clock: FileClock
    extent: tuple[int, int]
    maker: str = ""
    model: str = ""
    serial: str = ""
    version: str = ""
    steps: tuple[FoundStep, ...] = ()
    traces: tuple[FoundTrace, ...] = ()
    run_logs: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    run_path: Path | None = None
    more_paths: tuple[Path, ...] = ()

    @property
    def folder(self) -> Path:
        """Where its file is, as of a log that may be beside it."""
        return self.path.absolute().parent

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files that it was read from."""
        return self.path, *self.more_paths
