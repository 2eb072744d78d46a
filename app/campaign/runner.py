"""The runner: drives a campaign step by step on a recorded bench."""

import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from app.analysis.block_checks import check_blocks
from app.analysis.coverage import Coverage, coverage_of
from app.analysis.io_checks import IoFinding, check_io
from app.analysis.result import Result
from app.analysis.results import silent_channels, step_results
from app.campaign.around import Around, NothingAround
from app.campaign.judge import STOPPED, StepEnd, judge
from app.campaign.load import run_load
from app.campaign.progress import Progress
from app.campaign.step_book import StepBook
from app.campaign.ticker import Ticker
from app.plan.campaign import Campaign
from app.plan.step import Step
from app.plan.verdict import Outcome, Verdict, worst
from app.record.clock import Clock
from app.record.recorder import Recorder
from app.record.store import Session, Window
from instruments.errors import BenchError
from instruments.reading import SECOND, Channel
from workloads.base import LoadOutcome, LoadResult, Workload
from workloads.engines import LOADS

SETTLE_S = 2.0
"""Longest wait after a load for the readings of its window to be stored."""


class Runner:
    """Runs the steps of a campaign, one after the other, on one thread.

    A step goes from planned to running and then to DONE, ERROR, ABORTED or SKIPPED.
    A failed device (FAIL) or a failed step (ERROR) does not end the campaign; the
    operator (ABORTED) and a recorder that cannot store any more (ERROR) do, and
    every step left is SKIPPED.
    """

    def __init__(
        self,
        campaign: Campaign,
        recorder: Recorder,
        session: Session,
        *,
        make_load: Callable[[str, Step], Workload],
        clock: Clock,
        cancel: threading.Event,
        progress: Callable[[Progress], None],
        absent: Sequence[str] = (),
        around: Around | None = None,
    ) -> None:
        self._campaign = campaign
        self._recorder = recorder
        self._session = session
        self._make_load = make_load
        self._clock = clock
        self._cancel = cancel
        self._absent = set(absent)
        self._around = around or NothingAround()
        self._book = StepBook(recorder, clock)
        self._ticker = Ticker(campaign, session.path, clock, progress, self._trouble)

    def run(self) -> Verdict:
        """Run all enabled steps; return the verdict of the whole."""
        rows = self._campaign.runs
        ids = self._book.plan(rows)
        verdicts: list[Verdict] = []
        for number, (step_id, (label, step)) in enumerate(zip(ids, rows, strict=True)):
            if self._is_over():
                verdicts.append(self._skip(step_id, label))
                continue
            with self._ticker.step(number):
                try:
                    end = self._run_step(step_id, label, step)
                except KeyboardInterrupt:
                    # The operator does not even wait for the load to end.
                    self._cancel.set()
                    self._book.end(step_id, label, STOPPED)
                    after = number + 1
                    for other, (name, _) in zip(ids[after:], rows[after:], strict=True):
                        self._skip(other, name)
                    self._book.close(Verdict.ABORTED)
                    raise
            verdicts.append(end.verdict)
        if self._recorder.failed is not None:
            verdicts.append(Verdict.ERROR)
        verdict = worst(verdicts)
        self._book.close(verdict)
        return verdict

    def _skip(self, step_id: int, label: str) -> Verdict:
        """Leave a step out; return what that makes of the whole."""
        stopped = self._cancel.is_set()
        why = "stopped by the operator" if stopped else "the recording failed"
        skipped = StepEnd(Outcome.SKIPPED, Verdict.ERROR, f"not run, {why}")
        self._book.end(step_id, label, skipped)
        return Verdict.ABORTED if stopped else Verdict.ERROR

    def _is_over(self) -> bool:
        return self._cancel.is_set() or self._recorder.failed is not None

    def _run_step(self, step_id: int, label: str, step: Step) -> StepEnd:
        self._around.before(step_id, label)
        self._recorder.begin_step(step.label, under_load=step.engine in LOADS)
        start = self._clock.monotonic_ns()
        try:
            self._book.begin(step_id, label, start)
            if step.engine in LOADS:
                result = self._load(step_id, label, step, start)
            else:
                result = self._wait(step_id, step, start)
            end = self._evaluate(step_id, step, result)
        except BenchError as error:
            end = StepEnd(Outcome.ERROR, Verdict.ERROR, str(error))
        except Exception as error:  # noqa: BLE001  (a night of steps must go on)
            end = StepEnd(Outcome.ERROR, Verdict.ERROR, f"a mistake of ours, {error!r}")
            self._book.journal("mistake", traceback.format_exc())
        finally:
            self._recorder.end_step()
        if notes := self._around.after(step_id, label):
            end = replace(end, reason="; ".join(filter(None, (end.reason, *notes))))
        if self._recorder.failed is not None:
            end = StepEnd(Outcome.ERROR, Verdict.ERROR, str(self._recorder.failed))
        self._book.end(step_id, label, end)
        return end

    def _wait(self, step_id: int, step: Step, start: int) -> LoadResult:
        """Idle and cool-down: nothing runs, everything is recorded."""
        begin = start + round(step.ramp_s * SECOND)
        end = begin + round(step.runtime_s * SECOND)
        self._book.expect_window(step_id, begin)
        while not self._is_over() and (left := end - self._clock.monotonic_ns()) > 0:
            self._clock.wait(self._cancel, min(0.2, left / SECOND))
        if self._is_over():
            now = min(end, self._clock.monotonic_ns())
            window = (begin, now) if now > begin else None
            return LoadResult(LoadOutcome.STOPPED, "stopped before its end", window)
        return LoadResult(LoadOutcome.DONE, window=(begin, end))

    def _load(self, step_id: int, label: str, step: Step, start: int) -> LoadResult:
        ramp = round(step.ramp_s * SECOND)

        def started(first_ns: int) -> None:
            # A load that says nothing in its ramp began to measure just there.
            begin = first_ns + ramp if first_ns < start + ramp else first_ns
            self._book.expect_window(step_id, begin)

        try:
            result = run_load(
                self._make_load(label, step),
                self._recorder,
                self._clock,
                is_over=self._is_over,
                started=started,
            )
        except BaseException:
            self._book.no_window(step_id)
            raise
        self._book.keep(step_id, result)
        return result

    def _evaluate(self, step_id: int, step: Step, result: LoadResult) -> StepEnd:
        values: Mapping[str, float | None] = {}
        coverage: list[Coverage] = []
        silent: list[Channel] = []
        io = check_io(result)
        if step.engine == "fio":
            io += check_blocks(step.options, result)
        if result.window is None:
            self._book.no_window(step_id)
        else:
            self._settle(result.window[1])
            computed = self._results(step_id, result, result.window, io)
            values = {one.name: one.value for one in computed}
            coverage = coverage_of(computed, self._absent)
            silent = [
                channel
                for channel in silent_channels(
                    self._session, result.window, self._recorder.channels()
                )
                if channel.source not in self._absent
            ]
        for finding in io:
            self._recorder.event("warning", "io_checks", finding.text)
        return judge(result, values, step.limits, silent, io, coverage=coverage)

    def _settle(self, until_ns: int) -> None:
        """Wait until every living source has a reading from after the window."""
        deadline = self._clock.monotonic_ns() + round(SETTLE_S * SECOND)
        while self._clock.monotonic_ns() < deadline and not self._is_over():
            living = [h for h in self._recorder.health().values() if h.state == "ok"]
            if all(health.last_ns > until_ns for health in living):
                return
            self._clock.wait(self._cancel, 0.05)

    def _results(
        self,
        step_id: int,
        result: LoadResult,
        window: Window,
        io: Sequence[IoFinding],
    ) -> list[Result]:
        start, end = window
        self._recorder.call(lambda w: w.commit())
        self._session.refresh()
        computed = step_results(self._session, window)
        for name, own in result.values.items():
            computed.append(
                Result(name, own.value, own.unit, start, end, 1, 1, own.origin)
            )
        computed += [
            Result(
                each.result, each.value, "B", start, end, 1, 1, "io_checks", each.text
            )
            for each in io
        ]
        seconds = (end - start) / SECOND
        computed.append(Result("duration_s", seconds, "s", start, end, 1, 1, "window"))
        self._book.results(step_id, window, computed)
        return computed

    def _trouble(self) -> str:
        """Say which sources are lost just now."""
        found = self._recorder.health().items()
        return "; ".join(
            f"lost: {health.last_error}"
            if health.last_error.startswith(f"{name} ")
            else f"lost: {name}: {health.last_error}"
            for name, health in found
            if health.state == "lost" and name not in self._absent
        )
