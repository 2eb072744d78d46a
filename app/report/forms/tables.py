"""Tables in a form: records put into its lines, groups of columns and tables."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from app.plan.phases import PHASES
from app.report.efficiency import with_terms
from app.report.forms.below import line_below
from app.report.forms.cells import PEAK, cell_of, terms_of_rows
from app.report.forms.form import Form, FormColumn, FormTable, Rows, Show, Shown
from app.report.forms.records import Record
from app.report.table import Cell, Column, Label, Table, Titled, number_of
from workloads.engines import LOADS

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
            for name in ("power_w", "iops", "bandwidth_mb_s", PEAK)
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
            *(cell_of(placed.get((line, group)), column) for group, column in columns),
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
        (*line_below(line, records, unit), *blanks) for line in table.below
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
        terms = terms_of_rows(column.of, records) if column.show is Show.VALUE else []
        if len(terms) < 2:
            yield replace(column, head=with_terms(column.head, "".join(terms)))
        else:
            head = f"{column.head}: terms"
            yield from (column, replace(column, head=head, show=Show.TERMS))


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
        if any(cell_of(record, column) is not None for column in shown)
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
