"""Notes come later than the hash, and do not change it."""

from pathlib import Path

import pytest

from app.record.store import Session, Writer, annotate
from instruments.errors import BadInput
from tests.app.record.recording import INFO, NOISE, START, readings


@pytest.fixture
def path(tmp_path: Path) -> Path:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    writer.append(readings(NOISE, 60))
    writer.finish()
    return writer.path


def test_notes_are_added_outside_the_hash(path: Path) -> None:
    with Session.open(path) as session:
        before = session.sha256()
        annotate(path, "fan 3 rattles", author="me", realtime_ns=5)
        annotate(path, "here", author="me", realtime_ns=6, kind="mark", start_ns=START)
        first, second = session.annotations()
        assert (first.text, first.author, first.kind) == ("fan 3 rattles", "me", "note")
        assert (second.kind, second.start_ns) == ("mark", START)
        assert session.is_unchanged()
        assert session.sha256() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_a_recording_takes_notes_as_well(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    annotate(writer.path, "started late", author="me", realtime_ns=1)
    writer.append(readings(NOISE, 3))
    writer.finish()
    with Session.open(writer.path) as session:
        assert [annotation.text for annotation in session.annotations()] == [
            "started late"
        ]
        assert session.is_unchanged()


def test_only_sessions_take_notes(tmp_path: Path) -> None:
    path = tmp_path / "diary.bayscope"
    path.write_text("mine")
    with pytest.raises(BadInput, match="not a Bayscope session"):
        annotate(path, "x", author="me", realtime_ns=1)
    assert path.read_text() == "mine"
