"""Outcomes of steps and verdicts: FAIL is the device, ERROR the bench."""

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
