"""Tables of a report beside the main one: loads, IOzone, other devices."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from app.analysis.derived import WHOLE
from app.plan.gates import rule_named
from app.report.numbers import Figure
from app.report.rows import DEVICE_RESULTS, SUMMED
from app.report.table import (
    STEP,
    Cell,
    Column,
    Kind,
    Label,
    Row,
    Table,
    column_of,
    columns_with_numbers,
    number_of,
)
from instruments.metric import (
    BOTH,
    BY_DIRECTION,
    BY_NAME,
    METRICS,
    READ,
    WRITE,
    Group,
    of_group,
)
from instruments.sizes import parse_size
from workloads.iozone.output import TESTS

LOADS_TITLE = "Latency, reads and writes"
OTHER = "Other results"
OTHERS = "Other devices"
"""Headings of the tables."""

_UNITS = {"mb_s": "MB/s", "iops": "operations/s"}
_NAME = re.compile(r"([a-z_]+?)(?:_(\d+[kmgt]))?(?:_of_(\d+[kmgt]))?_(mb_s|iops)")
_OF_THE_WINDOW = "bandwidth"
"""What is counted over the whole window, and is not a test of IOzone's."""


@dataclass(frozen=True, slots=True)
class _Value:
    """What the name of a result says; a size is "" where the name has none."""

    name: str
    test: str
    record: str
    file: str
    unit: str

    @property
    def head(self) -> str:
        """Write it as the head of a column."""
        words = [_words(self.test), self.record, f"of {self.file}" * bool(self.file)]
        return f"{' '.join(filter(None, words))} ({_UNITS[self.unit]})"


def iozone_tables(rows: Sequence[Row]) -> list[tuple[str, Table]]:
    """Make the tables of IOzone's results, each with its title.

    A line is a step with one size of files and one of records, a column is a test.
    """
    found = (
        (f"IOzone ({text})", _iozone_table(rows, unit)) for unit, text in _UNITS.items()
    )
    return [(title, table) for title, table in found if table is not None]


def iozone_columns(rows: Sequence[Row]) -> tuple[Column, ...]:
    """Get a column for each of its results, for programs."""
    heads = {value.name: value.head for row in rows for value in _values(row)}
    return tuple(Column(head, name, 1) for name, head in heads.items())


def _values(row: Row) -> Iterator[_Value]:
    if row.get("engine") != "iozone":
        return
    for name in row:
        found = _NAME.fullmatch(name)
        if found and found[1] != _OF_THE_WINDOW and number_of(row, name) is not None:
            yield _Value(name, found[1], found[2] or "", found[3] or "", found[4])


def _iozone_table(rows: Sequence[Row], unit: str) -> Table | None:
    of_rows = [[value for value in _values(row) if value.unit == unit] for row in rows]
    used = list(chain.from_iterable(of_rows))
    if not used:
        return None
    tests = _in_order({value.test for value in used})
    sizes = [
        Column(attribute.capitalize(), attribute)
        for attribute in ("file", "record")
        if any(getattr(value, attribute) for value in used)
    ]
    lines = chain.from_iterable(
        _iozone_lines(row, values, [column.key for column in sizes], tests)
        for row, values in zip(rows, of_rows, strict=True)
    )
    heads = (Column(_words(test), test, 1) for test in tests)
    return Table((STEP, *sizes, *heads), tuple(lines))


def _iozone_lines(
    row: Row, values: Iterable[_Value], sizes: Sequence[str], tests: Sequence[str]
) -> Iterator[tuple[Cell, ...]]:
    """Yield a line for each pair of sizes of a row, the smallest first."""
    for pair, names in sorted(_by_sizes(values).items(), key=_bytes):
        by_head = dict(zip(("file", "record"), pair, strict=True))
        cells = [number_of(row, names.get(test, "")) for test in tests]
        yield str(row["step"]), *(by_head[size] for size in sizes), *cells


def _in_order(tests: Collection[str]) -> list[str]:
    """Sort tests as IOzone runs them; those it does not name come last."""
    known = [test for test in TESTS if test in tests]
    return known + sorted(set(tests).difference(TESTS))


def _by_sizes(values: Iterable[_Value]) -> dict[tuple[str, str], dict[str, str]]:
    """Get names of results by test, for each size of files and of records."""
    names: dict[tuple[str, str], dict[str, str]] = {}
    for value in values:
        names.setdefault((value.file, value.record), {})[value.test] = value.name
    return names


def _bytes(line: tuple[tuple[str, str], object]) -> tuple[int, ...]:
    return tuple(parse_size(size) if size else 0 for size in line[0])


def _words(test: str) -> str:
    return test.replace("_", " ").capitalize()


_DEVICE_COLUMNS = {name: column_of(BY_NAME[name]) for name in DEVICE_RESULTS}


def devices_table(rows: Sequence[Row], devices: Sequence[str]) -> Table | None:
    """Make the table of other devices; None where there is none."""
    if not devices:
        return None
    columns = (STEP, Column("Device", "device"), *_DEVICE_COLUMNS.values())
    out: list[tuple[Cell, ...]] = []
    for row in rows:
        for device in (*devices, WHOLE):
            cells = [number_of(row, f"{device}.{name}") for name in DEVICE_RESULTS]
            if device != WHOLE or any(cell is not None for cell in cells):
                name = Label(device) if device == WHOLE else device
                out.append((str(row["step"]), name, *cells))
    return Table(columns, tuple(out))


