"""The lock of a recording: one holder, gone with its process, with a reserve."""

import fcntl
import os
import threading
from pathlib import Path

import pytest

from app.record.store.lock import (
    RESERVE_BYTES,
    RecordingLock,
    is_ending,
    is_recorded,
    lock_path,
)
from instruments.files.lock_file import open_lock


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    session = tmp_path / "s.bayscope"
    assert not is_recorded(session)
    lock = RecordingLock(session)
    assert is_recorded(session)
    with pytest.raises(BlockingIOError):
        RecordingLock(session)
    assert is_recorded(session)
    lock.release()
    lock.release()
    assert not is_recorded(session)
    assert not lock_path(session).exists()


def test_a_lock_file_without_a_holder_is_no_recording(tmp_path: Path) -> None:
    session = tmp_path / "s.bayscope"
    lock_path(session).write_bytes(b"")
    assert not is_recorded(session)
    lock = RecordingLock(session)
    lock.release()


def test_the_reserve_takes_room_and_gives_it_back(tmp_path: Path) -> None:
    session = tmp_path / "s.bayscope"
    lock = RecordingLock(session)
    lock.reserve()
    assert lock_path(session).stat().st_blocks * 512 >= RESERVE_BYTES
    lock.give_reserve()
    lock.give_reserve()
    assert lock_path(session).stat().st_blocks == 0
    assert is_recorded(session)
    assert not is_ending(session)
    lock.announce_end()
    assert is_ending(session)
    lock.release()
    assert not is_ending(session)


def test_a_file_that_lost_its_name_before_it_was_locked_is_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The holder before lets go, and removes its file, between opening and locking."""
    session = tmp_path / "s.bayscope"
    held = [RecordingLock(session)]

    def open_just_before(path: Path, mode: int) -> int:
        fd = open_lock(path, mode)
        while held:
            held.pop().release()
        return fd

    monkeypatch.setattr("app.record.store.lock.open_lock", open_just_before)
    lock = RecordingLock(session)
    assert is_recorded(session)
    lock.release()
    assert not is_recorded(session)


def test_who_only_looks_whether_it_is_held_does_not_keep_it(tmp_path: Path) -> None:
    session = tmp_path / "s.bayscope"
    lock_path(session).write_bytes(b"")
    looking = os.open(lock_path(session), os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    end = threading.Timer(0.02, os.close, [looking])
    end.start()
    RecordingLock(session).release()
    end.join()
