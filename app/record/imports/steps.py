"""The steps of an imported session: labels, windows, and the results of their files."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.plan.step import Step
from app.plan.writing import step_text
from app.record.imports.found import FoundStep
from app.record.imports.placing import Placed
from app.record.store import Result, Window, Writer
from instruments.reading import SECOND

ENGINE = "imported"
"""The engine of a step that a file without any step makes."""


@dataclass(frozen=True, slots=True)
class WrittenStep:
    """A step in the session, and what remains to be computed for it."""

    id: int  # its number in the session
    window: Window  # the measured window on the session's axis


def write_steps(
    writer: Writer, placed: Sequence[Placed], shift: int
) -> list[WrittenStep]:
    """Write all steps with the results that the files tell.

    Returns:
        The steps that have a measured window.
    """
    steps = [(step, one) for one in placed for step in one.found.steps] or _whole(
        placed
    )
    steps.sort(key=lambda pair: pair[0].start_ns + pair[1].shift_ns)
    written = []
    labels: set[str] = set()
    for position, (step, one) in enumerate(steps, 1):
        label = _unique(step.label, one.found.path.stem, labels)
        by = one.shift_ns + shift
        plan = _plan(label, step)
        step_id = writer.add_step(position, label, step.engine, plan)
        start, end = step.start_ns + by, step.start_ns + by
        if step.window is not None:
            window = (step.window[0] + by, step.window[1] + by)
            written.append(WrittenStep(step_id, window))
            writer.update_step(
                step_id, window_start_ns=window[0], window_end_ns=window[1]
            )
            end = window[1]
        writer.update_step(
            step_id,
            start_ns=start,
            end_ns=end,
            outcome=step.fault if step.fault in ("ERROR", "ABORTED") else "DONE",
            verdict=step.fault or None,
            reason=step.reason,
        )
        _write_values(writer, step_id, step, by)
    return written


def _write_values(writer: Writer, step_id: int, step: FoundStep, by: int) -> None:
    start, end = step.window or (step.start_ns, step.start_ns)
    window = start + by, end + by
    for result in told_results(step, window):
        writer.result(step_id, result)
    if step.window is not None:
        seconds = (end - start) / SECOND
        result = Result("duration_s", seconds, "s", *window, 1, 1, "window")
        writer.result(step_id, result)


def told_results(step: FoundStep, window: Window) -> list[Result]:
    """Make the results that a file tells of a step, and of those it has not the note.

    Args:
        step: The step.
        window: Its measured window on the axis of the session.
    """
    notes = step.notes
    told = [
        Result(
            name, one.value, one.unit, *window, 1, 1, one.origin, notes.get(name, "")
        )
        for name, one in step.values.items()
    ]
    lacking = [name for name in notes if name not in step.values]
    return told + [
        Result(name, None, "", *window, note=notes[name]) for name in lacking
    ]


def _whole(placed: Sequence[Placed]) -> list[tuple[FoundStep, Placed]]:
    """Make one step of all, where no file tells of any."""
    first = min(placed, key=lambda one: one.extent)
    last = max(one.extent[1] for one in placed)
    start, end = (moment - first.shift_ns for moment in (first.extent[0], last))
    window = (start, end + 1) if end > start else None
    label = first.found.path.stem
    return [(FoundStep(label, ENGINE, start, window, {}), first)]


def _unique(label: str, stem: str, labels: set[str]) -> str:
    """Give a step a label that no other has: rows are told apart by it."""
    tries = [label, f"{label} ({stem})"]
    found = next((name for name in tries if name not in labels), "")
    number = 2
    while not found or found in labels:
        found = f"{label} ({stem}, {number})"
        number += 1
    labels.add(found)
    return found


def _plan(label: str, step: FoundStep) -> str:
    start, end = step.window or (0, 0)
    return step_text(
        Step(
            label=label,
            engine=step.engine,
            runtime_s=(end - start) / SECOND,
            ramp_s=step.ramp_s,
            options=step.options,
        )
    )
