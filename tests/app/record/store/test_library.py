"""The list of sessions: quick, newest first, and no broken file hides another."""

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from app.record.store import Writer, looked_through, sessions
from instruments.reading import SECOND
from tests.app.record.recording import INFO, NOISE, START, readings


def _make(folder: Path, name: str, realtime_ns: int) -> Writer:
    info = replace(INFO, name=name, realtime_ns=realtime_ns)
    writer = Writer.create(folder / f"{name}.bayscope", info)
    writer.add_step(1, "Idle", "idle", "")
    writer.append(readings(NOISE, 60))
    writer.commit()
    return writer


def test_a_folder_with_all_sorts(tmp_path: Path) -> None:
    old = _make(tmp_path, "old", 1000)
    old.set_session(verdict="FAIL", outcome="DONE", ended_ns=START + 90 * SECOND)
    old.finish()
    live = _make(tmp_path, "live", 2000)
    (tmp_path / "broken.bayscope").write_text("nonsense")
    (tmp_path / "broken2.bayscope").mkdir()
    (tmp_path / "notes.txt").write_text("not listed")
    found = {session.name: session for session in sessions(tmp_path)}
    names = ["live", "old", "broken2", "broken"]
    assert [session.name for session in sessions(tmp_path)] == names
    assert found["old"].verdict == "FAIL"
    assert found["old"].outcome == "DONE"
    assert found["old"].state == "complete"
    assert found["old"].duration_s == 90
    assert found["old"].steps == 1
    assert found["old"].size == old.path.stat().st_size
    assert found["old"].dut == INFO.dut
    assert found["live"].state == "recording"
    assert found["live"].duration_s > 58
    assert found["live"].verdict is None
    assert "not a Bayscope session" in found["broken"].error
    assert found["broken2"].error
    live.finish()


def test_a_void_row_that_was_planned_again_is_no_further_step(tmp_path: Path) -> None:
    made = _make(tmp_path, "x", 1000)
    for label, outcome, attempt in (
        ("Read", "DONE", 0),
        ("Read (void 1)", "VOID", 1),
        ("Read (void 2)", "VOID", 2),
        ("Write", "VOID", 0),
        ("Read (void 1)", "DONE", 0),
    ):
        step = made.add_step(2, label, "fio", "")
        made.update_step(step, outcome=outcome, attempt=attempt)
    made.finish()
    [found] = sessions(tmp_path)
    assert found.steps == 4


def test_a_file_that_was_changed_is_found(tmp_path: Path) -> None:
    made = _make(tmp_path, "x", 1000)
    made.finish()
    assert [looked_through(session).changed for session in sessions(tmp_path)] == [
        False
    ]
    with closing(sqlite3.connect(made.path)) as connection:
        connection.execute("UPDATE session SET dut = 'another one'")
        connection.commit()
    os.utime(made.path, ns=(1, 1))  # as if it were another moment
    [found] = sessions(tmp_path)
    assert found.changed is None
    assert looked_through(found, found.size - 1).changed is None
    assert looked_through(found).changed


def test_a_file_that_is_damaged_or_gone_by_now_says_so(tmp_path: Path) -> None:
    made = _make(tmp_path, "x", 1000)
    made.finish()
    [found] = sessions(tmp_path)
    made.path.write_bytes(made.path.read_bytes()[:5000])
    assert "x.bayscope" in looked_through(found).error
    made.path.unlink()
    assert "x.bayscope" in looked_through(found).error


def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert sessions(tmp_path / "none") == []
    assert sessions(tmp_path) == []
