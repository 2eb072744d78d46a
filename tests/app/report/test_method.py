"""Notes on how values came about: offsets that are told so that they say something."""

import sqlite3
from contextlib import closing
from pathlib import Path

from app.record.store import Session
from app.report.method import method_notes
from tests.app.report.test_document import write

ADD = "INSERT INTO offset (source, offset_ns, spread_ns, method) "


def test_small_offsets_are_not_rounded_to_nothing(tmp_path: Path) -> None:
    path = write(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"{ADD} VALUES ('mains', -131234, 240000, 'clocks')")
        connection.commit()
    with Session.open(path) as session:
        notes = method_notes(session)
    assert any("moved by -0.13 ms ± 0.24 ms (clocks)" in note for note in notes), notes
