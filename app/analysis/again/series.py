"""What is made of the results of rows, computed again: mean of repeats, near limits."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.analysis.repeat import HALF_WIDTH, MEAN, mean_interval
from app.plan.limits import NEAR, parse_limit
from app.plan.verdict import Cause, Outcome
from app.record.store import Result, Session, StepRow, Window
from instruments.files.foreign_text import stored_table, stored_toml

COUNTED = (Outcome.DONE, Outcome.ERROR, Outcome.VOID)
"""Outcomes of repeats that count towards the most; those without a value, too."""

_UNGUARDED = (Cause.NONE, Cause.LIMIT)


def near_limits(
    session: Session, step: StepRow, values: Mapping[str, float | None], window: Window
) -> list[Result]:
    """Say how many limits of a row are within the meter's error of its values.

    Limits were judged where nothing else was wrong; what was found to be wrong after
    that, such as a mean that is not known well, is the cause of a row that has this.
    """
    limits = stored_toml(step.plan).get("limits")
    near = []
    for text in limits if isinstance(limits, list) else ():
        with contextlib.suppress(ValueError, TypeError):
            near.append(parse_limit(text).near(values))
    count = sum(map(bool, near))
    is_stored = any(result.name == NEAR for result in session.results(step.id))
    if not count or (step.cause not in _UNGUARDED and not is_stored):
        return []
    note = "; ".join(filter(None, near))
    return [Result(NEAR, count, "", *window, 1, 1, "limits", note)]


def series_mean(session: Session, step: StepRow) -> list[Result]:
    """Compute mean and half width of the repeats that a row is the last one of."""
    own = {result.name: result for result in session.results(step.id)}
    stored = own.get(MEAN)
    last = own.get(stored.origin) if stored is not None else None
    if last is None:
        return []
    rows = [
        one
        for one in session.steps()
        if (one.series, one.pass_number) == (step.series, step.pass_number)
        and one.outcome in COUNTED
        and one.id <= step.id
    ]
    values = [_value(session, one, last.name, step) for one in rows]
    known = [value for value in values if value is not None]
    level = stored_table(step.plan, "repeats").get("level", 95.0)
    if not known or not isinstance(level, int | float) or not 0 < level < 100:
        return []
    interval = mean_interval(known, level / 100)
    window = last.start_ns, last.end_ns
    counts = interval.count, len(values)
    mean = Result(MEAN, interval.mean, last.unit, *window, *counts, last.name)
    return [mean, replace(mean, name=HALF_WIDTH, value=interval.half)]


def _value(session: Session, one: StepRow, name: str, last: StepRow) -> float | None:
    """Get a value of a repeat that counts: of the last one its mean may be why not."""
    results = session.results(one.id)
    is_reached = one.cause != Cause.UNREACHED
    if one.id == last.id:
        is_reached = is_reached or not _missed_steady(results)
    if one.outcome != Outcome.DONE or not is_reached:
        return None
    return next((r.value for r in results if r.name == name), None)


def _missed_steady(results: Sequence[Result]) -> bool:
    return any(r.name.startswith("steady.") and not r.value for r in results)
