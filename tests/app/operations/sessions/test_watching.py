"""A watched folder gives each session once it has ended, whatever else lies there."""

import os
from pathlib import Path

from app.operations.sessions.batch import WatchedFolder, is_written
from app.record.store import Writer
from tests.app.operations.sessions.test_samples import record
from tests.app.record.recording import INFO, POWER, readings


def test_a_session_is_given_once_it_has_ended(tmp_path: Path) -> None:
    watched = WatchedFolder(tmp_path)
    writer = Writer.create(tmp_path / "live.bayscope", INFO)
    writer.append(readings(POWER, 100))
    writer.commit()
    assert [watched.ended() for _ in range(3)] == [[], [], []]
    writer.finish()
    found = [path for _ in range(4) for path in watched.ended()]
    assert found == [writer.path]


def test_what_is_still_being_copied_waits(tmp_path: Path) -> None:
    content = record(tmp_path / "whole.bayscope").read_bytes()
    folder = tmp_path / "to"
    folder.mkdir()
    watched, copy = WatchedFolder(folder), folder / "x.bayscope"
    with copy.open("wb") as file:
        for start in range(0, len(content), len(content) // 4 + 1):
            file.write(content[start : start + len(content) // 4 + 1])
            file.flush()
            assert watched.ended() == []
    assert watched.ended() == [copy]


def test_a_broken_file_is_given_once_and_again_when_it_changes(tmp_path: Path) -> None:
    broken = tmp_path / "broken.bayscope"
    broken.write_text("nonsense")
    good = record(tmp_path / "good.bayscope")
    watched = WatchedFolder(tmp_path)
    assert watched.ended() == []
    assert watched.ended() == [broken, good]
    assert watched.ended() == []
    broken.write_text("another nonsense")
    assert [path for _ in range(3) for path in watched.ended()] == [broken]


def test_one_that_was_cut_off_is_not_finished(tmp_path: Path) -> None:
    record(tmp_path / "cut.bayscope", finish=False)
    watched = WatchedFolder(tmp_path)
    assert [watched.ended() for _ in range(3)] == [[], [], []]


def test_what_is_gone_is_forgotten(tmp_path: Path) -> None:
    path = record(tmp_path / "x.bayscope")
    watched = WatchedFolder(tmp_path)
    assert [one for _ in range(2) for one in watched.ended()] == [path]
    content, look = path.read_bytes(), path.stat()
    path.unlink()
    assert watched.ended() == []
    path.write_bytes(content)
    os.utime(path, ns=(look.st_atime_ns, look.st_mtime_ns))
    assert [one for _ in range(2) for one in watched.ended()] == [path]


def test_files_are_those_of_a_session_until_it_changes(tmp_path: Path) -> None:
    session, file = tmp_path / "x.bayscope", tmp_path / "x.html"
    session.write_text("")
    assert not is_written(session, [file])
    file.write_text("")
    assert is_written(session, [file])
    later = file.stat().st_mtime_ns + 1
    os.utime(session, ns=(later, later))
    assert not is_written(session, [file])
