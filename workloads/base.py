"""The seam of all loads: run until the end or a stop, emit readings, give a result."""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol

from instruments.reading import Channel, Reading

Emit = Callable[[Reading], None]
"""Takes each live reading of a load."""

Say = Callable[[str, str], None]
"""Takes (level, message) for the event log."""


class LoadOutcome(StrEnum):
    """How a load ended.

    DEVICE_FAILED is the fault of the target (an I/O error), FAILED of the bench.
    """

    DONE = "done"
    DEVICE_FAILED = "device failed"
    FAILED = "failed"
    STOPPED = "stopped"


class LoadCause(StrEnum):
    """Why a load did not end as planned; the reason beside it is for the reader."""

    NONE = ""
    STOPPED = "stopped"  # whoever ran it ended it
    OVERTIME = "overtime"  # it did not end in time
    GUARD = "guard"  # it had something open that it must not have
    BUDGET = "budget"  # the write budget was used up
    DEVICE = "device"  # I/O errors of its target
    PROGRAM = "program"  # its program failed
    RESULTS = "results"  # its results are incomplete
    HOST = "host"  # a load host was lost

    @property
    def outcome(self) -> LoadOutcome:
        """How a load with this cause ended."""
        return _OUTCOMES.get(self, LoadOutcome.FAILED)


# Every other cause is the fault of the bench.
_OUTCOMES = {
    LoadCause.NONE: LoadOutcome.DONE,
    LoadCause.STOPPED: LoadOutcome.STOPPED,
    LoadCause.DEVICE: LoadOutcome.DEVICE_FAILED,
}


@dataclass(frozen=True, slots=True)
class Artefact:
    """A raw output of a load, kept with the session."""

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Measured:
    """One value of a load's own result, with its unit and where it is found."""

    value: float
    unit: str
    origin: str


@dataclass(frozen=True, slots=True)
class LoadResult:
    """What a load leaves behind.

    Attributes:
        outcome: How it ended.
        reason: A sentence for everything but DONE.
        window: Monotonic start and end of the measured window, None if there is none.
        values: Results by the names of report_table.
        artefacts: Its raw outputs.
        jobs: How many jobs of fio ran side by side: numjobs of each device and host.
        apart_s: Seconds that lie at least between the starts of its jobs; None where
            that is not known.
        cause: Why it is not DONE.
        remark: A sentence on what its values are worth; "" for none.
    """

    outcome: LoadOutcome
    reason: str = ""
    window: tuple[int, int] | None = None
    values: Mapping[str, Measured] = field(default_factory=dict)
    artefacts: tuple[Artefact, ...] = ()
    jobs: int = 1
    apart_s: float | None = None
    cause: LoadCause = LoadCause.NONE
    remark: str = ""


class End(NamedTuple):
    """Why a load, or its program, ended; without a cause it came to its end."""

    cause: LoadCause = LoadCause.NONE
    reason: str = ""

    def __bool__(self) -> bool:
        return bool(self.cause)

    def result(
        self,
        window: tuple[int, int] | None,
        values: Mapping[str, Measured] | None = None,
        artefacts: Iterable[Artefact] = (),
    ) -> LoadResult:
        """Make the result of a load that ended so."""
        return LoadResult(
            self.cause.outcome,
            self.reason,
            window,
            values or {},
            tuple(artefacts),
            cause=self.cause,
        )


class Workload(Protocol):
    """A load that Bayscope runs; `run` blocks until it has ended.

    Attributes:
        name: Name of the source its readings belong to, such as "fio".
        driver: Name of the engine.
    """

    name: str
    driver: str

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get all channels that the load may emit."""
        ...

    def run(self, emit: Emit, say: Say, stop: threading.Event) -> LoadResult:
        """Run the load until it ends, or until the caller sets `stop`."""
        ...
