"""Compute a session otherwise: another table beside the first, and nothing stored."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.analysis.again.recompute import Cut, Otherwise, RowOtherwise, recompute
from app.analysis.interrupted import open_session
from app.analysis.steady.state import METHODS
from app.operations.sessions.judging import JudgedAgain, judge_again
from app.record.store import Result, Window
from app.report.document import further_tables
from app.report.notes import said_once, thin_cells, unclean_rows
from app.report.rows import Row, report_rows
from app.report.table import WORDS, Cell, Table, full_table, number_of, show
from app.report.text import aligned
from instruments.durations import parse_duration
from instruments.errors import BadInput, printable
from instruments.files.foreign_text import cell
from instruments.metric import BY_NAME, head_of, in_order
from instruments.reading import SECOND
from instruments.settings import did_you_mean

AGAIN = ", again"
"""Behind the label of a row stands that it is the one that was computed otherwise."""

NOT_JUDGED = "not judged"
"""The verdict of such a line where the plan has no limit and no gate."""

LATEST = "latest"
"""In place of SOURCE=SECONDS: all clock offsets that the session has by now."""

TITLE = "As recorded, and again"
_WINDOW = "Expected such as 30s.., 30s..90s or ..-10s; -60s.. counts from the end."
_LONGEST_S = 86400.0


@dataclass(frozen=True, slots=True)
class Figure:
    """One value of a row, as it is stored and as it would be."""

    name: str
    unit: str
    recorded: float | None
    again: float | None
    why: str = ""  # why it has no value otherwise

    @property
    def differs(self) -> bool:
        """Whether one is not the other, to the last bit."""
        return self.recorded != self.again


@dataclass(frozen=True, slots=True)
class RowFigures:
    """A row with its figures, also those that follow from others."""

    step: str
    window_s: tuple[float, float] | None  # from the start of its load
    window_ns: Window | None
    why: str  # what is to be said of all of it
    figures: Sequence[Figure]
    judged: JudgedAgain


@dataclass(frozen=True, slots=True)
class Recomputed:
    """A session computed otherwise.

    Attributes:
        path: The session.
        rows: Its rows.
        tables: With their titles, those of the report in which a line "again" stands
            below each row; what differs from the line above is marked.
        lacking: What could not be computed, and what else is to be said, in sentences.
    """

    path: Path
    rows: Sequence[RowFigures]
    tables: Sequence[tuple[str, Table]]
    lacking: Sequence[str]


def otherwise(
    window: str = "",
    steady: str = "",
    offsets: Sequence[str] = (),
    *,
    round_length: str = "",
    rows: Sequence[str] = (),
) -> Otherwise:
    """Read what is to be other.

    Args:
        window: FROM..TO, see `Cut.parse`; "" for the window of the run.
        steady: A rule; "" for none.
        offsets: Each SOURCE=SECONDS, or LATEST.
        round_length: A duration; "" for that of the run or of the rule.
        rows: Labels; none for all rows.

    Raises:
        BadInput: One of them cannot be read, or nothing is asked for.
    """
    if not (window or steady or offsets):
        raise BadInput(
            "nothing is changed",
            where="recompute",
            way_out="Give a window, a rule of steady state or a clock offset.",
        )
    _check_steady(steady, round_length)
    return Otherwise(
        _cut(window) if window else None,
        steady,
        _round_s(round_length) if round_length else 0.0,
        dict(_offset(text) for text in offsets if text != LATEST),
        LATEST in offsets,
        tuple(rows),
    )


def _check_steady(steady: str, round_length: str) -> None:
    if round_length and not steady:
        raise BadInput(
            "a length of rounds needs a rule of steady state",
            where="round",
            way_out="Give a rule of steady state, too.",
        )
    if steady and steady not in METHODS:
        raise BadInput(
            f'there is no rule "{steady}"{did_you_mean(steady, METHODS)}',
            where="steady",
            way_out=f"Expected one of {', '.join(METHODS)}.",
        )


def _cut(text: str) -> Cut:
    try:
        return Cut.parse(text)
    except ValueError as error:
        raise BadInput(
            f'"{text}" is not a window: {error}', where="window", way_out=_WINDOW
        ) from error


def _round_s(text: str) -> float:
    try:
        seconds = parse_duration(text)
    except ValueError as error:
        raise BadInput(
            f'"{text}" is not the length of a round',
            where="round",
            way_out="Expected such as 10s or 1m.",
        ) from error
    if seconds < 1:
        raise BadInput(
            f"a round of {seconds:g} s is too short",
            where="round",
            way_out="Expected 1 s at least.",
        )
    return seconds


def _offset(text: str) -> tuple[str, int]:
    source, _, seconds = text.rpartition("=")
    try:
        value = float(seconds.strip().removesuffix("s"))
    except ValueError:
        value = _LONGEST_S
    if not source or not abs(value) < _LONGEST_S:
        raise BadInput(
            f'"{text}" is not a clock offset',
            where="offset",
            way_out="Expected SOURCE=SECONDS such as mains=-0.35, less than a day: "
            f"what is added to the times of that source; or {LATEST}.",
        )
    return source, round(value * SECOND)


def recomputed(path: Path, other: Otherwise) -> Recomputed:
    """Compute a session otherwise; the file is only read.

    Raises:
        BadInput: It cannot be read, or has no such row, source or rule.
    """
    with open_session(path) as session:
        found = recompute(session, other)
        before = _by_label(report_rows(session))
        results: dict[int, Sequence[Result]] = {
            one.step.id: one.results for one in found
        }
        after = _by_label(report_rows(session, results))
        pairs: list[tuple[Row, Row]] = []
        judged = {one.step.id: judge_again(session, one) for one in found}
        for one in found:
            label, by = one.step.label, judged[one.step.id]
            verdict = NOT_JUDGED if by.verdict is None else str(by.verdict)
            again = {"step": f"{label}{AGAIN}", "verdict": verdict}
            pairs.append((before[label], after[label] | again))
        lines = [row for pair in pairs for row in pair]
        first = full_table(lines)
        first = replace(
            first,
            thin=thin_cells(session, [*before.values()], first),
            unclean=unclean_rows(session, lines, first),
        )
        tables = [(TITLE, first), *further_tables(session, lines)]
        rows = [
            _figures(
                one,
                before[one.step.label],
                after[one.step.label],
                judged[one.step.id],
            )
            for one in found
        ]
    labels = {str(again["step"]): str(row["step"]) for row, again in pairs}
    marked = [(title, _marked(table, labels)) for title, table in tables]
    return Recomputed(path, rows, marked, _lacking(rows))


def _by_label(rows: Iterable[Row]) -> dict[str, Row]:
    return {str(row["step"]): row for row in rows}


def _figures(
    one: RowOtherwise, before: Row, after: Row, judged: JudgedAgain
) -> RowFigures:
    seconds = None
    if one.window is not None and one.whole is not None:
        start, end = (moment - one.whole[0] for moment in one.window)
        seconds = start / SECOND, end / SECOND
    figures = [Figure(c.name, c.unit, *c.values, c.why) for c in one.cells]
    known = {figure.name for figure in figures}
    figures += [
        Figure(name, metric.unit, number_of(before, name), number_of(after, name))
        for name, metric in BY_NAME.items()
        if name not in known
        and (number_of(before, name), number_of(after, name)) != (None, None)
    ]
    label, window = one.step.label, one.window
    return RowFigures(label, seconds, window, one.why, figures, judged)


def _marked(table: Table, again: Mapping[str, str]) -> Table:
    """Mark what of the lines "again" is not what can be read in the line of the row.

    Args:
        table: The lines of rows, and those again.
        again: By the label of a line again, that of its row.
    """
    places = [n for n, one in enumerate(table.columns) if one.key in ("of", "device")]

    def key(cells: Sequence[Cell]) -> tuple[Cell, ...]:
        label = str(cells[0])
        return (again.get(label, label), *(cells[place] for place in places))

    recorded = {key(cells): cells for cells in table.rows if cells[0] not in again}
    other = {
        (number, place)
        for number, cells in enumerate(table.rows)
        if cells[0] in again
        for place, (value, column) in enumerate(zip(cells, table.columns, strict=True))
        if column.key not in WORDS
        and show(value, column.decimals)
        != show(recorded.get(key(cells), cells)[place], column.decimals)
    }
    return replace(table, other=frozenset(other))


def _lacking(rows: Sequence[RowFigures]) -> list[str]:
    """Say what of which rows could not be computed, and why; what is alike once."""
    told = said_once([(row.step, row.why) for row in rows if row.why])
    told += [
        f"{row.step}: it would be {row.judged.verdict}: {row.judged.reason}"
        for row in rows
        if row.judged.reason
    ]
    return told + _lacking_figures(rows)


def _lacking_figures(rows: Sequence[RowFigures]) -> list[str]:
    """Say it of single figures; those with one reason in the same rows share a line."""
    steps: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for figure in row.figures:
            if figure.why and figure.why != row.why:
                steps.setdefault((figure.why, figure.name), []).append(row.step)
    names: dict[tuple[str, ...], list[str]] = {}
    for (why, name), labels in steps.items():
        names.setdefault((why, *labels), []).append(name)
    return [
        f"{', '.join(map(head_of, sorted(alike, key=in_order)))} of "
        f"{', '.join(labels)}: {why}"
        for (why, *labels), alike in names.items()
    ]


def recompute_text(found: Recomputed) -> str:
    """Write both tables for the terminal, one above the other line by line."""
    lines = ["Nothing of this is stored.", ""]
    for row in found.rows:
        if row.window_s is not None:
            start, end = row.window_s
            lines.append(
                f"{printable(row.step)}: {end - start:.3f} s, from {start:.3f} s to "
                f"{end:.3f} s of its whole window"
            )
    for title, table in found.tables:
        lines += ["", title, "", *aligned(table)]
    if found.lacking:
        lines += ["", *(f"- {printable(text)}" for text in found.lacking)]
    return "\n".join([*lines, ""])


def recompute_json(found: Recomputed) -> dict[str, Any]:
    """Get the same as plain values, of every result."""
    return {
        "file": str(found.path),
        "rows": [
            {
                "step": row.step,
                "window_ns": row.window_ns and list(row.window_ns),
                "window_s": row.window_s and list(row.window_s),
                "why": row.why or None,
                "judged": row.judged.plain(),
                "results": {
                    one.name: {
                        "recorded": one.recorded,
                        "again": one.again,
                        "unit": one.unit,
                        "differs": one.differs,
                        "why": one.why or None,
                    }
                    for one in row.figures
                },
            }
            for row in found.rows
        ],
        "lacking": list(found.lacking),
    }


_HEADS = ("step", "result", "unit", "recorded", "again", "differs", "from_s", "to_s")


def recompute_csv(found: Recomputed) -> str:
    """Write a line for each result: both values, and the window of the second one."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow([*_HEADS, "why"])
    for row in found.rows:
        window: Sequence[object] = row.window_s or ("", "")
        for one in row.figures:
            values = ("" if v is None else repr(v) for v in (one.recorded, one.again))
            head = cell(row.step), cell(one.name), cell(one.unit)
            line = *head, *values, int(one.differs), *window, cell(one.why or row.why)
            lines.writerow(line)
    return text.getvalue()
