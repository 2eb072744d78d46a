"""The parts of a step: load hosts and devices, from results with their names."""

import sqlite3
from contextlib import closing
from pathlib import Path

from app.operations.sessions.showing import show_text
from app.record.store import Session
from app.report.document import build_document
from app.report.parts import PARTS_TITLE, part_rows, parts_table
from app.report.text import aligned
from tests.app.report.test_document import write

ADD = """
INSERT INTO result (step_id, name, value, unit, start_ns, end_ns, n_valid, n_expected,
    origin) SELECT step_id, ?, ?, ?, start_ns, end_ns, 1, 1, 'x'
    FROM result WHERE name = 'iops' LIMIT 1
"""


def test_each_part_has_a_row(tmp_path: Path) -> None:
    path = write(tmp_path)
    with Session.open(path) as session:
        assert part_rows(session) == []
        assert parts_table([]) is None
    with closing(sqlite3.connect(path)) as connection:
        for name, value in (
            ("iops.load2", 7.0),
            ("iops.load1", 5.0),
            ("lost_after_s.load3", 2.5),
            ("lost_in_ramp_s.load4", 1.5),
            ("not_reached.load5", 1.0),
            ("failed_after_s.load6.dev02", 4.0),
            ("server.power_w", 100.0),
        ):
            connection.execute(ADD, (name, value, "1/s"))
        connection.commit()
    with Session.open(path) as session:
        rows = part_rows(session)
    assert [
        (row["part"], row.get("iops"), row.get("lost_after_s")) for row in rows
    ] == [
        ("load1", 5.0, None),
        ("load2", 7.0, None),
        ("load3", None, 2.5),
        ("load4", None, None),
        ("load5", None, None),
        ("load6.dev02", None, None),
    ]
    table = parts_table(rows)
    assert table is not None
    assert table.heads == ["Workload", "Part", "IOPS", "Lost"]
    told = [row[-1] for row in table.rows]
    assert told == [
        None,
        None,
        "after 2.5 s",
        "in the ramp, after 1.5 s",
        "not reached",
        "failed after 4.0 s",
    ]
    assert aligned(table)[4].split()[-3:] == ["after", "2.5", "s"]
    with Session.open(path) as session:
        more = dict(build_document(session).more)
        assert more[PARTS_TITLE].rows == table.rows  # as pages and files have it
    assert show_text(path).count("load5") == 1
    assert PARTS_TITLE in show_text(path)
