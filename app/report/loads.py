"""What loads did beside their rates: latencies, reads and writes apart, the rest."""

from collections.abc import Mapping, Sequence

from app.report.table import STEP, Cell, Column, Table, column_of, name_of, number_of
from instruments.metric import BOTH, BY_DIRECTION, METRICS, READ, WRITE, Group, of_group

LOADS_TITLE = "Latency, reads and writes"
OTHER = "Other results"
"""Headings of the tables."""

_OF = {BOTH: "all", READ: "read", WRITE: "write"}
_COLUMNS = tuple(
    Column(one.short, one.name, one.decimals) for one in BY_DIRECTION[BOTH]
)
_RATES = sum(one.is_rate for one in BY_DIRECTION[BOTH])
"""So many columns are rates, which the first table has of all I/Os; then latencies."""

Row = Mapping[str, object]


def load_table(rows: Sequence[Row]) -> Table | None:
    """Make the table of latencies, and of reads and writes where a step has both.

    Args:
        rows: As `report_rows` makes them.

    Returns:
        None where no step has any. Columns without a value are not there.
    """
    lines: list[tuple[Cell, ...]] = []
    for row in rows:
        if row.get("engine") == "iozone":  # Its results have tables of their own.
            continue
        found = {of: _figures(row, of) for of in BY_DIRECTION}
        is_mixed = all(any(found[of][:_RATES]) for of in (READ, WRITE))
        for of, figures in found.items():
            whole = found[BOTH] if of != BOTH else (None,) * len(figures)
            pairs = list(zip(figures, whole, strict=True))[_RATES:]
            if any(one is not None and other is None for one, other in pairs) or (
                is_mixed and any(figure is not None for figure in figures)
            ):
                lines.append((name_of(row), _OF[of], *figures))
    used = [n for n in range(len(_COLUMNS)) if any(x[n + 2] is not None for x in lines)]
    cells = tuple((*line[:2], *(line[n + 2] for n in used)) for line in lines)
    heads = (STEP, Column("I/O", "of"), *(_COLUMNS[n] for n in used))
    return Table(heads, cells) if cells else None


def _figures(row: Row, of: str) -> tuple[float | None, ...]:
    return tuple(number_of(row, metric.name) for metric in BY_DIRECTION[of])


def other_table(rows: Sequence[Row]) -> Table | None:
    """Make the table of what an engine tells beside these; None where none does."""
    columns = _used([column_of(one) for one in of_group(Group.OTHER)], rows)
    out = [
        (name_of(row), *(number_of(row, column.key) for column in columns))
        for row in rows
    ]
    told = tuple(line for line in out if any(cell is not None for cell in line[1:]))
    return Table((STEP, *columns), told) if told else None


def load_columns(rows: Sequence[Row]) -> tuple[Column, ...]:
    """Get columns of all stored metrics that the first table lacks, for programs."""
    beside = [m for m in METRICS if m.is_stored and m.group is not Group.MAIN]
    own = [row for row in rows if row.get("engine") != "iozone"]
    return _used([column_of(metric) for metric in beside], own)


def _used(columns: Sequence[Column], rows: Sequence[Row]) -> tuple[Column, ...]:
    """Get the columns that any row has a value in."""
    return tuple(
        column
        for column in columns
        if any(number_of(row, column.key) is not None for row in rows)
    )
