"""Which complete rows of a run that was cut off have to be done once more."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from app.plan.step import Step
from app.plan.verdict import Outcome
from app.record.store import StepRow
from workloads.engines import LOADS

_SETTINGS = ("prompt", "command")
"""Engines that bring the device into a state, which a power cut may have ended."""


@dataclass(frozen=True, slots=True)
class Resumption:
    """How a run is gone on with.

    Attributes:
        is_restarted: Whether the computer was restarted since.
        is_taken_back: Whether mounts and pools of the run were taken back.
    """

    is_restarted: bool = False
    is_taken_back: bool = False

    @property
    def why(self) -> str:
        """Why rows are done again, for those that were done before."""
        if self.is_restarted:
            return "done again, the computer was restarted since"
        return "done again, what it made was taken back before the run went on"

    def again(
        self, known: Sequence[tuple[StepRow, Step]], left: Collection[Step]
    ) -> list[tuple[StepRow, Step]]:
        """Find what has to be done again, in the order of the report.

        Set-up steps, where what they made is gone; after a restart also what the rows
        that are left need, as far as it is a prompt or a command.

        Args:
            known: Rows of the session and their steps.
            left: Steps that are still to be run.
        """
        plan = {row.label: own for row, own in known}
        needed: set[str] = set()
        waiting = [label for step in left for label in step.needs]
        while waiting:
            label = waiting.pop()
            if label in plan and label not in needed:
                needed.add(label)
                waiting += plan[label].needs
        return [
            (row, own)
            for row, own in known
            if row.outcome == Outcome.DONE
            and not own.teardown
            and (self._sets_up(own) or self._sets(own, row.label in needed))
        ]

    def _sets_up(self, step: Step) -> bool:
        is_gone = self.is_restarted or self.is_taken_back
        return is_gone and step.engine in LOADS and LOADS[step.engine].sets_up

    def _sets(self, step: Step, is_needed: bool) -> bool:
        return self.is_restarted and is_needed and step.engine in _SETTINGS


UNCHANGED = Resumption()
"""As if nothing but the program had ended."""
