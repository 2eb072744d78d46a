"""Loop devices to aim at: made from files, taken away again."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SIZE = 64 * 2**20


def tool(*argv: str) -> str:
    """Run a tool that has to succeed; give what it printed."""
    done = subprocess.run(argv, check=False, capture_output=True, text=True)
    assert done.returncode == 0, f"{argv}: {done.stderr}"
    return done.stdout.strip()


@contextmanager
def loop(file: Path, *options: str) -> Iterator[str]:
    """Attach a file to a loop device, made first where it is not there."""
    if not file.exists():
        file.touch()
        with file.open("r+b") as made:
            made.truncate(SIZE)
    argv = ("losetup", "--find", "--show", *options, str(file))
    done = subprocess.run(argv, check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"loop devices need root ({done.stderr.strip()})")
    path = done.stdout.strip()
    try:
        yield path
    finally:
        subprocess.run(["losetup", "--detach", path], check=True)


@contextmanager
def mounted(device: str, place: Path, *options: str) -> Iterator[None]:
    """Mount a device."""
    place.mkdir(exist_ok=True)
    tool("mount", *options, device, str(place))
    try:
        yield
    finally:
        tool("umount", str(place))
