"""What comes again while a campaign runs: a step for its mean, a matrix of rounds."""

from dataclasses import replace

from app.analysis.again.series import COUNTED
from app.analysis.repeat import HALF_WIDTH, MEAN, Decision, Repeats
from app.analysis.steady.matrix import Matrix, matrices
from app.campaign.phases.step_log import StepEnd
from app.campaign.run.schedule import Row, Schedule
from app.plan.campaign import Campaign
from app.plan.passes import in_first_pass, of_pass
from app.plan.repeats import RepeatPlan, numbered
from app.plan.verdict import Cause, Outcome
from app.record.recorder import Recorder
from app.record.store import Result, Session, StepRow, Writer

_ENDING = (Outcome.SKIPPED, Outcome.ABORTED)
"""Outcomes of rows that end their series."""


class Repeating:
    """Decides after each row of a step with [step.repeats] whether it comes again.

    A row that was skipped ends its series; one that failed, or did not reach what it
    waits for, such as a steady state, counts as one without a value.
    """

    def __init__(self, recorder: Recorder, session: Session) -> None:
        self._recorder = recorder
        self._session = session

    def after(self, row: Row, end: StepEnd, schedule: Schedule) -> str:
        """Take a row that has ended, and add another one where it is needed.

        Returns:
            Why the mean of the series is not known as well as the plan asks for, where
            this was its last row; "" where it is, or where more rows come.
        """
        plan = row.step.repeats
        if plan is None or end.verdict is None or end.outcome in _ENDING:
            return ""
        series = of_pass(row.step.label, row.pass_number)
        values = self._values(row, plan.of)
        if len(values) < plan.least:
            return ""
        rule = Repeats(plan.within, plan.level, plan.least, plan.most)
        decision = rule.judge(values)
        self._recorder.event(
            "info" if decision.go_on or decision.reached else "warning",
            "campaign",
            f"{series}: {plan.of} {_told(decision)}",
        )
        if decision.go_on:
            label = numbered(row.step.label, len(values) + 1)
            schedule.follow(row, of_pass(label, row.pass_number))
            return ""
        self._keep(row, plan, decision)
        if decision.reached:
            return ""
        return f"mean not known well: {plan.of} {decision.why}"

    def _values(self, row: Row, name: str) -> list[float | None]:
        """Get a result of all rows of a series that ended, before a resumption, too."""
        if self._recorder.failed is not None:
            return []
        self._recorder.call(lambda writer: writer.commit())
        self._session.refresh()
        results = {
            result.step_id: result.value
            for result in self._session.results()
            if result.name == name
        }
        return [
            results.get(step.id) if _has_value(step) else None
            for step in self._session.steps()
            if step.outcome in COUNTED
            and (step.series, step.pass_number) == (row.step.label, row.pass_number)
        ]

    def _keep(self, row: Row, plan: RepeatPlan, decision: Decision) -> None:
        """Store mean, half width and number of the series with its last row."""
        interval = decision.interval
        known = self._session.results(row.step_id)
        last = next((one for one in known if one.name == plan.of), None)
        if interval is None or last is None:
            return
        count = len(self._values(row, plan.of))
        mean = Result(
            MEAN,
            interval.mean,
            last.unit,
            last.start_ns,
            last.end_ns,
            interval.count,
            count,
            plan.of,
            _told(decision),
        )
        note = f"of the {100 * interval.level:g} % confidence interval"
        half = replace(mean, name=HALF_WIDTH, value=interval.half, note=note)

        def store(writer: Writer) -> None:
            writer.result(row.step_id, mean)
            writer.result(row.step_id, half)

        self._recorder.call(store)


def _has_value(step: StepRow) -> bool:
    return step.outcome == Outcome.DONE and step.cause != Cause.UNREACHED


def _told(decision: Decision) -> str:
    outlier = decision.outlier
    return decision.why if outlier is None else f"{decision.why}; {outlier}"


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
