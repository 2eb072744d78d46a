"""The runner: drives a campaign step by step on a recorded bench."""

import contextlib
import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from app.campaign.checks import lacking
from app.campaign.phases.align import align_phase
from app.campaign.phases.operator import NO_OPERATOR, SimulatedOperator
from app.campaign.phases.phase import Phase, StepFindings, StepRun
from app.campaign.phases.steering import Interruption, Steering
from app.campaign.phases.step_log import StepEnd, StepLog
from app.campaign.phases.table import PHASES, load_phase
from app.campaign.run.evaluation import Evaluation
from app.campaign.run.judge import STOPPED, with_found
from app.campaign.run.progress import Progress
from app.campaign.run.redoing import Resumption
from app.campaign.run.repeating import MatrixRounds, Repeating
from app.campaign.run.schedule import Looping, Row, Schedule
from app.campaign.run.ticker import Ticker
from app.plan.campaign import Campaign
from app.plan.passes import of_pass
from app.plan.step import Step
from app.plan.verdict import Cause, Outcome, Verdict, worst
from app.record.poll import SourceHealth
from app.record.recorder import Recorder
from app.record.store import Session, StepRow
from instruments.errors import BenchError
from workloads.base import LoadOutcome, Workload
from workloads.engines import LOADS

_LACKING = (Outcome.ERROR, Outcome.ABORTED, Outcome.SKIPPED, Outcome.VOID)


class Needs:
    """Remembers which rows were not done, by their labels."""

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
        needed = (of_pass(label, row.pass_number) for label in row.step.needs)
        return next((label for label in needed if label in self._lacking), "")


class StepHook:
    """Looks before and after each step at what tells whether it can be believed.

    Nothing of it raises, and all of it is bounded in time.
    """

    def before(self, step_id: int, label: str) -> None:
        """Look before a step begins."""

    def after(self, step_id: int, label: str) -> list[str]:  # noqa: ARG002
        """Look after a step has ended; return what is to be noted of it."""
        return []


T = TypeVar("T")

MOST_HOLDS = 3
"""So often a step that was held is run again; after that it is an ERROR."""

_STOPPED = "stopped by the operator"
_UNSTORED = "the recording failed"
_SKIPPED = StepEnd(
    Outcome.SKIPPED, Verdict.ABORTED, "skipped by the operator", Cause.SKIPPED
)


