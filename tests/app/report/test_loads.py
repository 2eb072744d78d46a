"""What loads did beside their rates: a table of latencies, and one of other results."""

import sqlite3
from contextlib import closing
from pathlib import Path

from app.record.store import Session
from app.report.document import build_document
from app.report.tables import LOADS_TITLE, load_columns, load_table, other_table
from app.report.text import comma_separated, terminal
from tests.app.report.test_document import write
from tests.app.report.test_parts import ADD

Row = dict[str, object]


def test_only_steps_and_columns_with_a_value_are_there() -> None:
    rows: list[Row] = [
        {"step": "Idle", "engine": "idle"},
        {"step": "Read", "engine": "fio", "iops": 9.0, "latency_mean_ms": 0.25},
    ]
    table = load_table(rows)
    assert table is not None
    assert table.heads == ["Workload", "I/O", "IOPS", "Mean (ms)"]
    assert table.rows == (("Read", "all", 9.0, 0.25),)
    assert load_table(rows[:1]) is None
    assert load_columns(rows[:1]) == ()


def test_reads_and_writes_are_apart_where_a_step_has_both() -> None:
    read: Row = {"step": "Read", "iops": 9.0, "read_iops": 9.0, "write_iops": None}
    read |= {"latency_p99_9_ms": 3.0, "read_p99_9_ms": 3.0}
    mixed: Row = {"step": "Mixed", "iops": 10.0, "read_iops": 7.0, "write_iops": 3.0}
    mixed |= {"read_p50_ms": 1.0, "write_p50_ms": 2.0, "write_max_ms": 8.0}
    matrix: Row = {"step": "Matrix", "engine": "iozone", "read_mb_s": 1.0}
    table = load_table([read, mixed, matrix | {"write_mb_s": 1.0}])
    assert table is not None
    assert table.heads[2:] == ["IOPS", "50 % (ms)", "99.9 % (ms)", "Max (ms)"]
    assert table.rows == (
        ("Read", "all", 9.0, None, 3.0, None),
        ("Mixed", "all", 10.0, None, None, None),
        ("Mixed", "read", 7.0, 1.0, None, None),
        ("Mixed", "write", 3.0, 2.0, None, 8.0),
    )


def test_what_an_engine_tells_beside_rates_has_a_table() -> None:
    rows: list[Row] = [
        {"step": "Mixed", "engine": "fio", "read_iops": 7.0, "write_iops": 3.0},
        {"step": "Copy", "engine": "copy", "fsync_s": 0.5, "files": 4.0},
    ]
    table = other_table(rows)
    assert table is not None
    assert table.heads == ["Workload", "fsync (s)", "Files"]
    assert table.rows == (("Copy", 0.5, 4.0),)
    assert other_table(rows[:1]) is None


def test_the_report_has_them_beside_the_standard_table(tmp_path: Path) -> None:
    path = write(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        for name, value in (("latency_p99_99_ms", 9.0), ("read_p95_ms", 1.5)):
            connection.execute(ADD, (name, value, "ms"))
        connection.commit()
    with Session.open(path) as session:
        document = build_document(session)
        lab = build_document(session, form="lab")
    assert LOADS_TITLE in dict(document.more)
    assert "99.99 % (ms)" not in document.table.heads
    assert "99.99 % (ms)" in terminal(document)
    head = comma_separated(document).splitlines()[0]
    assert {"Latency 99.99 % (ms)", "Read 95 % (ms)"} <= set(head.split(","))
    assert LOADS_TITLE not in dict(lab.more)
    assert "Latency" not in comma_separated(lab)
