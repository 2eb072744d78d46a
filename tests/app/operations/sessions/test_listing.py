"""Listing and showing agree, also of a session that a crash left behind."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app import default_folder
from app.operations.sessions.export import export_sessions
from app.operations.sessions.listing import sessions_json, sessions_text
from app.operations.sessions.showing import show_json, show_text
from app.record.store import CRASHED
from app.report.provenance import CHANGED
from instruments.errors import BadInput
from tests.app.analysis.test_interrupted import crashed
from tests.app.report.test_document import write

ENDED = "its last stored value is from 2023-11-14 "


def test_a_crash_is_said_before_and_after_it_was_opened(tmp_path: Path) -> None:
    path = crashed(tmp_path)
    for _ in range(2):
        line, told, done = sessions_text(path.parent).splitlines()[1:4]
        assert " ERROR " in line
        assert told.startswith(f"  {CRASHED}; {ENDED}")
        [listed] = sessions_json(path.parent)
        assert done == f"  {listed['done']} of {listed['steps']} rows done"
        assert (listed["done"], listed["steps"]) == (1, 3)
        assert (listed["state"], listed["verdict"]) == ("crashed", "ERROR")
        assert str(listed["crash"]).startswith(CRASHED)
        shown = show_text(path)
        assert "Bayscope was terminated during the recording" in shown
        assert ENDED in shown
        assert shown.endswith("Verdict: ERROR\n")
        plain = show_json(path)
        assert plain["crash"] == listed["crash"]
        steps = plain["steps"]
        assert isinstance(steps, list)
        assert steps[1]["power_w"] == pytest.approx(59.45)


def test_every_export_says_that_it_crashed(tmp_path: Path) -> None:
    path = crashed(tmp_path)
    for file in export_sessions([path], ["html", "md"], tmp_path / "out"):
        text = file.read_text()
        assert "Bayscope was terminated during the recording" in text
        assert ENDED in text


def test_a_finished_session_is_not_said_to_have_crashed(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert "ended without" not in sessions_text(tmp_path) + show_text(path)
    assert show_json(path)["crash"] is None


def test_only_the_default_folder_may_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInput, match="no such folder"):
        sessions_text(tmp_path / "nowhere")
    with pytest.raises(BadInput, match="a file, not a folder"):
        sessions_text(write(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert "Make one with: bayscope demo" in sessions_text(default_folder())


def test_a_file_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    path = write(tmp_path)
    shutil.copyfile(path, tmp_path / "short.bayscope")
    with (tmp_path / "short.bayscope").open("r+b") as file:
        file.truncate(5000)
    text = sessions_text(tmp_path)
    assert "x.bayscope (simulated)" in text
    assert "damaged or cut short" in text


def test_whether_a_file_was_changed_is_looked_at_where_asked_for(
    tmp_path: Path,
) -> None:
    path = write(tmp_path)
    shutil.copyfile(path, tmp_path / "other.bayscope")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE session SET dut = 'another one'")
        connection.commit()
    assert [one["changed"] for one in sessions_json(tmp_path)] == [None, None]
    assert CHANGED not in sessions_text(tmp_path)
    told: list[tuple[int, int]] = []
    listed = sessions_json(tmp_path, lambda done, total: told.append((done, total)))
    assert {str(one["file"]): one["changed"] for one in listed} == {
        str(path): True,
        str(tmp_path / "other.bayscope"): False,
    }
    assert told == [(1, 2), (2, 2)]
    assert sessions_text(tmp_path, lambda *_: None).count(CHANGED) == 1


def test_a_long_verdict_keeps_heads_and_lines_in_line(tmp_path: Path) -> None:
    path = write(tmp_path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE session SET verdict = 'ABORTED, and rather long'")
    head, line, *_ = sessions_text(tmp_path).splitlines()
    assert head.index("Session") == line.index(path.name)
