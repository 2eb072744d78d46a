"""Which complete rows of a run that was cut off have to be done once more."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from app.plan.passes import of_pass
from app.plan.step import Step
from app.plan.verdict import Outcome
from app.record.store import StepRow
from workloads.engines import LOADS

_SETTINGS = ("prompt", "command")
"""Engines that bring the device into a state, which a power cut may have ended."""


@dataclass(frozen=True, slots=True)
class Resumption:
    """How a run is continued.

    Attributes:
        restarted_ns: Rows that ended up to this moment of the session were run before
            the computer was restarted; None where it was not.
        undone_ns: Mounts and pools that were made up to this moment were taken back;
            None where none were.
    """

    restarted_ns: int | None = None
    undone_ns: int | None = None

    def why(self, row: StepRow) -> str:
        """Say why a row is done again that was done before."""
        if _is_before(row, self.restarted_ns):
            return "repeated, the computer was restarted since"
        return "repeated, what it made was undone before the run resumed"

    def again(
        self, known: Sequence[tuple[StepRow, Step]], left: Collection[Step]
    ) -> list[tuple[StepRow, Step]]:
        """Find what has to be done again, in the order of the report.

        Set-up steps, where what they made is gone; after a restart also what the rows
        that are left need, as far as it is a prompt or a command. Of a loop these are
        rows of the present pass.
        """
        present = max((row.pass_number for row, _ in known), default=1)
        own_pass = [one for one in known if one[0].pass_number == present]
        needed = _needed(left, {row.label: own for row, own in own_pass}, present)
        return [
            (row, own)
            for row, own in own_pass
            if row.outcome == Outcome.DONE
            and not own.teardown
            and (self._sets_up(row, own) or self._sets(row, own, needed))
        ]

    def _sets_up(self, row: StepRow, step: Step) -> bool:
        is_gone = _is_before(row, self.restarted_ns) or _is_before(row, self.undone_ns)
        return is_gone and step.engine in LOADS and LOADS[step.engine].sets_up

    def _sets(self, row: StepRow, step: Step, needed: Collection[str]) -> bool:
        is_old = _is_before(row, self.restarted_ns)
        return is_old and row.label in needed and step.engine in _SETTINGS


UNCHANGED = Resumption()
"""As if nothing but the program had ended."""


def _needed(left: Collection[Step], plan: Mapping[str, Step], present: int) -> set[str]:
    """Find the rows of a pass that steps need, directly or by way of others."""
    needed: set[str] = set()
    waiting = [label for step in left for label in step.needs]
    while waiting:
        label = of_pass(waiting.pop(), present)
        if label in plan and label not in needed:
            needed.add(label)
            waiting += plan[label].needs
    return needed


def _is_before(row: StepRow, moment_ns: int | None) -> bool:
    return moment_ns is not None and (row.end_ns or 0) <= moment_ns
