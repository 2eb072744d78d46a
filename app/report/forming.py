"""Tables in a form: records put into its lines, groups of columns and tables."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from app.plan.phases import PHASES
from app.plan.step import Role
from app.plan.verdict import Outcome
from app.report.efficiency import IDLE, idle_row, with_terms
from app.report.expanded import KEY as UNCERTAINTY
from app.report.form import (
    Form,
    FormColumn,
    FormLine,
    FormTable,
    Only,
    Rows,
    Show,
    Shown,
    Take,
)
from app.report.numbers import Figure, factor_to, places_of
from app.report.records import Record
from app.report.table import Cell, Column, Label, Row, Table, Titled, number_of
from instruments.metric import BY_NAME
from workloads.engines import LOADS
from workloads.fio.block_sizes import mean_block_size
from workloads.fio_job import direction

_PEAK = "startup_peak_500ms_w"
SMALL_BLOCK = 16 * 1024
"""Random loads up to this mean block are quoted in IOPS only."""

Key = tuple[str, ...]
Place = tuple[Key, Key]
"""A line, and a group of columns."""

Places = dict[Place, Record]
"""Records by where they stand."""


def form_tables(form: Form, records: Sequence[Record]) -> list[Titled]:
    """Make the tables of a form, each with its title; empty ones are left out."""
    return [one for table in form.tables for one in tables_of(table, records)]


def tables_of(table: FormTable, records: Sequence[Record]) -> list[Titled]:
    """Make the tables of one of a form, each with its title."""
    titled: list[Titled] = []
    keys = dict.fromkeys(_key(one, table.each) for one in records)
    for key in keys:
        if None in key:
            continue
        own = [one for one in records if _key(one, table.each) == key]
        made = _table(table, own)
        if made is not None:
            name = ", ".join(filter(None, map(str, key)))
            comma = ", " * bool(table.title and name)
            titled.append((Label(table.title, f"{comma}{name}"), made))
    return titled


def _key(record: Record, names: Sequence[str]) -> tuple[str | None, ...]:
    """Get what a record is by; a row of no configuration is of the one there is."""
    return tuple(
        record.facts.get(name, "" if name == "configuration" else None)
        for name in names
    )


def _is_taken(record: Record, rows: Rows) -> bool:
    row = record.row
    if rows is Rows.LOADS:
        engine = row.get("engine")
        # Others are those of what was published.
        return engine in LOADS or (engine not in PHASES and not row.get("role"))
    if rows is Rows.POWERED:
        return number_of(row, "power_w") is not None
    if rows is Rows.MEASURED:
        return any(
            isinstance(row.get(name), float | int | str)
            for name in ("power_w", "iops", "bandwidth_mb_s", _PEAK)
        )
    return True


def _table(table: FormTable, records: Sequence[Record]) -> Table | None:
    placed = _placed(table, records)
    if placed is None:
        return None
    shown = [*_with_terms(table.columns, placed.values())]
    shown = shown or [FormColumn("power_w", "", "W", None, 3)]
    filled = _filled(placed, shown) if table.across else placed.keys()
    lines = _in_order(placed, filled, 0)
    groups = _in_order(placed, filled, 1) or [()] * (not table.across)
    columns = list(product(groups, shown))
    # The title of a table of one figure says which; it does not say at which tariff.
    is_told = len(shown) == 1 and shown[0] in table.columns
    cells: list[tuple[Cell, ...]] = [
        (
            Label("", ", ".join(line)),
            *(_cell(placed.get((line, group)), column) for group, column in columns),
        )
        for line in lines
    ]
    if not _has_values(cells):
        cells = []
    heads = [
        Column(_head(column, group, is_told=is_told), _key_of(column))
        for group, column in columns
    ]
    blanks = (None,) * (len(heads) - 1)
    unit = shown[0].unit if table.columns else ""  # that a head tells
    below: list[tuple[Cell, ...]] = [
        (*_line(line, records, unit), *blanks) for line in table.below
    ]
    if not _has_values((*cells, *below)):
        return None
    made = Table((Column(table.head, "step"), *heads), (*cells, *below))
    return _turned(made) if table.turned else made


def _with_terms(
    columns: Sequence[FormColumn], records: Collection[Record]
) -> Iterator[FormColumn]:
    """Say of each figure at which tariff and the like it is.

    That stands behind the head where it is the same of all, else in a column beside it.
    """
    for column in columns:
        terms = _terms(column.of, records) if column.show is Show.VALUE else []
        if len(terms) < 2:
            yield replace(column, head=with_terms(column.head, "".join(terms)))
        else:
            head = f"{column.head}: terms"
            yield from (column, replace(column, head=head, show=Show.TERMS))


def _terms(name: str, records: Iterable[Record]) -> list[str]:
    """Get what a result of some rows is at: each that differs, none of no value."""
    found = (
        one.terms.get(name) for one in records if number_of(one.row, name) is not None
    )
    return list(dict.fromkeys(filter(None, found)))


def _placed(table: FormTable, records: Sequence[Record]) -> Places | None:
    """Put records by line and group; None where one place has two of them."""
    places: Places = {}
    for record in records if table.columns else ():
        down, across = _key(record, table.down), _key(record, table.across)
        if not _is_taken(record, table.rows) or None in down or None in across:
            continue
        place = (tuple(map(str, down)), tuple(map(str, across)))
        # To show either of two would be a choice that nobody made.
        if place in places:
            return None
        places[place] = record
    return places


def _filled(places: Places, shown: Sequence[FormColumn]) -> set[Place]:
    """Get the places at which anything stands."""
    return {
        place
        for place, record in places.items()
        if any(_cell(record, column) is not None for column in shown)
    }


def _in_order(
    places: Iterable[Place], filled: Collection[Place], side: int
) -> list[Key]:
    """Get the lines (0) or groups (1) of filled places in the order of all rows."""
    wanted = {place[side] for place in filled}
    return [key for key in dict.fromkeys(p[side] for p in places) if key in wanted]


def _has_values(lines: Sequence[tuple[Cell, ...]]) -> bool:
    """Tell whether any line has more than what it is called."""
    return any(cell is not None for line in lines for cell in line[1:])


def _key_of(column: FormColumn) -> str:
    return column.of if column.show is Show.VALUE else f"{column.of}.{column.show}"


def _head(column: Shown, group: Key, *, is_told: bool) -> Label:
    name = ", ".join(group)
    if not name:
        return Label(column.head)
    return Label("", name) if is_told else Label(column.head, f" {name}")


def _cell(record: Record | None, column: FormColumn) -> Cell:
    if record is None or not _is_quoted(record, column.only):
        return None
    if column.show is Show.COUNT:
        counts = record.counts.get(column.of)
        return f"{counts[0]}/{counts[1]}" if counts else None
    if column.show is Show.UNCERTAINTY:
        return _uncertainty(record, column)
    if column.show is Show.TERMS:
        return "".join(_terms(column.of, [record])) or None
    return _both_ways(record, column) or value_of(record, column)


def _uncertainty(record: Record, column: FormColumn) -> Cell:
    uncertainties = record.row.get(UNCERTAINTY)
    if not isinstance(uncertainties, Mapping) or column.of not in uncertainties:
        return None
    # Two digits of an uncertainty, as the GUM has it (7.2.6).
    finer = column if column.digits else replace(column, decimals=None, digits=2)
    return _figure(float(uncertainties[column.of]), finer)


def _both_ways(record: Record, column: FormColumn) -> str:
    """Write read and written bandwidth of engines that a form wants apart."""
    if record.row.get("engine") not in column.apart:
        return ""
    sides = [number_of(record.row, f"{way}_mb_s") for way in ("read", "write")]
    if None in sides:
        return ""
    return "/".join(_figure(side or 0.0, column).text() for side in sides)


def value_of(record: Record, shown: Shown) -> Cell:
    """Get a result of a record as it is shown; what is printed as text stays text."""
    value = record.row.get(shown.of)
    if isinstance(value, str):
        return value
    number = number_of(record.row, shown.of)
    if number is None or not math.isfinite(number):
        return None
    sign = ">" if shown.of in record.over_range else ""
    if shown.of == "noise_net_db" and record.row.get("noise_net_is_bound"):
        sign = "<="
    source, held = (record.label, shown.of), record.held.get(shown.of)
    return _figure(number, shown, sign=sign, source=source, held=held)


def _figure(
    value: float,
    shown: Shown,
    *,
    sign: str = "",
    unit: str = "",
    source: tuple[str, str] = ("", ""),
    held: int | None = None,
) -> Figure:
    metric = BY_NAME.get(shown.of)
    factor = 1.0 if metric is None else factor_to(metric.unit, shown.unit)
    decimals = shown.decimals
    return Figure(
        value * factor,
        decimals=None if decimals is None else places_of(value * factor, decimals),
        digits=shown.digits,
        held=held if factor == 1.0 else None,
        sign=sign,
        unit=unit,
        source=source,
        factor=factor,
    )


def _is_quoted(record: Record, only: Only) -> bool:
    """Tell whether a lab quotes a figure of a load; what is not known is quoted."""
    way = direction(record.options)
    if only is Only.ANY or not way:
        return True
    is_random = way.startswith("rand")
    if only is Only.RANDOM:
        return is_random
    if not is_random or "bssplit" in record.options:
        return True
    block = mean_block_size(record.options)
    return block is None or block > SMALL_BLOCK


def _line(line: FormLine, records: Sequence[Record], unit: str) -> tuple[Label, Cell]:
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
    terms = " / ".join(_terms(line.of, records))
    head = Label(with_terms(line.head, terms) + lacking * is_part)
    return head, _figure(value, line, unit=unit)


def _line_of(record: Record, line: FormLine, unit: str) -> tuple[Label, Cell]:
    cell = value_of(record, line)
    if isinstance(cell, Figure):
        value = number_of(record.row, line.of) or 0.0
        cell = _figure(
            *(value, line),
            sign=cell.sign,
            unit=unit,
            source=cell.source,
            held=cell.held,
        )
    is_plain = line.step or record.label == line.head or cell is None
    head = with_terms(line.head, "".join(_terms(line.of, [record])))
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
    return startups + [r for r in records if number_of(r.row, _PEAK) is not None]


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


def _turned(table: Table) -> Table:
    """Let lines and columns change places."""
    heads = [
        Column(first if isinstance(first, str) else "", str(first))
        for first, *_ in table.rows
    ]
    rows = tuple(
        (column.head, *(row[place] for row in table.rows))
        for place, column in enumerate(table.columns)
        if place
    )
    return Table((table.columns[0], *heads), rows)