class Runner:
    """Runs the steps of a campaign, one after the other, on one thread.

    A step goes from planned to running and then to DONE, VOID, ERROR, ABORTED or
    SKIPPED. A failed device (FAIL) or a failed step (ERROR) does not end the
    campaign; the operator (ABORTED) and a recorder that cannot store any more
    (ERROR) do: every step left is SKIPPED, but for those that tear down. A step that
    was held is VOID and is run again when nothing holds any more.
    """

    def __init__(
        self,
        campaign: Campaign,
        recorder: Recorder,
        session: Session,
        *,
        make_load: Callable[[str, Step], Workload],
        steering: Steering,
        progress: Callable[[Progress], None],
        absent: Sequence[str] = (),
        hook: StepHook | None = None,
        operator: SimulatedOperator = NO_OPERATOR,
        phases: Mapping[str, Phase] | None = None,
        resume: Resumption | None = None,
    ) -> None:
        self._campaign = campaign
        self._recorder = recorder
        self._session = session
        self._clock = recorder.clock
        self._steering = steering
        self._absent = set(absent)
        self._resume = resume
        self._hook = hook or StepHook()
        self._operator = operator
        self._log = StepLog(recorder)
        self._earlier = () if resume is None else tuple(session.steps())
        self._needs = Needs(self._earlier)
        self._looping = Looping(campaign, recorder, self._earlier)
        self._repeating = Repeating(recorder, session)
        self._rounds = MatrixRounds(campaign, recorder, session)
        gates = campaign.gates
        self._evaluation = Evaluation(recorder, session, self._absent, gates)
        load = load_phase(make_load)
        own = {**dict.fromkeys(LOADS, load), "align": align_phase(make_load)}
        self._phases = {**PHASES, **own, **(phases or {})}
        self._ticker = Ticker(recorder, progress, steering, self._trouble)

    def run(self) -> Verdict:
        """Run all enabled steps; return the verdict of the whole."""
        schedule = self._schedule()
        verdicts = list(schedule.earlier)
        broken_off: BaseException | None = None
        for sentence in lacking(self._campaign.runs, self._session):
            self._recorder.event("warning", "campaign", sentence)
        for row in schedule:
            if row.step.teardown:
                self._steering.begin_teardown()
            try:
                with self._ticker.row(schedule, row):
                    end = self._run_row(row)
                    self._steering.end_step(
                        row.step_id,
                        row.label,
                        by_itself=end.outcome is not Outcome.SKIPPED,
                    )
                    self._ticker.end_step(row.label, end)
                end = self._follow(row, end, schedule)
            except (KeyboardInterrupt, Exception) as error:  # noqa: BLE001  (to tear down)
                broken_off = broken_off or error
                end = self._break_off(row, error)
            self._needs.after(row, end.outcome, passed=end.verdict is Verdict.PASS)
            if end.verdict is not None:
                verdicts.append(end.verdict)
        if self._recorder.failed is not None or self._steering.ended:
            verdicts.append(Verdict.ERROR)
        verdict = worst(verdicts)
        self._log.close(verdict)
        if broken_off is not None:
            raise broken_off
        return verdict

    def _schedule(self) -> Schedule:
        rows = self._campaign.runs
        if self._resume is not None:
            return Schedule.resumed(self._log, rows, self._earlier, self._resume)
        return Schedule.planned(self._log, rows)

    def _follow(self, row: Row, end: StepEnd, schedule: Schedule) -> StepEnd:
        """Plan what a row that ended asks for: itself, a repeat, a round, a pass."""
        missed = self._repeating.after(row, end, schedule)
        if end.verdict is None and row.holds < MOST_HOLDS:
            schedule.again(row)
        if not self._is_over():
            missed = missed or self._rounds.after(row, end, schedule)
            self._looping.after(row, end.outcome, schedule)
        if missed:
            end = with_found(end, (), missed)
            self._log.judged(row.step_id, end)
        return end

    def _break_off(self, row: Row, error: BaseException) -> StepEnd:
        """End a row and the run after it: only what tears down is still run.

        The operator did not even wait for the load to end, the store took no more, or
        it is an error of the program.
        """
        if isinstance(error, KeyboardInterrupt):
            self._steering.abort()
            end = STOPPED
        else:
            self._steering.end(f"{error!r}")
            why = f"ended by {error!r}"
            end = StepEnd(Outcome.ERROR, Verdict.ERROR, why, Cause.INTERNAL)
        with contextlib.suppress(BenchError):
            self._log.end(row.step_id, row.label, end)
        return end

    def _run_row(self, row: Row) -> StepEnd:
        """Run a row, or leave it out where the run is over before it."""
        is_skipped = not row.step.teardown and self._wait_until_free(row)
        if self._is_over() and not row.step.teardown:
            end = self._left_out()
            self._log.end(row.step_id, row.label, end)
            return end
        if is_skipped:
            self._log.end(row.step_id, row.label, _SKIPPED)
            return _SKIPPED
        if needed := self._needs.lacking(row):
            why = f"not run, it needs {needed}, which was not done"
            end = StepEnd(Outcome.SKIPPED, Verdict.ERROR, why, Cause.NEEDS)
            self._log.end(row.step_id, row.label, end)
            return end
        return self._run_step(row)

    def _left_out(self) -> StepEnd:
        """Say why a row is not run."""
        if self._steering.cancel.is_set():
            why, cause, verdict = _STOPPED, Cause.STOPPED, Verdict.ABORTED
        elif why := self._steering.ended:
            cause, verdict = Cause.ENDED, Verdict.ERROR
        else:
            why, cause, verdict = _UNSTORED, Cause.RECORDER, Verdict.ERROR
        return StepEnd(Outcome.SKIPPED, verdict, f"not run, {why}", cause)

    def _wait_until_free(self, row: Row) -> bool:
        """Wait while the operator pauses, or an interlock holds.

        Returns:
            Whether the operator skipped the row that waited.
        """
        steering = self._steering
        if not (steering.paused or steering.held):
            return False
        steering.begin_step(row.step_id)
        while not self._is_over() and (steering.paused or steering.held):
            if steering.interruption is Interruption.SKIP:
                return True
            self._clock.wait(steering.cancel, 0.1)
        return False

    def _is_over(self) -> bool:
        aborted = self._steering.interruption is Interruption.ABORT
        return aborted or self._recorder.failed is not None

    def _run_step(self, row: Row) -> StepEnd:
        step_id, label, step = row.step_id, row.label, row.step
        found = StepFindings()
        only_asks = step.asks and not step.is_measured
        self._steering.begin_step(step_id, only_asks=only_asks)
        self._ticker.begin_step()
        self._safely(lambda: self._hook.before(step_id, label), None)
        try:
            self._recorder.begin_step(step.label, under_load=step.is_load)
            start = self._clock.monotonic_ns()
            self._log.begin(step_id, label, start)
            end = self._measure(self._step_run(row, start, found), row)
        except BenchError as error:
            end = StepEnd(Outcome.ERROR, Verdict.ERROR, str(error), Cause.BENCH)
        except Exception as error:  # noqa: BLE001  (a night of steps must go on)
            why = f"internal error: {error!r}"
            end = StepEnd(Outcome.ERROR, Verdict.ERROR, why, Cause.INTERNAL)
            self._recorder.journal("mistake", traceback.format_exc())
        finally:
            self._recorder.end_step()
        if end.outcome is not Outcome.DONE:
            end = _told(end, found.remarks)
        none: list[str] = []
        end = _told(end, self._safely(lambda: self._hook.after(step_id, label), none))
        if self._recorder.failed is not None:
            why = str(self._recorder.failed)
            failed = StepEnd(Outcome.ERROR, Verdict.ERROR, why, Cause.RECORDER)
            end = _told(failed, found.remarks)
        self._log.end(step_id, label, end)
        return end

    def _safely(self, look: Callable[[], T], otherwise: T) -> T:
        """Look at something beside a step; an error of the program ends no run."""
        try:
            return look()
        except Exception as error:  # noqa: BLE001  (a night of steps must go on)
            self._recorder.event("error", "evidence", f"internal error: {error!r}")
            self._recorder.journal("mistake", traceback.format_exc())
            return otherwise

    def _step_run(self, row: Row, start_ns: int, findings: StepFindings) -> StepRun:
        return StepRun(
            row.step_id,
            row.label,
            row.step,
            start_ns,
            self._recorder,
            self._session,
            self._steering,
            self._log,
            self._operator,
            self._ticker.tell,
            findings,
        )

    def _measure(self, run: StepRun, row: Row) -> StepEnd:
        """Run the phase of a step and judge it; what interrupts it goes first."""
        result = self._phases[run.step.engine](run)
        # Asked before the evaluation: what comes meanwhile is for the next step.
        why, held = self._steering.interruption, self._steering.struck
        self._log.keep(run.step_id, result)
        end = self._evaluation.judge(run, result)
        if result.outcome is not LoadOutcome.STOPPED:
            return end
        ended = self._steering.ended
        if ended and why is Interruption.ABORT:
            ended = f"ended: {ended}"
            return StepEnd(Outcome.VOID, Verdict.ERROR, ended, Cause.ENDED)
        if why is Interruption.SKIP:
            return _SKIPPED
        if why is Interruption.HOLD:
            return _void(row, held)
        if refused := run.findings.refused:
            aborted = Verdict.ABORTED
            return StepEnd(Outcome.SKIPPED, aborted, refused, Cause.REFUSED)
        return end

    def _trouble(self) -> str:
        return lost_told(self._recorder.health(), self._absent)


def lost_told(health: Mapping[str, SourceHealth], absent: Collection[str] = ()) -> str:
    """Say which sources are lost and why; the event log has the ways out."""
    lost: dict[str, list[str]] = {}
    for name, one in health.items():
        if one.state == "lost" and name not in absent:
            lost.setdefault(one.cause, []).append(name)
    return "; ".join(
        f"{', '.join(names)} {'are' if len(names) > 1 else 'is'} lost: {cause}"
        for cause, names in lost.items()
    )


def _told(end: StepEnd, remarks: Sequence[str]) -> StepEnd:
    """Add sentences to why a step ended so."""
    return replace(end, reason="; ".join(filter(None, (end.reason, *remarks))))


def _void(row: Row, held: str) -> StepEnd:
    """End a step that was held: it comes again, but not for ever."""
    if row.holds < MOST_HOLDS:
        return StepEnd(
            Outcome.VOID, None, f"paused by an interlock: {held}", Cause.INTERLOCK
        )
    reason = f"paused for the {row.holds + 1}th time, given up: {held}"
    return StepEnd(Outcome.VOID, Verdict.ERROR, reason, Cause.INTERLOCK)
