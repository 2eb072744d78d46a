"""The rows of the guard's table that try it with mkfs, zpool and VDBench themselves."""

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from instruments.errors import BenchError
from tests.workloads.engine_bench import STANDINS, EngineBench
from tests.workloads.guard.loops import loop, mounted, own_name, tool
from tests.workloads.guard.rows import Blank, Rows, State
from tests.workloads.setup_bench import SetupBench, armed
from workloads.base import LoadOutcome, LoadResult
from workloads.guard.device import Device
from workloads.guard.disk_guard import DiskGuard
from workloads.setup.job import MkfsJob, ZpoolJob
from workloads.vdbench.job import VdbenchJob
from workloads.vdbench.load import Vdbench

engine_row = Rows()
SEEN = 2**20
"""Bytes from a disk's start that have to be the same after each try."""

READ_ONLY = ("-o", "ro")
"""A file system that is mounted writes to its disk in its own time."""


def _mkfs(device: Device, **options: str) -> None:
    given = {"type": "ext4", **options}
    _or_raise(SetupBench().run(MkfsJob("make", 60, given), [device]))


def _zpool(devices: Sequence[Device], **options: str) -> None:
    given = {"name": "guardpool", "layout": str(len(devices)), **options}
    job = ZpoolJob("pool", 60, given)
    _or_raise(SetupBench().run(job, devices))


def _vdbench(device: Device, folder: Path) -> None:
    options = {"rdpct": "0", "threads": "1"}
    size = device.disk.identity.size
    job = VdbenchJob("write", device.path, size, 2, 0, True, options)
    bench = EngineBench(folder)
    try:
        _or_raise(bench.run(Vdbench(job, guard=DiskGuard([device]))))
    finally:
        bench.path.unlink()


def _or_raise(result: LoadResult) -> None:
    if result.outcome is not LoadOutcome.DONE:
        raise BenchError(result.reason.removesuffix("."))


@contextlib.contextmanager
def standin(folder: Path, engine: str, **variables: str) -> Iterator[None]:
    """Have a stand-in on the PATH, and tell it how to fail."""
    place = folder / "bin"
    place.mkdir()
    program = place / engine
    program.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" "{STANDINS / engine}.py" "$@"\n', "utf-8"
    )
    program.chmod(0o755)
    new = {
        "PATH": f"{place}{os.pathsep}{os.environ['PATH']}",
        "STANDIN_ZPOOL": str(folder / "pools.json"),
        **variables,
    }
    before = {key: os.environ.get(key) for key in new}
    os.environ.update(new)
    try:
        yield
    finally:
        for key, text in before.items():
            if text is None:
                del os.environ[key]
            else:
                os.environ[key] = text


@engine_row("mkfs: mounted after it had been armed")
@contextlib.contextmanager
def _mkfs_mounted(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        tool("mkfs.ext4", "-q", disk)
        device = armed(disk, "ext4")
        with mounted(disk, folder / "place", *READ_ONLY):
            yield State(disk, "mounted", attempt=lambda: _mkfs(device))


@engine_row("mkfs: data came after it had been armed")
@contextlib.contextmanager
def _mkfs_data(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        device = armed(disk)
        tool("mkfs.ext4", "-q", disk)
        yield State(disk, "signature", attempt=lambda: _mkfs(device))


@engine_row("mkfs: another disk came under its name (diskseq)")
@contextlib.contextmanager
def _mkfs_swapped(blank: Blank, folder: Path) -> Iterator[State]:
    file = folder / "first.img"
    with own_name() as name:
        with loop(file, name=name) as disk:
            device = armed(disk)
        with loop(file, name=name):
            yield State(
                disk,
                "changed",
                attempt=lambda: _mkfs(device),
                told="not the disk that was armed",
            )


@engine_row("mkfs: an option names another disk (-J device=)")
@contextlib.contextmanager
def _mkfs_option(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        device = armed(disk)

        def attempt() -> None:
            _mkfs(device, options="-J device=/dev/sdz")

        yield State(disk, "option", attempt=attempt, told="reaches another disk")


@engine_row("mkfs: mounting it would hide files")
@contextlib.contextmanager
def _mkfs_place(blank: Blank, folder: Path) -> Iterator[State]:
    place = Path("/mnt/bs-guard-row")
    with blank() as disk:
        device = armed(disk)
        place.mkdir()
        (place / "data").touch()
        try:
            yield State(
                disk,
                "place",
                attempt=lambda: _mkfs(device, mount=str(place)),
                told="this folder is not empty",
            )
        finally:
            (place / "data").unlink()
            place.rmdir()


@engine_row("zpool: one of its disks was mounted after it had been armed")
@contextlib.contextmanager
def _zpool_mounted(blank: Blank, folder: Path) -> Iterator[State]:
    with standin(folder, "zpool"), blank() as one, blank() as other:
        tool("mkfs.ext4", "-q", one)
        devices = [armed(other), armed(one, "ext4")]
        with mounted(one, folder / "place", *READ_ONLY):
            yield State(one, "mounted", attempt=lambda: _zpool(devices))


@engine_row("zpool: one of its disks is in an imported pool")
@contextlib.contextmanager
def _zpool_imported(blank: Blank, folder: Path) -> Iterator[State]:
    with standin(folder, "zpool"), blank() as disk:
        device = armed(disk)
        tool("zpool", "create", "-m", "none", "other", disk)
        yield State(disk, "zfs", attempt=lambda: _zpool([device]))


@engine_row("zpool: a property that writes a file (cachefile)")
@contextlib.contextmanager
def _zpool_option(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        device = armed(disk)

        def attempt() -> None:
            with standin(folder, "zpool"):
                _zpool([device], properties="cachefile=/etc/passwd")

        yield State(disk, "option", attempt=attempt, told='"cachefile" is closed')


@engine_row("zpool: it opens another disk while it works")
@contextlib.contextmanager
def _zpool_stray(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk, blank() as other:
        stray = {"STANDIN_FAULT": "stray", "STANDIN_STRAY": other}
        with standin(folder, "zpool", **stray):
            device = armed(disk)
            yield State(
                disk,
                "stray",
                attempt=lambda: _zpool([device]),
                told=f"it has {other} open",
            )


@engine_row("vdbench: mounted after it had been armed")
@contextlib.contextmanager
def _vdbench_mounted(blank: Blank, folder: Path) -> Iterator[State]:
    with standin(folder, "vdbench"), blank() as disk:
        tool("mkfs.ext4", "-q", disk)
        device = armed(disk, "ext4")
        with mounted(disk, folder / "place", *READ_ONLY):
            yield State(disk, "mounted", attempt=lambda: _vdbench(device, folder))


@engine_row("vdbench: data came after it had been armed")
@contextlib.contextmanager
def _vdbench_data(blank: Blank, folder: Path) -> Iterator[State]:
    with standin(folder, "vdbench"), blank() as disk:
        device = armed(disk)
        tool("mkswap", disk)
        yield State(disk, "signature", attempt=lambda: _vdbench(device, folder))


@engine_row("vdbench: what it started opens another disk")
@contextlib.contextmanager
def _vdbench_stray(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk, blank() as other:
        stray = {"STANDIN_FAULT": "stray", "STANDIN_STRAY": other}
        with standin(folder, "vdbench", **stray):
            device = armed(disk)
            yield State(
                other,  # that one has to stay as it is; the armed one may be written
                "stray",
                attempt=lambda: _vdbench(device, folder),
                told=f"it has {other} open",
            )
