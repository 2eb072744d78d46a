"""The runner: drives a campaign step by step on a recorded bench."""

import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from app.analysis.results import Result, silent_channels, step_results
from app.campaign.progress import Progress
from app.campaign.ticker import Ticker
from app.plan.campaign import Campaign, Step, step_text
from app.plan.verdict import Outcome, Verdict, worst
from app.record.clock import Clock
from app.record.recorder import Recorder
from app.record.store import Session, Writer
from instruments.errors import BenchError
from instruments.reading import SECOND, Channel, Reading, Status
from workloads.base import LoadOutcome, LoadResult, Workload

SETTLE_S = 2.0
"""Longest wait after a load for the readings of its window to be stored."""


@dataclass(frozen=True, slots=True)
class StepEnd:
    """How a step ended: outcome, verdict and the sentence for it."""

    outcome: Outcome
    verdict: Verdict
    reason: str = ""


_NOT_DONE: Mapping[LoadOutcome, Callable[[str], StepEnd]] = {
    LoadOutcome.FAILED: partial(StepEnd, Outcome.ERROR, Verdict.ERROR),
    LoadOutcome.DEVICE_FAILED: partial(StepEnd, Outcome.DONE, Verdict.FAIL),
}


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
    ) -> None:
        self._campaign = campaign
        self._recorder = recorder
        self._session = session
        self._make_load = make_load
        self._clock = clock
        self._cancel = cancel
        self._absent = set(absent)
        self._ticker = Ticker(campaign, session.path, clock, progress, self._trouble)

    def run(self) -> Verdict:
        """Run all enabled steps; return the verdict of the whole."""
        rows = self._campaign.runs
        ids = [
            self._recorder.call(_adding(number, label, step))
            for number, (label, step) in enumerate(rows, 1)
        ]
        verdicts: list[Verdict] = []
        for number, (step_id, (label, step)) in enumerate(zip(ids, rows, strict=True)):
            if self._over:
                stopped = self._cancel.is_set()
                if stopped:
                    verdicts.append(Verdict.ABORTED)
                why = "stopped by the operator" if stopped else "the recording failed"
                skipped = StepEnd(Outcome.SKIPPED, Verdict.ERROR, f"not run, {why}")
                self._store_end(step_id, label, skipped, verdict=None)
                continue
            with self._ticker.step(number):
                end = self._run_step(step_id, label, step)
            verdicts.append(end.verdict)
        if self._recorder.failed is not None:
            verdicts.append(Verdict.ERROR)
        verdict = worst(verdicts)
        self._store(lambda w: w.set_session(verdict=str(verdict)))
        return verdict

    @property
    def _over(self) -> bool:
        return self._cancel.is_set() or self._recorder.failed is not None

    def _run_step(self, step_id: int, label: str, step: Step) -> StepEnd:
        start = self._clock.monotonic_ns()
        self._recorder.call(
            lambda w: w.update_step(
                step_id, start_ns=start, outcome=str(Outcome.RUNNING)
            )
        )
        self._recorder.event("info", "campaign", f"{label} started")
        self._journal("step started", label)
        try:
            if step.engine == "fio":
                result = self._load(step_id, label, step)
            else:
                result = self._wait(step, start)
            end = self._judge(step_id, step, result)
        except BenchError as error:
            end = StepEnd(Outcome.ERROR, Verdict.ERROR, str(error))
        except Exception as error:  # noqa: BLE001  (a night of steps must go on)
            end = StepEnd(Outcome.ERROR, Verdict.ERROR, f"a mistake of ours, {error!r}")
            self._journal("mistake", traceback.format_exc())
        if self._recorder.failed is not None:
            end = StepEnd(Outcome.ERROR, Verdict.ERROR, str(self._recorder.failed))
        self._store_end(step_id, label, end, verdict=end.verdict)
        return end

    def _wait(self, step: Step, start: int) -> LoadResult:
        """Idle and cool-down: nothing runs, everything is recorded."""
        begin = start + round(step.ramp_s * SECOND)
        end = begin + round(step.runtime_s * SECOND)
        while not self._over and (left := end - self._clock.monotonic_ns()) > 0:
            self._clock.wait(self._cancel, min(0.2, left / SECOND))
        if self._over:
            return LoadResult(LoadOutcome.STOPPED, "stopped before its end")
        return LoadResult(LoadOutcome.DONE, window=(begin, end))

    def _load(self, step_id: int, label: str, step: Step) -> LoadResult:
        load = self._make_load(label, step)
        stop = threading.Event()
        last_ns = 0

        def emit(reading: Reading) -> None:
            nonlocal last_ns
            last_ns = reading.end_ns
            self._recorder.append(reading)

        done = threading.Event()

        def pass_on_stop() -> None:
            while not done.is_set():
                if self._over:
                    stop.set()
                done.wait(0.1)

        watcher = threading.Thread(target=pass_on_stop, name="load-stop", daemon=True)
        watcher.start()
        try:
            result = load.run(
                emit,
                lambda level, text: self._recorder.event(level, load.name, text),
                stop,
            )
        finally:
            done.set()
            watcher.join()
        # However soon the next load starts, no line may lead over to it.
        if last_ns:
            now = self._clock.monotonic_ns()
            why = "no load ran"
            self._recorder.gap(load.channels, last_ns, now, Status.STANDBY, why)
        if self._recorder.failed is None:
            self._recorder.call(_keeping(step_id, result))
        return result

    def _judge(self, step_id: int, step: Step, result: LoadResult) -> StepEnd:
        if result.window is not None:
            self._settle(result.window[1])
            found = self._results(step_id, result)
        else:
            found = {}
        if result.outcome is LoadOutcome.STOPPED:
            why = "stopped by the operator before its end"
            return StepEnd(Outcome.ABORTED, Verdict.ABORTED, why)
        if result.outcome is not LoadOutcome.DONE:
            return _NOT_DONE[result.outcome](result.reason)
        if result.window is None:
            reason = "the load ended without a measured window"
            return StepEnd(Outcome.ERROR, Verdict.ERROR, reason)
        if missing := self._missing(result.window):
            return StepEnd(Outcome.DONE, Verdict.ERROR, missing)
        if blind := [limit for limit in step.limits if not limit.can_judge(found)]:
            reason = f"{blind[0].result} was not measured, {blind[0]} cannot be judged"
            return StepEnd(Outcome.DONE, Verdict.ERROR, reason)
        broken = [text for limit in step.limits if (text := limit.broken_by(found))]
        verdict = Verdict.FAIL if broken else Verdict.PASS
        return StepEnd(Outcome.DONE, verdict, "; ".join(broken))

    def _settle(self, until_ns: int) -> None:
        """Wait until every living source has a reading from after the window."""
        deadline = self._clock.monotonic_ns() + round(SETTLE_S * SECOND)
        while self._clock.monotonic_ns() < deadline and not self._over:
            living = [h for h in self._recorder.health().values() if h.state == "ok"]
            if all(health.last_ns > until_ns for health in living):
                return
            self._clock.wait(self._cancel, 0.05)

    def _results(self, step_id: int, result: LoadResult) -> Mapping[str, float | None]:
        assert result.window is not None
        start, end = result.window
        self._recorder.call(lambda w: w.commit())
        self._session.refresh()
        computed = step_results(self._session, result.window)
        for name, own in result.values.items():
            computed.append(
                Result(name, own.value, own.unit, start, end, 1, 1, own.origin)
            )
        seconds = (end - start) / SECOND
        computed.append(Result("duration_s", seconds, "s", start, end, 1, 1, "window"))
        self._recorder.call(_storing(step_id, result.window, computed))
        return {r.name: r.value for r in computed}

    def _missing(self, window: tuple[int, int]) -> str:
        """Say which configured channels delivered nothing; "" where all did."""
        silent = [
            channel
            for channel in silent_channels(self._session, window)
            if channel.source not in self._absent
        ]
        return _list_channels(silent)

    def _trouble(self) -> str:
        """Say which sources are lost just now."""
        found = self._recorder.health().items()
        return "; ".join(
            f"{name} is lost: {health.last_error}"
            for name, health in found
            if health.state == "lost" and name not in self._absent
        )

    def _store(self, action: Callable[[Writer], None]) -> None:
        """Store how it ended, also where a full disk has only its reserve left."""
        try:
            self._recorder.call(action)
        except BenchError:
            if self._recorder.failed is None:
                raise

    def _journal(self, action: str, detail: str) -> None:
        now = self._clock.monotonic_ns()
        self._recorder.post(lambda w: w.journal(now, action, detail))

    def _store_end(
        self, step_id: int, label: str, end: StepEnd, verdict: Verdict | None
    ) -> None:
        now = self._clock.monotonic_ns()
        self._store(
            lambda w: w.update_step(
                step_id,
                end_ns=now,
                outcome=str(end.outcome),
                verdict=None if verdict is None else str(verdict),
                reason=end.reason,
            )
        )
        if verdict is not None:
            levels = {Verdict.PASS: "info", Verdict.ABORTED: "warning"}
            level = levels.get(verdict, "error")
            told = f": {end.reason}" if end.reason else ""
            text = f"{label} {end.outcome}, {verdict}{told}"
            self._recorder.event(level, "campaign", text)


def _list_channels(silent: Sequence[Channel]) -> str:
    if not silent:
        return ""
    names = [channel.name for channel in silent]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more} delivered nothing in this step"


def _adding(number: int, label: str, step: Step) -> Callable[[Writer], int]:
    text = step_text(step)
    return lambda writer: writer.add_step(number, label, step.engine, text)


def _keeping(step_id: int, result: LoadResult) -> Callable[[Writer], None]:
    def keep(writer: Writer) -> None:
        for item in result.artefacts:
            writer.artefact(step_id, item.name, item.media_type, item.content)

    return keep


def _storing(
    step_id: int, window: tuple[int, int], results: Sequence[Result]
) -> Callable[[Writer], None]:
    def store(writer: Writer) -> None:
        start, end = window
        writer.update_step(step_id, window_start_ns=start, window_end_ns=end)
        for result in results:
            writer.result(
                step_id,
                result.name,
                result.value,
                result.unit,
                start_ns=result.start_ns,
                end_ns=result.end_ns,
                n_valid=result.n_valid,
                n_expected=result.n_expected,
                origin=result.origin,
                note=result.note,
            )

    return store
