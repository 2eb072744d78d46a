"""What the rows of a session say to a run that goes on with it."""

import re
from collections.abc import Sequence

from app.plan.passes import first_name
from app.plan.repeats import numbered, series_of
from app.plan.step import Step
from app.plan.verdict import BY_OPERATOR, Outcome, Verdict
from app.record.store import StepRow

_ATTEMPT = re.compile(r" \(void \d+\)$")


def labels_of(label: str, step: Step) -> tuple[str, ...]:
    """Get the labels that a row, and those that followed it as repeats, may have."""
    if step.repeats is None:
        return (label,)
    numbers = range(1, step.repeats.most + 1)
    return tuple(numbered(series_of(label), number) for number in numbers)


def known_rows(
    rows: Sequence[tuple[str, Step]], steps: Sequence[StepRow]
) -> list[tuple[StepRow, Step]]:
    """Find the rows of a session that stand in its plan, each with its step.

    Those that are void and were planned again are not among them.

    Args:
        rows: Of the campaign: (label, step).
        steps: What the session has of them.
    """
    plan = {name: step for label, step in rows for name in labels_of(label, step)}
    named = ((step, plan.get(first_name(step.label))) for step in steps)
    return [(step, own) for step, own in named if own is not None]


def verdict_of(step: StepRow) -> Verdict | None:
    """Get what an ended row says of the whole; a hole in the table is no PASS."""
    if step.was_cut_off:
        return None
    if step.outcome == Outcome.SKIPPED:
        return Verdict.ABORTED if step.cause in BY_OPERATOR else Verdict.ERROR
    return Verdict(step.verdict) if step.verdict else None


def was_held(step: StepRow) -> bool:
    """Tell whether the program ended before a held row was planned again."""
    is_void = step.outcome == Outcome.VOID and step.verdict is None
    return is_void and not _ATTEMPT.search(step.label)
