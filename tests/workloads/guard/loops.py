"""Loop devices to aim at: made from files, taken away again."""

import fcntl
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

SIZE = 64 * 2**20
_ADD, _REMOVE = 0x4C80, 0x4C81
"""LOOP_CTL_ADD and LOOP_CTL_REMOVE of Linux's linux/loop.h."""


def tool(*argv: str) -> str:
    """Run a tool that has to succeed; give what it printed."""
    done = subprocess.run(argv, check=False, capture_output=True, text=True)
    assert done.returncode == 0, f"{argv}: {done.stderr}"
    return done.stdout.strip()


@contextmanager
def own_name() -> Iterator[str]:
    """Make a loop device whose name nobody else gets while a disk is out of it."""
    try:
        control = os.open("/dev/loop-control", os.O_RDWR)
    except OSError as error:
        pytest.skip(f"loop devices need root ({error})")
    try:
        number = 64
        while True:
            try:
                fcntl.ioctl(control, _ADD, number)
                break
            except FileExistsError:
                number += 1
        yield f"/dev/loop{number}"
        with suppress(OSError):  # Where somebody still looks at it, it stays, empty.
            fcntl.ioctl(control, _REMOVE, number)
    finally:
        os.close(control)


@contextmanager
def idle_load() -> Iterator[int]:
    """Run a program that has nothing open but what every program has; gives its id."""
    with subprocess.Popen(
        ("sleep", "600"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield process.pid
        finally:
            process.kill()


@contextmanager
def loop(file: Path, *options: str, name: str = "--find") -> Iterator[str]:
    """Attach a file to a loop device, made first where it is not there."""
    if not file.exists():
        file.touch()
        with file.open("r+b") as made:
            made.truncate(SIZE)
    argv = ("losetup", "--show", *options, name, str(file))
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
