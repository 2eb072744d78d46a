"""Repeats while a campaign runs: a step comes again until its mean is known well."""

from dataclasses import replace

from app.analysis.repeat import HALF_WIDTH, MEAN, Decision, Repeats
from app.analysis.result import Result, store_result
from app.campaign.schedule import Row, Schedule
from app.plan.repeats import RepeatPlan, numbered, series_of
from app.plan.verdict import Outcome
from app.record.recorder import Recorder
from app.record.store import ResultRow, Session, Writer


class Repeating:
    """Decides after each row of a step with [step.repeats] whether it comes again.

    A row that was skipped ends its series; one that failed counts as one without a
    value.

    Args:
        recorder: Where the interval is stored.
        session: The session while it is recorded.
    """

    def __init__(self, recorder: Recorder, session: Session) -> None:
        self._recorder = recorder
        self._session = session
        self._values: dict[str, list[float | None]] = {}

    def after(self, row: Row, outcome: Outcome, schedule: Schedule) -> None:
        """Take a row that has ended, and add another one where it is needed."""
        plan = row.step.repeats
        if plan is None or outcome in (Outcome.SKIPPED, Outcome.ABORTED):
            return
        series = series_of(row.label)
        found = self._result(row.step_id, plan.of)
        values = self._values.setdefault(series, [])
        done = outcome is Outcome.DONE and found is not None
        values.append(found.value if done and found is not None else None)
        if len(values) < plan.least:
            return
        rule = Repeats(plan.within, plan.level, plan.least, plan.most)
        decision = rule.judge(values)
        self._recorder.event(
            "info" if decision.go_on or decision.reached else "warning",
            "campaign",
            f"{series}: {plan.of} {_told(decision)}",
        )
        if decision.go_on:
            schedule.follow(row, numbered(series, len(values) + 1))
        else:
            self._keep(row.step_id, series, plan, decision, found)

    def _result(self, step_id: int, name: str) -> ResultRow | None:
        if self._recorder.failed is not None:
            return None
        self._recorder.call(lambda writer: writer.commit())
        self._session.refresh()
        found = (r for r in self._session.results(step_id) if r.name == name)
        return next(found, None)

    def _keep(
        self,
        step_id: int,
        series: str,
        plan: RepeatPlan,
        decision: Decision,
        last: ResultRow | None,
    ) -> None:
        """Store mean, half width and number of the series with its last row."""
        interval = decision.interval
        if interval is None or last is None:
            return
        count = len(self._values[series])
        mean = Result(
            MEAN,
            interval.mean,
            last.unit,
            last.start_ns,
            last.end_ns,
            interval.count,
            count,
            plan.of,
            f"{series}: {plan.of} {_told(decision)}",
        )
        note = f"of the {100 * interval.level:g} % confidence interval"
        half = replace(mean, name=HALF_WIDTH, value=interval.half, note=note)

        def store(writer: Writer) -> None:
            store_result(writer, step_id, mean)
            store_result(writer, step_id, half)

        self._recorder.call(store)


def _told(decision: Decision) -> str:
    outlier = decision.outlier
    return decision.why if outlier is None else f"{decision.why}; {outlier}"
