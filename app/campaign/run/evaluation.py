"""Evaluating a step that has run: its results are stored, and it is judged."""

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from app.analysis.coverage import Coverage, coverage_of
from app.analysis.io_checks import IoFinding, io_findings, io_results, not_clean
from app.analysis.load_part import part_load, part_results
from app.analysis.power import NEGATIVE, unequal_energy
from app.analysis.results import lost_sources, silent_channels, step_results
from app.analysis.rules.gates import GateState, judge_gates
from app.analysis.rules.meter_checks import meter_remarks
from app.analysis.rules.row_figures import RowRecord
from app.analysis.rules.run_figures import figure_of
from app.analysis.steady.fio import steady_results
from app.analysis.trapezoid import beyond
from app.campaign.phases.phase import StepRun
from app.campaign.phases.step_log import StepEnd
from app.campaign.run.judge import context_remarks, judge, with_found
from app.plan.gates import Gate
from app.plan.limits import NEAR
from app.plan.verdict import Cause, Outcome, Verdict
from app.record.recorder import Recorder
from app.record.store import Result, Session, Window
from instruments.errors import BadInput
from instruments.priority import busy_told
from instruments.reading import SECOND, Channel
from workloads.base import LoadOutcome, LoadResult

SETTLE_S = 2.0
"""How long after a load a reading from after its window is waited for."""

UNDER_WAY_S = 60.0
"""Longest read that began in the window whose end is waited for: what came later would
belong to a row that is made without it."""


class Evaluation:
    """Computes what a step measured, and judges it."""

    def __init__(
        self,
        recorder: Recorder,
        session: Session,
        absent: Collection[str],
        gates: Sequence[Gate] = (),
    ) -> None:
        self._recorder = recorder
        self._session = session
        self._absent = absent
        self._gates = gates

    def judge(self, run: StepRun, result: LoadResult) -> StepEnd:
        """Store the results of a step and judge it.

        Raises:
            BadInput: Its ramp-down leaves nothing to be measured.
        """
        if result.window is None:
            return _unmeasured(run, result)
        is_start = run.step.engine == "startup"
        window = run.findings.window or without_ramp_down(
            result.window, run.step.rampdown_s
        )
        self._settle(run, window[1])
        computed, io = self._results(run, result, window)
        values: Mapping[str, float | None] = {one.name: one.value for one in computed}
        coverage: list[Coverage] = coverage_of(computed, self._absent)
        for finding in filter(lambda one: one.text, io):
            self._recorder.event("warning", "io_checks", finding.text)
        # While a meter catches a start it leaves its other functions out.
        silent = [] if is_start else self._silent(window)
        limits = run.step.limits
        context = self._context(silent)
        silent = [channel for channel in silent if channel not in context]
        lost = lost_sources(self._session, window, silent)
        end = judge(result, values, limits, silent, io, coverage=coverage, lost=lost)
        if end.cause in (Cause.NONE, Cause.LIMIT):
            _keep_near(run, window, values)
        remarks = [*not_clean(values, io), result.remark, *run.findings.remarks]
        unseen = lost_sources(self._session, window, context)
        remarks += context_remarks(context, unseen)
        if not is_start:
            remarks += [one.note for one in computed if one.name.endswith(NEGATIVE)]
            remarks += meter_remarks(self._session, window)
        missed = _told(run.findings.missed, unequal_energy(computed))
        end = with_found(_with_busy(end, coverage), remarks, missed)
        cause = end.cause if end.verdict is Verdict.ERROR else Cause.GATE
        return with_found(end, (), self._failed(run, window, computed), cause)

    def _failed(self, run: StepRun, window: Window, computed: Sequence[Result]) -> str:
        """Say which gates that the plan asks for were failed; "" for none."""
        if not self._gates or run.step.engine == "startup":
            return ""
        results = {result.name: result for result in computed}
        row = RowRecord(self._session, run.step_id, run.step.label, window, results)
        judged = judge_gates(partial(figure_of, row), self._gates)
        return "; ".join(one.text for one in judged if one.state is GateState.FAIL)

    def _silent(self, window: Window) -> list[Channel]:
        """Find the configured channels that delivered nothing in a window."""
        channels = self._recorder.channels()
        found = silent_channels(self._session, window, channels)
        return [channel for channel in found if channel.source not in self._absent]

    def _context(self, silent: Sequence[Channel]) -> list[Channel]:
        """Get those that tell how busy a machine was: no result or limit needs them."""
        hosts = {
            source.name
            for source in self._session.sources()
            if source.section == "host"
        }
        return [channel for channel in silent if channel.source in hosts]

    def _settle(self, run: StepRun, until_ns: int) -> None:
        """Wait until all readings of the window are there, also where a run is ended.

        Every living source should have a reading from after it, and whatever was being
        read at its end has to come.
        """
        # A source whose readings are moved to earlier times is waited for that longer.
        late = [-row.offset_ns for row in self._session.offsets()]
        until_ns += max([0, *late])
        deadline = run.clock.monotonic_ns() + self._patience_ns()
        never = threading.Event()
        while self._recorder.failed is None:
            now, health = run.clock.monotonic_ns(), self._recorder.health().values()
            living = [one for one in health if one.state == "ok"]
            if all(one.last_at_ns >= until_ns for one in living):
                return
            # A read that began within the window still belongs to it when it comes.
            longest = now - round(UNDER_WAY_S * SECOND)
            is_late = (longest < one.reading_ns <= until_ns for one in living)
            if now >= deadline and not any(is_late):
                return
            run.clock.wait(never, 0.05)

    def _patience_ns(self) -> int:
        # Power and energy need a reading from the window's end on, however slow their
        # meter is; what comes later than that is taken for nothing.
        meters = [c for c in self._recorder.channels() if c.quantity in ("P", "Wh")]
        reach = (beyond(channel.period_ns) for channel in meters)
        return max([round(SETTLE_S * SECOND), *reach])

    def _results(
        self,
        run: StepRun,
        result: LoadResult,
        window: Window,
    ) -> tuple[list[Result], Sequence[IoFinding]]:
        """Compute and store the results of a step; get what its disk says, too."""
        start, end = window
        self._recorder.call(lambda w: w.commit())
        self._session.refresh()
        # A mean over a device that is off, and then starts, means nothing.
        is_start = run.step.engine == "startup"
        computed = [] if is_start else step_results(self._session, window)
        whole = result.window or window
        load = [
            Result(name, own.value, own.unit, *whole, 1, 1, own.origin)
            for name, own in result.values.items()
        ]
        outputs = {kept.name: kept.content for kept in result.artefacts}
        engine = run.step.engine
        of_load = part_results(
            self._session, engine, whole, window, load, outputs=outputs
        )
        measured = part_load(engine, result, window, of_load)
        io = io_findings(engine, run.step.options, measured)
        computed += [*of_load, *run.findings.results]
        computed += io_results(engine, measured, io, measured.window or window)
        computed += steady_results(self._session, whole, result)
        seconds = (end - start) / SECOND
        computed.append(Result("duration_s", seconds, "s", start, end, 1, 1, "window"))
        run.log.results(run.step_id, window, computed)
        return computed, io


