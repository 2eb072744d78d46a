"""Set-up steps as workloads: mkfs on disks one after another, zpool create on all."""

import contextlib
import errno
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from instruments.errors import Aborted, BadInput, BenchError
from instruments.reading import Channel, Reading
from instruments.timebase import monotonic_ns
from workloads.base import Artefact, LoadOutcome, LoadResult, Measured
from workloads.fio_job import OptionError
from workloads.guard.budget import Budget
from workloads.guard.device import Device
from workloads.guard.helper_client import can_ask
from workloads.setup.helped import HelperHands
from workloads.setup.job import FileSystem, SetupJob, ZpoolJob
from workloads.setup.made import Made, MadeThings, undo
from workloads.setup.make import (
    Evidence,
    Terms,
    make_file_system,
    make_pool,
)
from workloads.tool_ended import Say


class OwnHands:
    """Making it here, as who we are."""

    def file_system(self, device: Device, wanted: FileSystem, terms: Terms) -> Evidence:
        """Make a file system; see `make_file_system`."""
        return make_file_system(device, wanted, terms)

    def pool(self, devices: Sequence[Device], job: ZpoolJob, terms: Terms) -> Evidence:
        """Create a pool; see `make_pool`."""
        return make_pool(devices, job, terms)

    def undo(self, made: Made) -> str:
        """Take it back; see `undo`."""
        return undo(made)


class Setup:
    """One set-up step on armed disks.

    Its window is the whole of it: it has no steady state, and what is drawn while
    file systems are made is a result like any other.

    Args:
        job: What is made.
        devices: Its disks in their order, each armed.
        made: Takes what has to be taken back at the end of the run.
        budget: Counts what is written.
        hands: Who makes it: we, or the helper where we may not.

    Raises:
        BadInput: The job does not fit so many disks.
    """

    def __init__(
        self,
        job: SetupJob,
        devices: Sequence[Device],
        made: MadeThings,
        budget: Budget | None = None,
        hands: OwnHands | HelperHands | None = None,
    ) -> None:
        self.name = self.driver = job.engine
        _check(job, len(devices))
        self.job = job
        self._devices = tuple(devices)
        self._made = made
        self._budget = budget or Budget()
        self._hands = hands or hands_for()
        self._shown: list[Artefact] = []
        self._done = 0

    @property
    def channels(self) -> tuple[Channel, ...]:
        """It has none: what it does is told disk by disk in the events."""
        return ()

    def run(
        self,
        emit: Callable[[Reading], None],  # noqa: ARG002
        say: Say,
        stop: threading.Event,
    ) -> LoadResult:
        """Make it all, one after another, until it is done, refused or stopped.

        The first disk that fails ends the step: a set of disks of which one is
        missing is not what was to be measured.
        """
        began = monotonic_ns()
        until = time.monotonic() + self.job.deadline_s
        terms = Terms(say, stop, until, self._budget, os.getuid(), self._noting)
        outcome, reason = LoadOutcome.DONE, ""
        longest = 0.0
        try:
            for evidence in self._steps(terms):
                self._take(evidence)
                longest = max(longest, evidence.seconds)
        except Aborted as error:
            outcome, reason = LoadOutcome.STOPPED, self._so_far(str(error))
        except BenchError as error:
            broken = os.strerror(errno.EIO) in str(error)
            outcome = LoadOutcome.DEVICE_FAILED if broken else LoadOutcome.FAILED
            reason = self._so_far(str(error))
        values = {
            "disks": Measured(float(self._done), "", self.driver),
            "longest_s": Measured(longest, "s", self.driver),
        }
        window = (began, monotonic_ns())
        return LoadResult(outcome, reason, window, values, artefacts=tuple(self._shown))

    def _steps(self, terms: Terms) -> Iterator[Evidence]:
        if isinstance(self.job, ZpoolJob):
            yield self._hands.pool(self._devices, self.job, terms)
            return
        for number, device in enumerate(self._devices, 1):
            if terms.stop.is_set():
                raise Aborted("mkfs was stopped")
            if time.monotonic() >= terms.until:
                raise BenchError(
                    f"{self.job.deadline_s:g} s are over",
                    where=self.job.label,
                    way_out="Give the step a longer runtime.",
                )
            yield self._hands.file_system(device, self.job.one(number), terms)

    def _take(self, evidence: Evidence) -> None:
        is_pool = isinstance(self.job, ZpoolJob)
        self._done += len(self._devices) if is_pool else 1
        self._shown += evidence.shown
        if evidence.made is not None:
            self._note(evidence.made)

    def _note(self, made: Made) -> None:
        self._made.add(made, self._hands.undo, keep=self.job.keep)

    def _noting(self, made: Made) -> contextlib.AbstractContextManager[None]:
        self._note(made)
        return contextlib.nullcontext()

    def _so_far(self, told: str) -> str:
        return f"{self._done} of {len(self._devices)} disks are done, then: {told}"


def _check(job: SetupJob, count: int) -> None:
    try:
        if isinstance(job, ZpoolJob):
            job.argv("zpool", [str(number) for number in range(count)], force=False)
        elif count > 1 and job.one(1).place and job.one(1).place == job.one(2).place:
            raise BadInput(
                f"{count} disks cannot all be mounted at {job.one(1).place}",
                where=job.label,
                way_out="Let mount have {n}, the number of the disk: /mnt/bay{n}.",
            )
    except OptionError as error:
        raise BadInput(error.what, where=job.label, way_out=error.way_out) from error


def hands_for() -> OwnHands | HelperHands:
    """Get who makes it: we as root, else the helper; mount and zpool need root."""
    return HelperHands() if can_ask() else OwnHands()
