"""The lock of a recording: one holder, gone with its process, with a reserve."""

from pathlib import Path

import pytest

from app.record.store.lock import (
    RESERVE_BYTES,
    RecordingLock,
    is_ending,
    is_recorded,
    lock_path,
)


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