def device_columns(devices: Sequence[str]) -> tuple[Column, ...]:
    """Make the columns that tell the same in one table, for programs."""
    return tuple(
        Column(f"{device} {column.head}", f"{device}.{name}", column.decimals)
        for device in ((*devices, WHOLE) if devices else ())
        for name, column in _DEVICE_COLUMNS.items()
        if device != WHOLE or name in SUMMED
    )


_OF = {BOTH: "all", READ: "read", WRITE: "write"}
_COLUMNS = tuple(
    Column(one.short, one.name, one.decimals) for one in BY_DIRECTION[BOTH]
)
_RATES = sum(one.is_rate for one in BY_DIRECTION[BOTH])
"""Columns of rates, which the first table has of all I/Os; latencies follow."""


def load_table(rows: Sequence[Row]) -> Table | None:
    """Make the table of latencies, and of reads and writes where a step has both.

    Returns:
        None where no step has any. Columns without a value are not there.
    """
    lines: list[tuple[Cell, ...]] = []
    for row in rows:
        if row.get("engine") == "iozone":  # Its results have their own tables.
            continue
        lines += [(str(row["step"]), _OF[of], *figures) for of, figures in _shown(row)]
    used = [n for n in range(len(_COLUMNS)) if any(x[n + 2] is not None for x in lines)]
    cells = tuple((*line[:2], *(line[n + 2] for n in used)) for line in lines)
    heads = (STEP, Column("I/O", "of"), *(_COLUMNS[n] for n in used))
    return Table(heads, cells, Kind.LOADS) if cells else None


_Figures = tuple[float | None, ...]
"""Of the columns of one direction."""


def _shown(row: Row) -> Iterator[tuple[str, _Figures]]:
    """Yield the directions that say more than all I/Os do in the first table."""
    by_direction = {of: _figures(row, of) for of in BY_DIRECTION}
    nothing = (None,) * len(_COLUMNS)
    is_mixed = all(any(by_direction[of][:_RATES]) for of in (READ, WRITE))
    for of, figures in by_direction.items():
        # Latencies of one direction alone are those of the load, shown once.
        shown_before = by_direction[BOTH] if of != BOTH else nothing
        has_more = _adds(figures[_RATES:], shown_before[_RATES:])
        if has_more or (is_mixed and _adds(figures, nothing)):
            yield of, figures


def _adds(figures: _Figures, before: _Figures) -> bool:
    """Tell whether there is a figure where there was none before."""
    pairs = zip(figures, before, strict=True)
    return any(now is not None and then is None for now, then in pairs)


def _figures(row: Row, of: str) -> _Figures:
    return tuple(number_of(row, metric.name) for metric in BY_DIRECTION[of])


def is_judgement(name: str) -> bool:
    """Tell whether it is what rules say of a row: a gate, another, or its quality."""
    is_quality = name == "quality" or name.startswith("quality.")
    return is_quality or rule_named(name) is not None


def result_at(table: Table, row: int, column: int, *, blank: bool = False) -> str:
    """Name the result that a cell shows, as `report_rows` has it.

    Args:
        table: The table.
        row: Of the cell.
        column: Of the cell.
        blank: Whether a cell counts that would show one, and is blank.

    Returns:
        "" where the cell is not a figure, or belongs to no single result.
    """
    if row in table.leads:
        return table.leads[row][1]
    key, cells = table.columns[column].key, table.rows[row]
    if isinstance(figure := cells[column], Figure):
        return figure.source[1] if figure.source[0] else ""
    is_blank = blank and cells[column] is None
    if is_judgement(key) and cells[column] is not None:
        return key
    if not (is_blank or isinstance(cells[column], int | float)) or key not in BY_NAME:
        return ""
    about = {one.key: cell for one, cell in zip(table.columns, cells, strict=True)}
    if "device" in about:
        return f"{about['device']}.{key}"
    return _of_direction(key, about.get("of"))


def _of_direction(name: str, word: Cell) -> str:
    """Name the result of one direction by that of all I/Os, which heads its column."""
    of = next((of for of, shown in _OF.items() if shown == word), BOTH)
    names = [metric.name for metric in BY_DIRECTION[BOTH]]
    return BY_DIRECTION[of][names.index(name)].name if name in names else name


def other_table(rows: Sequence[Row]) -> Table | None:
    """Make the table of what else an engine reports; None where none does."""
    columns = columns_with_numbers(map(column_of, of_group(Group.OTHER)), rows)
    out = [
        (str(row["step"]), *(number_of(row, column.key) for column in columns))
        for row in rows
    ]
    filled = tuple(line for line in out if any(cell is not None for cell in line[1:]))
    return Table((STEP, *columns), filled) if filled else None


def load_columns(rows: Sequence[Row]) -> tuple[Column, ...]:
    """Get columns of all stored metrics that the first table lacks, for programs."""
    beside = [m for m in METRICS if m.is_stored and m.group is not Group.MAIN]
    own = [row for row in rows if row.get("engine") != "iozone"]
    return tuple(columns_with_numbers(map(column_of, beside), own))
