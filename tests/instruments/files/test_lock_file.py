"""Locks in folders of all: nothing but a plain file of one name is touched."""

import os
from pathlib import Path

import pytest

from instruments.files.lock_file import open_lock


def test_a_lock_is_made_and_opened_again(tmp_path: Path) -> None:
    for _ in range(2):
        os.close(open_lock(tmp_path / "lock", 0o644))
    assert (tmp_path / "lock").read_bytes() == b""


@pytest.mark.parametrize("kind", ["link", "dangling", "hard", "fifo", "folder"])
def test_what_somebody_left_under_its_name_is_not_touched(
    kind: str, tmp_path: Path
) -> None:
    victim, lock = tmp_path / "victim", tmp_path / "lock"
    victim.write_text("precious")
    if kind == "hard":
        lock.hardlink_to(victim)
    elif kind == "fifo":
        os.mkfifo(lock)
    elif kind == "folder":
        lock.mkdir()
    else:
        lock.symlink_to(victim if kind == "link" else tmp_path / "new")
    for flags in (os.O_RDWR | os.O_CREAT, os.O_RDONLY):
        with pytest.raises(OSError, match="lock"):
            os.close(open_lock(lock, 0o666, flags))
    assert victim.read_text() == "precious"
    assert not (tmp_path / "new").exists()
