"""The phase of an operator prompt: ask, then see whether the bench agrees."""

from app.analysis.result import Result
from app.campaign.phases.answer import is_no
from app.campaign.phases.condition_check import ConditionState, check_conditions
from app.campaign.phases.hands import NO_HANDS, TOLD, Hands
from app.campaign.phases.phase import INTERRUPTED, Phase, StepRun
from app.plan.prompt import Prompt, check_prompt
from instruments.errors import Aborted
from instruments.reading import SECOND
from workloads.base import LoadOutcome, LoadResult

AGREE_S = 15.0
"""So long the bench has to agree where the step has no runtime; then it is asked
again."""

_LOOK_S = 0.2


def prompting(hands: Hands = NO_HANDS) -> Phase:
    """Make the phase of prompts.

    Args:
        hands: What does it on a simulated bench, once the operator has answered.
    """

    def prompt(run: StepRun) -> LoadResult:
        return _prompt(run, hands)

    return prompt


def _prompt(run: StepRun, hands: Hands) -> LoadResult:
    """Ask the operator, and go on when it is done and the bench agrees.

    An operator who says no has the last word: that is no PASS, whatever the bench says.
    With a runtime the bench has that long to agree, and does not pass where it does
    not; where the run was held meanwhile, that cannot be told. Without a runtime the
    operator is asked again, with what is missing.
    """
    asked = check_prompt(run.step.options)
    missing = ""
    does = hands.do if asked.simulated else None
    text = asked.text if does is None else f"{asked.text}\n{TOLD}"
    while True:
        run.book.journal("asked", f"{run.label}: {asked.text}")
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
            run.book.journal("simulated", f"{run.label}: {'; '.join(asked.simulated)}")
        state, held = _wait(run, asked, since)
        if state.since_ns is not None:
            _keep(run, asked, since, state.since_ns)
            return LoadResult(LoadOutcome.DONE)
        if run.is_over():
            return INTERRUPTED
        if run.step.runtime_s and held:
            reason = f"not told whether within {run.step.runtime_s:g} s, held: {held}"
            return LoadResult(LoadOutcome.FAILED, reason)
        if run.step.runtime_s:
            reason = f"not so within {run.step.runtime_s:g} s: {state.missing}"
            return LoadResult(LoadOutcome.DEVICE_FAILED, reason)
        missing = state.missing


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
    run.book.measured(
        run.step_id,
        Result("detected_s", took, "s", since_ns, agreed_ns, 1, 1, "prompt", note),
    )
    run.book.journal("agreed", f"{run.label}: {note}, {took:.1f} s after the answer")
