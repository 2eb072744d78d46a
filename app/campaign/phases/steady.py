"""Steady state while a step runs: round after round is judged, and ends the step."""

import json
import math
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from app.analysis.load_part import traced_results
from app.analysis.steady.rounds import (
    NEAR_NS,
    Rounds,
    quantities_of,
    rounds_within,
)
from app.analysis.steady.state import (
    METHODS,
    Method,
    SteadyState,
    SteadyWatch,
    first_round,
    results_of,
)
from app.campaign.phases.phase import StepRun
from app.plan.steady import SteadyPlan
from app.record.store import Window
from instruments.errors import BenchError
from instruments.reading import SECOND
from workloads.base import Artefact, LoadOutcome, LoadResult


def rounds_text(
    method: Method,
    begin_ns: int | None,
    state: SteadyState | None,
    means: Mapping[str, Sequence[float]],
) -> bytes:
    """Write the means of all rounds as JSON, with the rule and what it found.

    Args:
        method: The rule, with the length of its rounds.
        begin_ns: When the first round began, None where none did.
        state: How it stood at the end, None where no round was judged.
        means: Of each quantity; NaN, which JSON has not, becomes null.
    """
    findings = state.findings if state is not None else {}
    facts = {
        "method": method.name,
        "rule": method.title,
        "round_s": method.round_s,
        "begin_ns": begin_ns,
        "reached": state.reached if state is not None else None,
        "findings": {
            name: {"steady": finding.steady, "why": finding.why}
            for name, finding in findings.items()
        },
        "means": {
            name: [None if math.isnan(value) else value for value in values]
            for name, values in means.items()
        },
    }
    return json.dumps(facts, indent=1).encode()


LATE_S = 1.0
"""So long after the end of a round its slowest readings are waited for."""


