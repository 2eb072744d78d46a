"""How a fio ended: done, stopped, the fault of a device, or of the bench."""

import errno
import os
import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workloads.base import End, LoadCause
from workloads.fio.stream import error_text, job_errors
from workloads.fio_job import FioJob
from workloads.tool_ended import judge_forced

DEVICE_ERRORS = (
    errno.EIO,
    errno.EREMOTEIO,
    errno.EILSEQ,
    errno.ETIMEDOUT,
    errno.ENODEV,
    errno.ENXIO,
)
"""Errors that are the fault of the target; every other one is the bench's."""

# Some versions before 3.42 can deadlock between their thread of statistics and a job.
OVERTIME_S = 30.0
"""A load that outlives its ramp and runtime by this much is ended."""

_KILLED = (
    "something killed it: look for out of memory with journalctl -k, "
    "then run the step again"
)
_CRASHED = "look into its output in the session, and try another version of fio"


@dataclass(frozen=True, slots=True)
class Ended:
    """How one fio ended, and what it printed.

    Attributes:
        code: Its exit code, negative for a signal, None where it is not known.
        forced: Why we ended it; no cause where it ended by itself.
        document: Its last document, None where there is none.
        window: Monotonic start and end of what the document measured, or None.
        messages: What it printed beside documents.
        packed: Everything it printed, zlib-compressed.
        command: Its command line, and what the job calls its targets.
        apart_s: Seconds that lie at least between the starts of its jobs, None where
            that is not known.
    """

    code: int | None
    forced: End = field(default_factory=End)
    document: Mapping[str, Any] | None = None
    window: tuple[int, int] | None = None
    messages: Sequence[str] = field(default_factory=tuple)
    packed: bytes = b""
    command: str = ""
    apart_s: float | None = None


# fio: io_u error on file /run/folder/target2: Input/output error: write offset=...
_ON_FILE = re.compile(r"io_u error on file (?:\S*/)?(target\d*):")
# Devices named in a sentence; all of them are in the table of devices.
_MOST_NAMED = 3


def judged(job: FioJob, ended: Ended) -> End:
    """Judge a fio that has ended."""
    overtime = f"{OVERTIME_S:.0f} s after its runtime and was ended"
    if forced := judge_forced(ended.forced, "fio", overtime):
        return forced
    errors = list(job_errors(ended.document)) if ended.document else []
    of_bench = [error for error in errors if error[1] not in DEVICE_ERRORS]
    if of_bench:
        what = f"fio failed on {_where(job, of_bench, ended.messages)}"
        return End(LoadCause.PROGRAM, what)
    if errors:
        what = f"I/O error on {_where(job, errors, ended.messages)}"
        return End(LoadCause.DEVICE, what)
    if ended.forced.cause is LoadCause.STOPPED:
        return End(LoadCause.STOPPED, "fio was stopped before its end")
    return _exit_judged(ended)


def _where(
    job: FioJob, errors: Sequence[tuple[str, int]], messages: Sequence[str]
) -> str:
    """Name the targets that failed, and say what became of the others."""
    if not job.devices:
        message = error_text(list(messages)) or os.strerror(errors[0][1])
        return f"{_members(job, messages)}: {message}"
    paths = dict(zip(job.devices, job.targets, strict=True))
    named = [
        f"{paths.get(name, 'an unknown device')} ({name}): {os.strerror(number)}"
        for name, number in errors[:_MOST_NAMED]
    ]
    if len(errors) > _MOST_NAMED:
        named.append(f"{len(errors) - _MOST_NAMED} more of them")
    others = len(job.devices) - len(errors)
    if not others:
        return "; ".join(named)
    went_on = f"the other {others} of {len(job.devices)} devices went on"
    return "; ".join((*named, went_on))


def _members(job: FioJob, messages: Sequence[str]) -> str:
    """Name what failed of a job that has one target, or all of them as an array."""
    paths = dict(zip(job.links, job.targets, strict=True))
    named = [match[1] for text in messages if (match := _ON_FILE.search(text))]
    failed = dict.fromkeys(str(paths[name]) for name in named if name in paths)
    if len(paths) == 1:
        return str(job.targets[0])
    return ", ".join(failed) or f"one of {len(paths)} targets that fio does not name"


def _exit_judged(ended: Ended) -> End:
    code = ended.code
    # Without a document nothing was measured, whatever the exit code says.
    if code == 0 and ended.document is not None:
        return End()
    what = f"fio failed (exit code {code}): "
    what += error_text(list(ended.messages)) or "it printed no message"
    if code is not None and code < 0:
        advice = _KILLED if -code == signal.SIGKILL else _CRASHED
        what = f"fio was ended by signal {signal.Signals(-code).name}; {advice}"
    return End(LoadCause.PROGRAM, what)
