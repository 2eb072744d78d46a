"""Statistics of a part of a session, as the window shows them beside its charts."""

import math
from collections.abc import Sequence
from pathlib import Path

from app.analysis.interrupted import open_session
from app.record.store import Session, Window
from app.report.chart.layout_file import PREFIX, saved_layout
from app.report.chart.panels import session_rows
from app.report.chart.statistics import (
    HEADS,
    CurveStatistics,
    seconds_to,
    session_statistics,
    table_note,
    window_text,
)
from app.report.table import Column, Table
from app.report.text import aligned
from instruments.errors import BadInput
from instruments.reading import SECOND
from instruments.settings import did_you_mean

PartStatistics = tuple[str, list[CurveStatistics], str]
"""What the part is called, a line for each curve, and what else is to be said."""


def part_statistics(
    path: Path,
    step: str = "",
    start_s: float | None = None,
    end_s: float | None = None,
    titles: Sequence[str] = (),
) -> PartStatistics:
    """Get the statistics of a step, of a stretch of time, or of all of a session.

    Args:
        path: The session file.
        step: Label of the step, whose measured window it is; "" for none.
        start_s: Begin in seconds from that of the session; None for its begin.
        end_s: The end; None for its end.
        titles: Of the charts wanted; none for all.

    Raises:
        BadInput: There is no such step or chart, the step was not begun, or no part
            of the session is from that begin to that end.
    """
    with open_session(path) as session:
        window = _window(session, path, step, start_s, end_s)
        _look_for(session, path, titles)
        origin = seconds_to(session, 0.0)
        span = window_text(*((moment - origin) / SECOND for moment in window))
        label = f"{step}: {span}" if step else span
        found = session_statistics(session, window, titles)
        notes = [table_note(session, window, found), *_lacking(session, titles)]
        return label, found, " ".join(filter(None, notes))


def _lacking(session: Session, titles: Sequence[str]) -> list[str]:
    """Say of each layout what of it the session does not have."""
    names = [one.removeprefix(PREFIX) for one in titles if one.startswith(PREFIX)]
    return [
        f'Not shown of layout "{name}": {"; ".join(x.rstrip(".") for x in lacking)}.'
        for name in names
        if (lacking := saved_layout(session, name).lacking)
    ]


def _window(
    session: Session, path: Path, step: str, start_s: float | None, end_s: float | None
) -> Window:
    if step:
        return step_window(session, path, step)
    first, last = session.extent()
    begin, ends = seconds_to(session, 0.0), last + 1
    given = [seconds for seconds in (start_s, end_s) if seconds is not None]
    # What was before the session, or after it, is not missed.
    if all(map(math.isfinite, given)):
        start = first if start_s is None else max(begin, seconds_to(session, start_s))
        end = ends if end_s is None else min(ends, seconds_to(session, end_s))
        if start < end:
            return start, end
    is_reversed = len(given) == 2 and given[1] <= given[0]
    raise BadInput(
        "the end is not later than the start"
        if is_reversed
        else "there is no such part of the session",
        where=str(path),
        way_out=f"It ends at {(last - begin) / SECOND:.1f} s, counted from its start.",
    )


def _look_for(session: Session, path: Path, titles: Sequence[str]) -> None:
    panels = [panel.title for row in session_rows(session) for panel in row.panels]
    for title in titles:
        if title not in panels and not title.startswith(PREFIX):
            charts = ", ".join(f'"{one}"' for one in panels)
            raise BadInput(
                f'there is no chart "{title}"{did_you_mean(title, panels)}',
                where=str(path),
                way_out=f"Its charts are {charts}." if charts else "It has no charts.",
            )


def step_window(session: Session, path: Path, label: str) -> Window:
    """Get the measured window of a step, or all of it where it has none.

    Raises:
        BadInput: There is none of this label, or it never ran.
    """
    steps = [step for step in session.steps() if step.label == label]
    for step in reversed(steps):
        if step.window is not None:
            return step.window
    labels = list(dict.fromkeys(step.label for step in session.steps()))
    missing = f'there is no step "{label}"{did_you_mean(label, labels)}'
    names = ", ".join(f'"{one}"' for one in labels)
    raise BadInput(
        f'step "{label}" was not run' if steps else missing,
        where=str(path),
        way_out=f"Its steps are {names}.",
    )


def part_text(found: PartStatistics) -> str:
    """Write statistics for the terminal."""
    label, lines, note = found
    columns = tuple(Column(head, head) for head in HEADS)
    notes = ["", note] if note else []
    return "\n".join([label, "", *aligned(Table(columns, _rows(lines))), *notes, ""])


def _rows(lines: Sequence[CurveStatistics]) -> tuple[tuple[str, ...], ...]:
    return tuple(line.cells for line in lines)


def part_json(found: PartStatistics) -> dict[str, object]:
    """Write statistics as plain values."""
    label, lines, note = found
    curves = [line.as_json() for line in lines]
    return {"part": label, "note": note, "curves": curves}
