"""The phase of an operator prompt: ask, then see whether the bench agrees."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from app.campaign.phases.answer import is_no
from app.campaign.phases.operator import SIMULATION_NOTE
from app.campaign.phases.phase import INTERRUPTED, StepRun
from app.plan.prompt import Condition, Prompt, check_prompt
from app.record.store import Result, Session
from instruments.errors import Aborted
from instruments.reading import SECOND, Channel, Status
from workloads.base import LoadOutcome, LoadResult


@dataclass(frozen=True, slots=True)
class ConditionState:
    """How it stands with the conditions of a prompt.

    Attributes:
        missing: What is not as it should be, in words; "" where all is.
        since_ns: Time of the last reading that made it so; None where it is not.
    """

    missing: str
    since_ns: int | None = None


def check_conditions(
    session: Session, conditions: Sequence[Condition], since_ns: int, now_ns: int
) -> ConditionState:
    """Look at the readings of a span; older ones tell nothing of what was asked.

    A channel is as it should be where its newest reading is; the moment told is that
    of the first reading since which it has been so without a break.

    Args:
        session: The session while it is recorded, refreshed.
        conditions: What has to hold, all of it.
        since_ns: Readings before this moment do not count.
        now_ns: Up to here.
    """
    missing: list[str] = []
    moments = [since_ns]
    for condition in conditions:
        matching = [
            channel
            for channel in session.channels()
            if fnmatchcase(channel.name, condition.pattern)
        ]
        if not matching:
            missing.append(f"no channel of the bench is called {condition.pattern}")
        for channel in matching:
            told, moment = _look(session, channel, condition, (since_ns, now_ns))
            if told:
                missing.append(told)
            elif moment is not None:
                moments.append(moment)
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        return ConditionState("; ".join(missing[:3]) + more)
    return ConditionState("", max(moments))


def _look(
    session: Session, channel: Channel, condition: Condition, window: tuple[int, int]
) -> tuple[str, int | None]:
    """Look at one channel: what is missing, or since when nothing is."""
    trace = session.trace(channel, window)
    if not len(trace):
        return f"{channel.name} has not been read since", None
    values = [float(v) if np.isfinite(v) else None for v in trace.mean]
    if values[-1] is None and (why := _not_told(session, channel, window)):
        return f"{channel.name} cannot be read just now ({why})", None
    good = [condition.holds(value) for value in values]
    if not good[-1]:
        newest = values[-1]
        told = "" if newest is None else f"{newest:.4g} {channel.printed_unit}"
        is_now = "absent" if newest is None else told.rstrip()
        return f"{channel.name} is {is_now}, wanted: {_wanted(condition)}", None
    first = len(good) - 1
    while first and good[first - 1]:
        first -= 1
    return "", int(trace.times[first])


def _not_told(session: Session, channel: Channel, window: tuple[int, int]) -> str:
    """Get why a channel has no value, "" where its source says it is absent."""
    gaps = session.gaps(channel, window)
    newest = max(gaps, key=lambda gap: gap.end_ns, default=None)
    if newest is None or newest.reason == Status.ABSENT:
        return ""
    return newest.detail or newest.reason


def _wanted(condition: Condition) -> str:
    return str(condition).removeprefix(condition.pattern).strip()


AGREE_S = 15.0
"""So long the bench has to agree where the step has no runtime; then it is asked
again."""

# The condition is in the store: it cannot come sooner than the writer commits, twice a
# second.
_LOOK_S = 0.2


def ask_operator(run: StepRun) -> LoadResult:
    """Ask the operator, and go on when it is done and the bench agrees.

    An operator who says no has the last word: that is not a PASS, whatever the bench
    says. With a runtime the bench has that long to agree, and does not pass where it
    does not; where the run was held meanwhile, that cannot be told. Without a runtime
    the operator is asked again, with what is missing.
    """
    asked = check_prompt(run.step.options)
    missing = ""
    does = run.operator.do if asked.simulated else None
    text = asked.text if does is None else f"{asked.text}\n{SIMULATION_NOTE}"
    while True:
        run.recorder.journal("asked", f"{run.label}: {asked.text}")
        try:
            answer = run.steering.ask(text, asked.picture, missing)
        except Aborted:
            return INTERRUPTED
        run.answered(answer or "done")
        if is_no(answer):
            reason = f'the operator answered "{answer}"'
            return LoadResult(LoadOutcome.DEVICE_FAILED, reason)
        since = run.clock.monotonic_ns()
        if does is not None:
            does(asked.simulated)
            run.recorder.journal(
                "simulated", f"{run.label}: {'; '.join(asked.simulated)}"
            )
        state, held = _wait(run, asked, since)
        if state.since_ns is not None:
            _keep(run, asked, since, state.since_ns)
            return LoadResult(LoadOutcome.DONE)
        if run.is_over():
            return INTERRUPTED
        if run.step.runtime_s:
            return _not_so(run.step.runtime_s, state.missing, held)
        missing = state.missing


def _not_so(runtime_s: float, missing: str, held: str) -> LoadResult:
    """Judge a prompt with which the bench did not agree in time."""
    within = f"within {runtime_s:g} s"
    if held:
        reason = f"unknown {within}, paused by an interlock: {held}"
        return LoadResult(LoadOutcome.FAILED, reason)
    return LoadResult(LoadOutcome.DEVICE_FAILED, f"not so {within}: {missing}")


def _wait(run: StepRun, asked: Prompt, since_ns: int) -> tuple[ConditionState, str]:
    """Wait until the bench is as the prompt wants it.

    Returns:
        How it is then, or was at the end of the runtime; and why the run was held
        meanwhile: a source that is lost cannot agree, nor disagree.
    """
    if not asked.check:
        return ConditionState("", since_ns), ""
    limit_ns = round((run.step.runtime_s or AGREE_S) * SECOND)
    end, held = since_ns + limit_ns, ""
    while True:
        now = run.clock.monotonic_ns()
        held = held or run.steering.held
        if run.steering.held and not run.step.runtime_s:
            end = now + limit_ns  # nobody is asked again as long as it is held
        if now >= end:
            run.refresh()  # What was read until then may not be stored yet.
        else:
            run.session.refresh()
        state = check_conditions(run.session, asked.check, since_ns, min(now, end))
        if state.since_ns is not None or run.is_over() or now >= end:
            return state, held
        run.sleep(_LOOK_S)


def _keep(run: StepRun, asked: Prompt, since_ns: int, agreed_ns: int) -> None:
    """Store how long the bench took to notice what the operator said was done."""
    if not asked.check:
        return
    took = max(0, agreed_ns - since_ns) / SECOND
    note = "; ".join(str(condition) for condition in asked.check)
    run.log.measured(
        run.step_id,
        Result("detected_s", took, "s", since_ns, agreed_ns, 1, 1, "prompt", note),
    )
    run.recorder.journal(
        "agreed", f"{run.label}: {note}, {took:.1f} s after the answer"
    )