def _told(*sentences: str) -> str:
    return "; ".join(filter(None, sentences))


def _with_busy(end: StepEnd, coverage: Sequence[Coverage]) -> StepEnd:
    """Say of a row that lacks samples how busy this machine was."""
    if end.verdict is not Verdict.ERROR or not any(one.is_poor for one in coverage):
        return end
    return replace(end, reason=_told(end.reason, busy_told()))


def _unmeasured(run: StepRun, result: LoadResult) -> StepEnd:
    """Judge a step without a window: a prompt or set-up that is done passes."""
    run.log.no_window(run.step_id)
    if not run.step.is_measured and result.outcome is LoadOutcome.DONE:
        end = StepEnd(Outcome.DONE, Verdict.PASS)
        return with_found(end, run.findings.remarks, run.findings.missed)
    return judge(result, {}, run.step.limits, ())


def _keep_near(
    run: StepRun, window: Window, values: Mapping[str, float | None]
) -> None:
    """Keep which limits the row is within the meter's error of."""
    near = [text for limit in run.step.limits if (text := limit.near(values))]
    if near:
        own = Result(NEAR, len(near), "", *window, 1, 1, "limits", "; ".join(near))
        run.log.measured(run.step_id, own)


def without_ramp_down(window: Window, seconds: float) -> Window:
    """Cut a ramp-down off a window.

    Results of what is left come from traces and are labelled so: the load's own
    document covers the whole window.

    Raises:
        BadInput: Nothing would be left.
    """
    end = window[1] - round(seconds * SECOND)
    if end <= window[0]:
        whole = (window[1] - window[0]) / SECOND
        raise BadInput(
            f"{seconds:g} s cannot be cut off {whole:g} s",
            where="rampdown",
            way_out="Give a shorter ramp-down, or let the step run longer.",
        )
    return window[0], end
