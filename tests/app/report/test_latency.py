"""Latencies in the report: a further table, and columns of the CSV."""

import sqlite3
from contextlib import closing
from pathlib import Path

from app.record.store import Session
from app.report.document import build_document
from app.report.latency import LATENCY, latency_columns, latency_table
from app.report.text import comma_separated, terminal
from tests.app.report.test_document import write
from tests.app.report.test_parts import ADD


def row(name: str, mean: float | None, p99: float | None) -> dict[str, object]:
    return {"step": name, "latency_mean_ms": mean, "latency_p99_ms": p99}


def test_only_steps_and_columns_with_a_latency_are_there() -> None:
    rows = [row("Idle", None, None), row("Read", 0.25, None)]
    table = latency_table(rows)
    assert table is not None
    assert table.heads == ["Workload", "Latency mean (ms)"]
    assert table.rows == (("Read", 0.25),)
    assert latency_columns(rows[:1]) == ()
    assert latency_table(rows[:1]) is None


def test_the_report_has_them_beside_the_standard_table(tmp_path: Path) -> None:
    path = write(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        for name, value in (("latency_mean_ms", 0.25), ("latency_p99_ms", 1.5)):
            connection.execute(ADD, (name, value, "ms"))
        connection.commit()
    with Session.open(path) as session:
        document = build_document(session)
        lab = build_document(session, lab=True)
    tables = dict(document.more)
    assert LATENCY in tables
    assert "Latency mean (ms)" not in document.table.heads
    assert "Latency mean (ms)" in terminal(document)
    assert "Latency 99 % (ms)" in comma_separated(document).splitlines()[0]
    assert LATENCY not in dict(lab.more)
    assert "Latency" not in comma_separated(lab)
