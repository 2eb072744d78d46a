"""Why a run or a step ended as it did, in sentences; no Qt."""

from collections.abc import Sequence

from app.plan.verdict import Outcome, Verdict
from app.record.store import StepRow

MOST_REASONS = 3


def last_ended(steps: Sequence[StepRow]) -> StepRow | None:
    """Find the step that ended last, None before the first has."""
    ended = [step for step in steps if step.start_ns is not None and step.end_ns]
    return max(ended, key=lambda step: step.end_ns or 0, default=None)


def state_of_step(step: StepRow) -> str:
    """Get the verdict of a step, or what became of it where it has none."""
    return step.verdict or step.outcome


def reasons_of(steps: Sequence[StepRow], reason: str = "") -> list[str]:
    """Say why a run ended as it did, a line a reason.

    Args:
        steps: As stored.
        reason: What ended the run as a whole, "" for its plan.
    """
    found = [reason] if reason else []
    bad = [step for step in steps if step.verdict not in (None, Verdict.PASS)]
    found += [f"{step.label}: {step.reason or step.verdict}" for step in bad]
    if len(found) > MOST_REASONS:
        more = len(found) - MOST_REASONS + 1
        found = [*found[: MOST_REASONS - 1], f"and {more} more, in the report"]
    skipped = len([step for step in steps if step.outcome == Outcome.SKIPPED])
    if skipped:
        found.append(
            f"{skipped} {'step was' if skipped == 1 else 'steps were'} not run"
        )
    passed = len([step for step in steps if step.verdict == Verdict.PASS])
    return found or [f"{passed} {'step' if passed == 1 else 'steps'} passed"]
