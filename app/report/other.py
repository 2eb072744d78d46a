"""What an engine tells of a step that has no column in the report table."""

from collections.abc import Mapping, Sequence

from app.report.table import Column, Table, name_of, number_of

OTHER = "Other results"
"""Heading of the table."""

COLUMNS = (
    Column("Read (IOPS)", "read_iops"),
    Column("Write (IOPS)", "write_iops"),
    Column("Read (MB/s)", "read_mb_s", 1),
    Column("Write (MB/s)", "write_mb_s", 1),
    Column("Read latency (ms)", "read_latency_ms", 3),
    Column("Write latency (ms)", "write_latency_ms", 3),
    Column("Read 99 % (ms)", "read_p99_ms", 3),
    Column("Write 99 % (ms)", "write_p99_ms", 3),
    Column("Latency max (ms)", "latency_max_ms", 3),
    Column("In read calls (MB/s)", "read_calls_mb_s", 1),
    Column("In write calls (MB/s)", "write_calls_mb_s", 1),
    Column("fsync (s)", "fsync_s", 3),
    Column("Files", "files"),
    Column("Failed requests", "errors"),
    Column("Slowest disk (s)", "longest_s", 1),
)
_SHARES = (("read_iops", "write_iops"), ("read_mb_s", "write_mb_s"))
"""What of the report table's sums is reading and what is writing."""

Row = Mapping[str, object]


def other_columns(rows: Sequence[Row]) -> tuple[Column, ...]:
    """Get the columns that any row has something to tell in."""
    told = [row for row in rows if _tells_more(row)]
    return tuple(
        column
        for column in COLUMNS
        if any(number_of(row, column.key) is not None for row in told)
    )


def other_table(rows: Sequence[Row]) -> Table | None:
    """Make the table of other results; None where no step has any.

    Args:
        rows: As `report_rows` makes them.
    """
    columns = other_columns(rows)
    out = tuple(
        (name_of(row), *(number_of(row, column.key) for column in columns))
        for row in rows
        if _tells_more(row)
    )
    return Table((Column("Workload", "step"), *columns), out) if out else None


def _tells_more(row: Row) -> bool:
    """Whether it has more than the sums again; IOzone has a table of its own."""
    if row.get("engine") == "iozone":
        return False
    shares = {name for pair in _SHARES for name in pair}
    if any(number_of(row, c.key) is not None for c in COLUMNS if c.key not in shares):
        return True
    return any(all(number_of(row, name) for name in pair) for pair in _SHARES)
