"""Set-up steps as workloads: mkfs on disks one after another, zpool create on all."""

import base64
import contextlib
import errno
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from instruments.errors import Aborted, BadInput, BenchError, OptionError, plain_words
from instruments.files.foreign_text import MISSHAPEN, parsed_json
from instruments.reading import Channel
from instruments.timebase import monotonic_ns
from workloads.base import (
    Artefact,
    Emit,
    End,
    LoadCause,
    LoadOutcome,
    LoadResult,
    Measured,
    Say,
)
from workloads.guard.budget import Budget
from workloads.guard.device import Device
from workloads.guard.helper_client import (
    ASKING,
    HelperProcess,
    ask,
    can_ask,
    disk_request,
    helper_command,
    refusal,
)
from workloads.kept import Kept, counts_artefact
from workloads.setup.job import FileSystem, SetupJob, ZpoolJob
from workloads.setup.made import PENDING, Made, MadeThings, undo
from workloads.setup.make import Evidence, Terms, make_file_system, make_pool

_GRACE_S = 30.0
_IN_ORDER = (2, 3, 4)
"""Exit codes of a helper that says why it made nothing; see `StaysError`."""


class HelperMaker:
    """Has the helper make it, which checks and holds the disks itself."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        self._command = command
        self._refused: list[Made] = []

    def file_system(self, device: Device, wanted: FileSystem, terms: Terms) -> Evidence:
        """Have a file system made; see `make_file_system`."""
        what = {"type": wanted.kind, "options": wanted.options, "mount": wanted.place}
        request = {"verb": "mkfs", "disks": [disk_request(device)], **what}
        number = device.disk.identity.number
        made = Made("mount", wanted.place, PENDING, number)
        return self._make(request, terms, made if wanted.place else None)

    def pool(self, devices: Sequence[Device], job: ZpoolJob, terms: Terms) -> Evidence:
        """Have a pool created; see `make_pool`."""
        disks = [disk_request(device) for device in devices]
        request = {"verb": "zpool", "disks": disks, "options": dict(job.options)}
        return self._make(request, terms, Made("pool", job.name, PENDING))

    def undo(self, made: Made) -> str:
        """Have it taken back; the helper knows what it made."""
        if made in self._refused:
            return f"{made.name} was not made"
        return str(ask("undo", {"made": asdict(made)}, self._command))

    def _make(
        self, request: Mapping[str, object], terms: Terms, made: Made | None
    ) -> Evidence:
        terms.budget.check()
        if terms.stop.is_set():
            raise Aborted("the step was stopped")
        facts = {
            **request,
            "owner": terms.owner,
            "timeout_ms": round(terms.left_s * 1000),
        }
        if made is not None:  # Where both of us are killed, a resumption asks for it.
            with terms.noting(made):
                pass
        with HelperProcess(facts, self._command) as helper:
            code = _wait(helper, terms)
            answer = helper.stdout.read() if code == 0 else b""
            complaints = helper.stderr_text()
        if made is not None and code in _IN_ORDER:
            self._refused.append(made)
        for line in complaints.splitlines():
            _pass_on(line, terms)
        if code == 0:
            return _evidence(answer, terms)
        if terms.stop.is_set():
            raise Aborted("the helper was stopped")
        raise refusal(complaints or "it did not end in time")


def _wait(helper: HelperProcess, terms: Terms) -> int | None:
    """Wait for the helper, or stop it; None where it has not ended in time."""
    # It keeps its own deadline, and needs some time to take back what it began.
    deadline = terms.until + _GRACE_S
    while time.monotonic() < deadline:
        if (code := helper.wait(0.1)) is not None:
            return code
        if terms.stop.is_set():
            helper.send_signal(signal.SIGINT)
            return helper.wait(_GRACE_S)
    return None


def _pass_on(line: str, terms: Terms) -> None:
    try:
        event = parsed_json(line)
        terms.say(str(event["level"]), str(event["message"]))
    except MISSHAPEN:
        return  # the error itself, which is raised


def _evidence(text: bytes, terms: Terms) -> Evidence:
    try:
        answer = parsed_json(text)
        terms.budget.count(int(answer["written"]))
        made = Made(**answer["made"]) if answer["made"] else None
        shown = tuple(
            Artefact(str(name), "text/plain", base64.b64decode(text))
            for name, text in answer["shown"].items()
        )
        return Evidence(made, shown, float(answer["seconds"]))
    except MISSHAPEN as error:
        raise BenchError(
            f"the helper's answer does not fit ({plain_words(error)})",
            way_out="Install the helper of this version.",
        ) from error


def values_of(disks: int, seconds: Sequence[float], origin: str) -> dict[str, Measured]:
    """Get the results: how many disks were done, and how long the slowest took.

    Args:
        disks: How many were done.
        seconds: How long each took, where they were timed apart.
        origin: Where that is from.
    """
    return {
        "disks": Measured(float(disks), "", origin),
        "longest_s": Measured(max(seconds, default=0.0), "s", origin),
    }


class LocalMaker:
    """Making it here, as who we are."""

    file_system = staticmethod(make_file_system)
    pool = staticmethod(make_pool)
    undo = staticmethod(undo)


class Setup:
    """One set-up step on armed disks.

    Its window is the whole of it: it has no steady state, and what is drawn while
    file systems are made is a result like any other.

    Raises:
        BadInput: The job does not fit this number of disks.
    """

    # What it does is reported disk by disk in the events.
    channels: tuple[Channel, ...] = ()

    def __init__(
        self,
        job: SetupJob,
        devices: Sequence[Device],
        made: MadeThings,
        budget: Budget | None = None,
        maker: LocalMaker | HelperMaker | None = None,
    ) -> None:
        self.name = self.driver = job.engine
        _check(job, len(devices))
        self.job = job
        self._devices = tuple(devices)
        self._made = made
        self._budget = budget or Budget()
        self._maker = maker or maker_for()
        self._shown: list[Artefact] = []
        self._done = 0

    def run(
        self,
        emit: Emit,  # noqa: ARG002
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
        end, seconds = End(), list[float]()
        try:
            for evidence in self._steps(terms):
                self._take(evidence)
                seconds.append(evidence.seconds)
        except Aborted as error:
            end = End(LoadCause.STOPPED, self._so_far(str(error)))
        except BenchError as error:
            # mkfs and zpool tell no errno, only the system's words for it.
            broken = os.strerror(errno.EIO) in str(error)
            cause = LoadCause.DEVICE if broken else LoadCause.PROGRAM
            end = End(cause, self._so_far(str(error)))
        values = values_of(self._done, seconds, self.driver)
        counts = {"engine": self.driver, "disks": self._done, "seconds": seconds}
        window = (began, monotonic_ns())
        return end.result(window, values, [*self._shown, counts_artefact(counts)])

    def _steps(self, terms: Terms) -> Iterator[Evidence]:
        if isinstance(self.job, ZpoolJob):
            yield self._maker.pool(self._devices, self.job, terms)
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
            yield self._maker.file_system(device, self.job.on_disk(number), terms)

    def _take(self, evidence: Evidence) -> None:
        is_pool = isinstance(self.job, ZpoolJob)
        self._done += len(self._devices) if is_pool else 1
        self._shown += evidence.shown
        if evidence.made is not None:
            self._note(evidence.made)

    def _note(self, made: Made) -> None:
        self._made.add(made, self._maker.undo, keep=self.job.keep)

    def _noting(self, made: Made) -> contextlib.AbstractContextManager[None]:
        self._note(made)
        return contextlib.nullcontext()

    def _so_far(self, why: str) -> str:
        return f"{self._done} of {len(self._devices)} disks are done, then: {why}"


def _check(job: SetupJob, count: int) -> None:
    try:
        if isinstance(job, ZpoolJob):
            # Only to see that the layout takes as many disks as there are.
            job.argv("zpool", [str(number) for number in range(count)], force=False)
            return
        place = job.on_disk(1).place
        if count > 1 and place and place == job.on_disk(2).place:
            raise BadInput(
                f"{count} disks cannot all be mounted at {place}",
                where=job.label,
                way_out="Put {n}, the number of the disk, into mount: /mnt/bay{n}.",
            )
    except OptionError as error:
        raise BadInput(error.what, where=job.label, way_out=error.way_out) from error


def maker_for() -> LocalMaker | HelperMaker:
    """Get who makes it: we as root, else the helper; mount and zpool need root."""
    return HelperMaker() if can_ask() else LocalMaker()


def maker_unasked() -> LocalMaker | HelperMaker | None:
    """Get who takes back without a question, None where a password would be asked."""
    if not can_ask():
        return LocalMaker()
    with contextlib.suppress(BenchError):
        if (command := helper_command())[0] != ASKING:
            return HelperMaker(command)
    return None


def kept_result(kept: Kept) -> LoadResult:
    """Get its values; none where the times of its disks were not kept.

    Raises:
        ValueError: These are damaged.
    """
    if (counts := kept.counts) is None:
        return LoadResult(LoadOutcome.DONE)
    try:
        seconds = [float(each) for each in counts["seconds"]]
        values = values_of(int(counts["disks"]), seconds, str(counts["engine"]))
    except (KeyError, TypeError) as error:
        raise ValueError("the times of its disks are damaged") from error
    return LoadResult(LoadOutcome.DONE, values=values)
