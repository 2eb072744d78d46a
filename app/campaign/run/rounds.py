"""Rounds of a matrix while a campaign runs: it comes again until it is steady."""

from app.analysis.steady.matrix import Matrix, matrices
from app.campaign.phases.step_log import StepEnd
from app.campaign.run.schedule import Row, Schedule
from app.plan.campaign import Campaign
from app.plan.passes import in_first_pass
from app.plan.verdict import Outcome
from app.record.recorder import Recorder
from app.record.store import Session


class MatrixRounds:
    """Plans one round after the other until the tracked row is steady.

    A round of which no row came to its end is the last one: what failed at once would
    fail in all of them.
    """

    def __init__(
        self, campaign: Campaign, recorder: Recorder, session: Session
    ) -> None:
        self._of = {
            label: matrix
            for matrix in matrices(campaign.runs)
            for label, _ in matrix.rows
        }
        self._recorder = recorder
        self._session = session

    def after(self, row: Row, end: StepEnd, schedule: Schedule) -> str:
        """Take a row that has ended, and plan a round where that was its last row.

        Returns:
            Why the matrix did not get steady, where no further round comes; else "".
        """
        number = row.pass_number
        matrix = self._of.get(in_first_pass(row.label, number))
        if matrix is None or end.verdict is None or self._recorder.failed is not None:
            return ""
        if schedule.waits(matrix.labels(number)):
            return ""
        self._recorder.call(lambda writer: writer.commit())
        self._session.refresh()
        found = matrix.judge(self._session)
        is_over = found.is_over or not self._any_done(matrix, number)
        level = "warning" if is_over and not found.finding.steady else "info"
        self._recorder.event(level, "steady", found.sentence)
        if not is_over:
            schedule.come_again(matrix.rows, row, number + 1)
        return found.sentence if level == "warning" else ""

    def _any_done(self, matrix: Matrix, number: int) -> bool:
        own = set(matrix.labels(number))
        steps = self._session.steps()
        return any(s.label in own and s.outcome == Outcome.DONE for s in steps)
