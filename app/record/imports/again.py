"""What imported files say of the steps of a session, read again from what is kept."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.record.imports.found import Found, FoundStep
from app.record.imports.recognise import read_bytes
from app.record.imports.steps import told_results
from app.record.store import Result, Session, StepRow
from instruments.errors import BadInput

_MARK = re.compile(r"(?:, \d+)?\)")
"""What ends the label of a step whose own label another one had: "job (file, 2)"."""


@dataclass(frozen=True, slots=True)
class ToldAgain:
    """What files say of the steps of a session.

    Attributes:
        results: Of each step that one of them tells of, by its number.
        steps: What they tell of it, alike.
        is_damaged: Whether one that is kept cannot be read again.
    """

    results: Mapping[int, list[Result]] = field(default_factory=dict)
    steps: Mapping[int, FoundStep] = field(default_factory=dict)
    is_damaged: bool = False


def told_again(session: Session) -> ToldAgain:
    """Read the files of an imported session again; nothing of any other session."""
    if not session.info.is_imported:
        return ToldAgain()
    left, is_damaged = _kept_steps(session)
    # Of several steps with one label the last ones have the longest mark.
    left.sort(key=lambda one: one[1].start_ns, reverse=True)
    results, steps = {}, {}
    for row in sorted(session.steps(), key=lambda one: one.position, reverse=True):
        found = next((one for one in left if _is_of(row, *one)), None)
        if found is not None:
            left.remove(found)
            start = row.window_start_ns or row.start_ns or 0
            window = start, row.window_end_ns or start
            steps[row.id] = found[1]
            results[row.id] = told_results(found[1], window)
    return ToldAgain(results, steps, is_damaged)


def _kept_steps(session: Session) -> tuple[list[tuple[str, FoundStep]], bool]:
    """Get the steps of the kept files, with their names, and whether one is damaged."""
    steps: list[tuple[str, FoundStep]] = []
    is_damaged = False
    for kept in session.artefacts():
        if kept.step_id is not None:
            continue
        path = Path(kept.name)
        try:
            read = read_bytes(path, session.artefact(kept.name), keep_rest=True)
        except BadInput:
            is_damaged = True
            continue
        if isinstance(read.found, Found):
            steps += [(path.stem, step) for step in read.found.steps]
    return steps, is_damaged


def _is_of(row: StepRow, stem: str, step: FoundStep) -> bool:
    """Tell whether a row is a step of a file: by label, engine and length."""
    own = row.label.removeprefix(f"{step.label} ({stem}")
    is_marked = own != row.label and _MARK.fullmatch(own) is not None
    length = None
    if row.window_start_ns is not None and row.window_end_ns is not None:
        length = row.window_end_ns - row.window_start_ns
    told = None if step.window is None else step.window[1] - step.window[0]
    is_labelled = row.label == step.label or is_marked
    return is_labelled and row.engine == step.engine and length == told
