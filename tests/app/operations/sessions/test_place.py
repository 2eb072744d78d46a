"""Names of new sessions: each has its own, also within a second."""

from datetime import UTC, datetime
from pathlib import Path

from app.operations.sessions.place import session_path
from app.record.store import Writer
from app.record.store.lock import RecordingLock
from tests.app.record.recording import INFO

AT = datetime(2026, 3, 31, 12, 0, 5, tzinfo=UTC)


def test_runs_that_begin_together_have_names_of_their_own(tmp_path: Path) -> None:
    first = session_path(tmp_path, "Five loads!", AT)
    assert first.name == "2026-03-31_12-00-05_five-loads.bayscope"
    lock = RecordingLock(first)  # it is just being made
    second = session_path(tmp_path, "Five loads!", AT)
    assert second.name == "2026-03-31_12-00-05_five-loads-2.bayscope"
    Writer.create(second, INFO).finish()
    third = session_path(tmp_path, "Five loads!", AT)
    assert third.name == "2026-03-31_12-00-05_five-loads-3.bayscope"
    lock.release()
    assert session_path(tmp_path, "Five loads!", AT) == first
    assert session_path(tmp_path, "Five loads!") != first
