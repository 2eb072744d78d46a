"""Outcomes of steps, their causes and verdicts: FAIL is the device, ERROR the bench."""

from collections.abc import Iterable
from enum import StrEnum


class Outcome(StrEnum):
    """What became of a step."""

    PLANNED = "planned"
    RUNNING = "running"
    DONE = "DONE"
    SKIPPED = "SKIPPED"
    VOID = "VOID"
    ERROR = "ERROR"
    ABORTED = "ABORTED"


class Cause(StrEnum):
    """Why a step did not run to its end or is not a PASS; its reason says it in words.

    Stored in session files: what a code means is never changed.
    """

    NONE = ""
    CRASHED = "crashed"  # the recording program ended, while it ran or before it began
    UNFINISHED = "unfinished"  # the recording was closed before the step was
    INTERLOCK = "interlock"  # paused by an interlock
    STOPPED = "stopped"  # the operator ended the run
    SKIPPED = "skipped"  # the operator went on to the next step
    REFUSED = "refused"  # the operator did not agree to what it does
    NEEDS = "needs"  # a step that it needs was not done
    ENDED = "ended"  # an interlock or an error ended the run
    RECORDER = "recorder"  # the session could not be stored
    BENCH = "bench"  # the bench failed
    LOAD = "load"  # the program of the load failed, or its results are incomplete
    OVERTIME = "overtime"  # the load did not end in time
    GUARD = "guard"  # the load had something open that it must not have
    BUDGET = "budget"  # the write budget was used up
    HOST = "host"  # a load host was lost
    DEVICE = "device"  # the device under test failed
    LIMIT = "limit"  # a limit was broken
    UNJUDGED = "unjudged"  # what a limit is on was not measured, or too little of it
    UNMEASURED = "unmeasured"  # too little was measured for the step to count
    SILENT = "silent"  # a channel or a source delivered nothing
    CACHED = "cached"  # something but the disk answered its I/O
    UNREACHED = "unreached"  # what the plan waits for, as a steady state
    GATE = "gate"  # a gate that the plan asks for was failed
    INTERNAL = "internal"  # an error of the program
    REDONE = "redone"  # another row stands for it after a resumption


BY_OPERATOR = frozenset({Cause.STOPPED, Cause.SKIPPED, Cause.REFUSED})


class Verdict(StrEnum):
    """What a step or a session says: of the device, the bench or the operator."""

    PASS = "PASS"
    FAIL = "FAIL"
    ERROR = "ERROR"
    ABORTED = "ABORTED"

    @property
    def exit_code(self) -> int:
        """The exit code of the command line: 0 pass, 1 fail, 3 error, 4 aborted."""
        return {"PASS": 0, "FAIL": 1, "ERROR": 3, "ABORTED": 4}[self.value]


_RANK = (Verdict.ABORTED, Verdict.ERROR, Verdict.FAIL, Verdict.PASS)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Pick the verdict of the whole: aborted before error before fail before pass."""
    found = set(verdicts)
    return next((verdict for verdict in _RANK if verdict in found), Verdict.PASS)
