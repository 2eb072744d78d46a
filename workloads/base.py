"""The seam of all loads: run until the end or a stop, emit readings, give a result."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

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


@dataclass(frozen=True, slots=True)
class Artefact:
    """A raw output of a load, kept with the session."""

    name: str
    media_type: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Measured:
    """One value of a load's own result, with its unit and where it stands."""

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
    """

    outcome: LoadOutcome
    reason: str = ""
    window: tuple[int, int] | None = None
    values: Mapping[str, Measured] = field(default_factory=dict)
    artefacts: tuple[Artefact, ...] = ()
    jobs: int = 1
    apart_s: float | None = None


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
