"""What rows need of those before them: where it was not done they are left out."""

from collections.abc import Sequence

from app.campaign.run.schedule import Row
from app.plan.passes import first_name, of_pass, pass_of
from app.plan.verdict import Outcome, Verdict
from app.record.store import StepRow

_LACKING = (Outcome.ERROR, Outcome.ABORTED, Outcome.SKIPPED, Outcome.VOID)


class Needs:
    """Remembers which rows were not done, by their labels.

    Args:
        earlier: Rows of the session before it was resumed.
    """

    def __init__(self, earlier: Sequence[StepRow]) -> None:
        self._lacking = {
            row.label
            for row in earlier
            if row.outcome in _LACKING or row.verdict not in (None, Verdict.PASS)
        }

    def after(self, row: Row, outcome: Outcome, *, passed: bool) -> None:
        """Take a row that has ended."""
        if outcome is Outcome.DONE and passed:
            self._lacking.discard(row.label)
        else:
            self._lacking.add(row.label)

    def lacking(self, row: Row) -> str:
        """Get the label of a row that was not done and this one needs; "" for none.

        In a pass of a loop the row of the same pass counts.
        """
        number = pass_of(row.label)
        needed = (of_pass(first_name(label), number) for label in row.step.needs)
        return next((label for label in needed if label in self._lacking), "")