class Steadying:
    """Judges a running step round by round; made by one thread, asked by another.

    As SSS-PTS wants it, what is measured are the very rounds in which the step was
    steady; the step ends with them. Where the plan wants something measured after
    them, the step goes on for that long.
    """

    def __init__(self, run: StepRun, plan: SteadyPlan) -> None:
        self._run = run
        self._plan = plan
        method = METHODS[plan.method]
        self._method = replace(method, round_s=plan.round_s or method.round_s)
        self._length = round(self._method.round_s * SECOND)
        self._begin: int | None = None
        self._watch: SteadyWatch | None = None
        self._state: SteadyState | None = None
        self._window: Window | None = None
        self._is_done = False
        self._trouble = ""
        run.tell(f"not yet steady; 0 rounds of {self._method.round_s:g} s so far")

    def begin(self, start_ns: int) -> None:
        """Count rounds from here on, where the step's ramp is over."""
        self._begin = start_ns

    def is_done(self) -> bool:
        """Tell whether the step may end; judges a round where one is complete."""
        if self._begin is None or self._is_done or self._trouble:
            return self._is_done
        now = self._run.clock.monotonic_ns()
        if self._window is not None:
            self._is_done = now >= self._window[1]
            return self._is_done
        end = self._next_end(self._begin)
        if now >= end + round(LATE_S * SECOND) and self._is_round_in(end, now):
            self._judge_safely((end - self._length, end))
        return self._is_done

    def _is_round_in(self, end_ns: int, now_ns: int) -> bool:
        """Tell whether the last of a round is in, of a load and its power, or too late.

        A load whose performance is not judged need not tell of it.
        """
        is_judged = self._run.step.is_load and self._wants("iops")
        with suppress(BenchError):  # Judging it tells what is wrong.
            self._run.refresh()
            rounds = Rounds(self._run.session, self._begin)
            has_documents = not is_judged or rounds.has_documents_until(end_ns, now_ns)
            return has_documents and self._are_read(rounds, end_ns, now_ns)
        return True

    def _wants(self, *names: str) -> bool:
        """Tell whether any of some quantities is judged."""
        chosen = self._plan.quantities
        return not chosen or any(name in chosen for name in names)

    def _are_read(self, rounds: Rounds, end_ns: int, now_ns: int) -> bool:
        """Tell whether readings of a round are in, also what was read at its end."""
        if not self._wants("power", "temperature"):
            return True
        health = self._run.recorder.health()
        reads = (health[one] for one in rounds.sources if one in health)
        under_way = any(
            one.state == "ok" and 0 < one.reading_ns <= end_ns for one in reads
        )
        if under_way and now_ns < end_ns + NEAR_NS:
            return False
        return rounds.has_power_until(end_ns, now_ns)

    def _await_readings(self, end_ns: int) -> None:
        """Wait for the readings at the end of a round, also where a run is ended."""
        clock, never = self._run.clock, threading.Event()
        with suppress(BenchError):
            self._run.refresh()
            rounds = Rounds(self._run.session, self._begin)
            while not self._are_read(rounds, end_ns, clock.monotonic_ns()):
                clock.wait(never, 0.1)
                self._run.refresh()

    @property
    def _judged(self) -> int:
        """How many rounds were judged."""
        return self._state.rounds if self._state is not None else 0

    def _next_end(self, begin_ns: int) -> int:
        return begin_ns + (self._judged + 1) * self._length

    def _judge_safely(self, window: Window) -> None:
        """Judge a round; whoever asks also ends the load, so nothing is raised."""
        try:
            self._judge(window)
        except BenchError as error:
            self._trouble = f"it could not be judged, {error}"
            self._run.tell(self._trouble)

    def _catch_up(self, until_ns: int) -> None:
        """Judge the rounds that the step completed with its very end."""
        if self._begin is None:
            return
        count = rounds_within((self._begin, until_ns), self._length)
        while self._judged < count and not (
            self._is_done or self._trouble or self._window is not None
        ):
            end = self._next_end(self._begin)
            late = end + round(LATE_S * SECOND) - self._run.clock.monotonic_ns()
            if late > 0:
                self._run.sleep(late / SECOND)
            self._await_readings(end)
            self._judge_safely((end - self._length, end))

    def _leave_out(self, until_ns: int) -> None:
        """Leave out rounds that were over before the load's program was.

        On a busy machine it takes seconds to end, with nothing to count in them.
        """
        if self._begin is None or self._watch is None:
            return
        count = rounds_within((self._begin, until_ns), self._length)
        if self._judged <= count:
            return
        chosen, means = self._watch.quantities, self._watch.means
        self._watch = self._state = self._window = None
        if count:
            kept = {name: values[:count] for name, values in means.items()}
            self._watch = SteadyWatch(self._method, chosen, kept)
            self._state = self._watch.state()

    def finish(self, result: LoadResult) -> LoadResult:
        """Keep what was found, and take a load that was ended for this as done."""
        if not self._counts(result):
            return result
        if result.window is None:
            result = self._with_window(result)
        if result.window is None:
            return result
        self._leave_out(result.window[1])
        self._catch_up(result.window[1])
        state, whole = self._state, result.window
        kept = Artefact("steady-state.json", "application/json", self._text())
        result = replace(
            result,
            outcome=LoadOutcome.DONE,
            reason="",
            artefacts=(*result.artefacts, kept),
        )
        if state is None or state.reached is None or self._window is None:
            self._miss(state)
            self._keep(whole, state, has_values=bool(result.values))
            return result
        start, end = max(self._window[0], whole[0]), min(self._window[1], whole[1])
        after = f"steady after {state.reached} rounds of {self._method.round_s:g} s"
        if start >= end:
            self._run.findings.missed = f"{after}, and its runtime was over then"
            self._keep(whole, state, has_values=bool(result.values))
            return result
        self._run.findings.window = (start, end)
        self._keep((start, end), state, has_values=bool(result.values))
        part = f"rounds {first_round(state)} to {state.rounds}"
        if self._plan.measure_s:
            part = f"{(end - start) / SECOND:.3g} s after them"
        told = f"{after} ({self._rule(state)}), {part} are measured"
        self._run.findings.remarks.append(told)
        return result

    def _with_window(self, result: LoadResult) -> LoadResult:
        """Place the window of a load that tells none where it is ended early."""
        if self._begin is None or result.outcome is not LoadOutcome.STOPPED:
            return result
        judged = self._begin + self._judged * self._length
        end = self._window[1] if self._window is not None else judged
        return (
            replace(result, window=(self._begin, end)) if end > self._begin else result
        )

    def _miss(self, state: SteadyState | None) -> None:
        """Say that it was not steady, and why."""
        rounds, why = 0, "its runtime was over before"
        if state is not None:
            rounds, why = state.rounds, state.told
        head = f"steady state not reached in {rounds} rounds"
        told = ": ".join(filter(None, (head, self._trouble or why)))
        self._run.findings.missed = f"{told} ({self._rule(state)})"

    def _rule(self, state: SteadyState | None) -> str:
        """Name the rule, and what it judged."""
        judged = ", ".join(state.findings) if state is not None else ""
        return f"{self._method.name} of {judged}" if judged else self._method.name

    def _counts(self, result: LoadResult) -> bool:
        """Tell whether it ran to its end, or was ended by us and by nobody else."""
        if result.outcome is LoadOutcome.DONE:
            return True
        ours = self._is_done and not self._run.is_over()
        return ours and result.outcome is LoadOutcome.STOPPED

    def _judge(self, window: Window) -> None:
        self._run.refresh()
        rounds = Rounds(self._run.session, self._begin)
        if self._watch is None:
            step = self._run.step
            names = self._plan.quantities
            chosen = quantities_of(names, self._run.session, is_load=step.is_load)
            self._watch = SteadyWatch(self._method, chosen)
        state = self._watch.add(rounds.means(window))
        self._state = state
        self._run.tell(state.why)
        if state.steady:
            self._window = self._measured(state, window[1])
            if self._plan.measure_s:
                self._run.tell(f"steady, {self._plan.measure_s:g} s are measured now")
            else:
                self._is_done = True
        elif state.is_over:
            self._is_done = True

    def _measured(self, state: SteadyState, end_ns: int) -> Window:
        if self._plan.measure_s:
            # What is judged now ended some time ago: the readings had to come in.
            start = self._run.clock.monotonic_ns()
            return start, start + round(self._plan.measure_s * SECOND)
        first = first_round(state)
        assert self._begin is not None
        return self._begin + (first - 1) * self._length, end_ns

    def _keep(
        self, window: Window, state: SteadyState | None, *, has_values: bool
    ) -> None:
        """Keep how it stands as results and events of the step.

        A load that was ended may tell nothing; then its traces do.
        """
        if self._run.step.is_load and not has_values:
            self._run.refresh()
            engine = self._run.step.engine
            traced = traced_results(self._run.session, engine, window)
            self._run.findings.results += traced
        if state is None:
            return
        self._run.findings.results += results_of(state, window)
        for name, finding in state.findings.items():
            text = f"{self._run.label}: {name}: {finding.why}"
            level = "info" if finding.steady else "warning"
            self._run.recorder.event(level, "steady", text)

    def _text(self) -> bytes:
        means = self._watch.means if self._watch is not None else {}
        return rounds_text(self._method, self._begin, self._state, means)
