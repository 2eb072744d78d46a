"""The latencies of the loads: a table beside the lab's own, which has none."""

from collections.abc import Mapping, Sequence

from app.report.table import Column, Table, name_of, number_of

LATENCY = "Latency"
"""Heading of the table."""

COLUMNS = (
    Column("Latency mean (ms)", "latency_mean_ms", 3),
    Column("Latency 99 % (ms)", "latency_p99_ms", 3),
)


def latency_columns(rows: Sequence[Mapping[str, object]]) -> tuple[Column, ...]:
    """Get the columns that any row has a value in."""
    return tuple(
        column
        for column in COLUMNS
        if any(number_of(row, column.key) is not None for row in rows)
    )


def latency_table(rows: Sequence[Mapping[str, object]]) -> Table | None:
    """Make the table of latencies; None where no step has any.

    Steps without a latency, as idle ones, have no row in it.
    """
    columns = latency_columns(rows)
    out = []
    for row in rows:
        cells = [number_of(row, column.key) for column in columns]
        if any(cell is not None for cell in cells):
            out.append((name_of(row), *cells))
    return Table((Column("Workload", "step"), *columns), tuple(out)) if out else None
