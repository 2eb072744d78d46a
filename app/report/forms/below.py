"""Lines below a table of a form: one figure each, of a row or of all of them."""

import math
from collections.abc import Callable, Mapping, Sequence

from app.plan.step import Role
from app.plan.verdict import Outcome
from app.report.efficiency import IDLE, idle_row, with_terms
from app.report.forms.cells import PEAK, figure_of, terms_of_rows, value_of
from app.report.forms.form import (
    FormLine,
    Take,
)
from app.report.forms.records import Record
from app.report.numbers import Figure
from app.report.table import Cell, Label, Row, number_of


def line_below(
    line: FormLine, records: Sequence[Record], unit: str
) -> tuple[Label, Cell]:
    """Get a line below: what it is called, with the row where that says more."""
    shown = "" if line.unit == unit else line.unit
    record = _record(line, records)
    if record is not None:
        return _line_of(record, line, shown)
    if line.take not in (Take.MIN, Take.MAX, Take.MEAN, Take.SUM):
        return Label(line.head), None
    return _line_over(records, line, shown)


def _line_over(
    records: Sequence[Record], line: FormLine, unit: str
) -> tuple[Label, Cell]:
    """Get a line of all rows that were measured."""
    rows = [one.row for one in records if _is_measured(one.row)]
    values = [v for row in rows if (v := number_of(row, line.of)) is not None]
    if not values:
        return Label(line.head), None
    # A sum over some of the steps is too low, so it says how many it has.
    lacking = f" ({len(values)} of {len(rows)} steps)"
    is_part = line.take is Take.SUM and len(values) < len(rows)
    value = _MADE[line.take](values) if line.take in _MADE else _mean(rows, line.of)
    terms = " / ".join(terms_of_rows(line.of, records))
    head = Label(with_terms(line.head, terms) + lacking * is_part)
    return head, figure_of(value, line, unit=unit)


def _line_of(record: Record, line: FormLine, unit: str) -> tuple[Label, Cell]:
    cell = value_of(record, line)
    if isinstance(cell, Figure):
        value = number_of(record.row, line.of) or 0.0
        cell = figure_of(
            *(value, line),
            sign=cell.sign,
            unit=unit,
            source=cell.source,
            held=cell.held,
        )
    is_plain = line.step or record.label == line.head or cell is None
    head = with_terms(line.head, "".join(terms_of_rows(line.of, [record])))
    return Label(head, "" if is_plain else f" ({record.label})"), cell


_MADE: Mapping[Take, Callable[[list[float]], float]] = {
    Take.MIN: min,
    Take.MAX: max,
    Take.SUM: math.fsum,
}


def _is_measured(row: Row) -> bool:
    return row.get("engine") != "cooldown" and row.get("outcome") != Outcome.VOID


def _record(line: FormLine, records: Sequence[Record]) -> Record | None:
    """Find the row that a line is of; None where it is of all, or there is none."""
    candidates = _candidates(line, records)
    return candidates[-1] if candidates else None


def _candidates(line: FormLine, records: Sequence[Record]) -> list[Record]:
    """Get the rows that a line may be of; the last one counts."""
    if line.step:
        return [r for r in records if line.step in (r.label, r.facts["workload"])]
    if line.take is Take.STARTUP:
        return _startups(records)
    if line.take in (Take.OFF, Take.BACKGROUND):
        role = Role(line.take.value)
        return [r for r in records if r.row.get("role") == role]
    if line.take in (Take.IDLE, Take.RESTING):
        return _at_rest(line, records)
    return []


def _startups(records: Sequence[Record]) -> list[Record]:
    """Get rows of start-ups; behind them those with a peak, which count before."""
    startups = [r for r in records if "startup" in r.facts.get("engine", "")]
    return startups + [r for r in records if number_of(r.row, PEAK) is not None]


def _at_rest(line: FormLine, records: Sequence[Record]) -> list[Record]:
    """Get the idle row; for RESTING without one, the first other that has the value."""
    idle = idle_row([one.row for one in records])
    resting = [one for one in records if one.row is idle]
    if line.take is Take.IDLE:
        return resting
    if resting and number_of(resting[0].row, line.of) is not None:
        return resting
    return _first_load(line.of, records)


def _first_load(name: str, records: Sequence[Record]) -> list[Record]:
    loads = [
        one
        for one in records
        if _is_measured(one.row)
        and one.row.get("engine") != IDLE
        and number_of(one.row, name) is not None
    ]
    return loads[:1]


def _mean(rows: Sequence[Row], key: str) -> float:
    """Get the mean of a value over the time of all rows, of rows where that lacks."""
    values = [v for row in rows if (v := number_of(row, key)) is not None]
    times = [
        number_of(row, "duration_s") or 0.0
        for row in rows
        if number_of(row, key) is not None
    ]
    if not all(times):
        return math.fsum(values) / len(values)
    total = math.fsum(v * t for v, t in zip(values, times, strict=True))
    return total / math.fsum(times)
