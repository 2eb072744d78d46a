"""Places that fail on purpose: a disk that is soon full, a medium that is read-only."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest


def _mount(*words: str | Path) -> bool:
    done = subprocess.run(["mount", *words], check=False, capture_output=True)
    return done.returncode == 0


def _unmount(place: Path) -> None:
    subprocess.run(["umount", "--lazy", place], check=True)


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """Mount a file system in memory: no limit of a process says that a disk is full."""
    place.mkdir()
    if not _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", place):
        pytest.skip("needs the right to mount a file system of its own (root)")
    yield place
    _unmount(place)


@contextmanager
def read_only(folder: Path, place: Path) -> Iterator[Path]:
    """Show a folder where nothing can be written.

    It is mounted read-only, as no permission holds root back; others have the folder
    itself, with nothing permitted.
    """
    place.mkdir()
    with ExitStack() as undoing:
        if _mount("--bind", folder, place):
            undoing.callback(_unmount, place)
            assert _mount("-o", "remount,bind,ro", place)
        else:
            place = folder
            for one in (folder, *folder.iterdir()):
                undoing.callback(one.chmod, one.stat().st_mode)
                one.chmod(0o555)
        if os.access(place, os.W_OK):
            pytest.skip("root without the right to mount can write everywhere")
        yield place
