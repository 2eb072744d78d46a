"""Names of new sessions: each has its own, also within a second."""

from pathlib import Path

import pytest

from app.operations.sessions.place import session_path
from app.record.store import Writer
from app.record.store.lock import RecordingLock
from tests.app.record.recording import INFO


def test_runs_that_begin_together_have_names_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = session_path(tmp_path, "Five loads!")
    assert first.name.endswith("_five-loads.bayscope")
    frozen = first.name.partition("_five")[0]

    class Now:
        @staticmethod
        def now() -> "Now":
            return Now()

        def astimezone(self) -> "Now":
            return self

        def strftime(self, form: str) -> str:
            assert form == "%Y-%m-%d_%H-%M-%S"
            return frozen

    monkeypatch.setattr("app.operations.sessions.place.datetime", Now)
    lock = RecordingLock(first)  # it is just being made
    second = session_path(tmp_path, "Five loads!")
    assert second.name == f"{frozen}_five-loads-2.bayscope"
    Writer.create(second, INFO).finish()
    third = session_path(tmp_path, "Five loads!")
    assert third.name == f"{frozen}_five-loads-3.bayscope"
    lock.release()
    assert session_path(tmp_path, "Five loads!") == first
