"""Places that fail on purpose: a disk that is soon full, a medium that is read-only."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory


def _mount(*words: str | Path) -> bool:
    done = subprocess.run(["mount", *words], check=False, capture_output=True)
    return done.returncode == 0


def _unmount(place: Path) -> None:
    subprocess.run(["umount", "--lazy", place], check=True)


@cache
def may_mount() -> bool:
    """Tell whether this user and kernel can mount a file system."""
    with TemporaryDirectory() as place:
        if not _mount("-t", "tmpfs", "tmpfs", place):
            return False
        _unmount(Path(place))
    return True


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """Mount a file system in memory: no limit of a process says that a disk is full.

    It takes `needs.mounts`.
    """
    place.mkdir()
    assert _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", place)
    try:
        yield place
    finally:
        _unmount(place)


@contextmanager
def read_only(folder: Path, place: Path) -> Iterator[Path]:
    """Show a folder where nothing can be written.

    It is mounted read-only, as no permission holds root back; others have the folder
    itself, with nothing permitted. It takes `needs.read_only_folders`.
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
        assert not os.access(place, os.W_OK)
        yield place
