"""Ten thousand swaps of what a name leads to while root works on it gain nothing."""

import contextlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from instruments.errors import BenchError
from instruments.tools.hosts import LocalHost
from tests.workloads.guard.loops import loop, tool
from tests.workloads.guard.swapper import Swapper
from workloads.base import LoadOutcome
from workloads.fio.load import Fio
from workloads.fio_job import FioJob
from workloads.guard.budget import Budget
from workloads.guard.device import Device, open_device
from workloads.guard.disk_guard import DiskGuard
from workloads.guard.file_guard import FileGuard
from workloads.guard.nodes import find_disk
from workloads.setup.job import FileSystem
from workloads.setup.made import uuid_of
from workloads.setup.make import Terms, make_file_system
from workloads.target.scratch import prepare

HELPER = [sys.executable, "-m", "workloads.helper.program"]
ENOUGH = 10_000
ROOTS = b"what only root may write\n" * 4000


@dataclass(frozen=True)
class Arena:
    """An armed disk, another one, a file of root's, and somebody who swaps names.

    Attributes:
        disk: The disk that may be overwritten.
        image: The file behind it.
        other: The file behind a disk that nobody armed.
        marker: A file that only root may write.
        swapper: Whose name leads to all of them.
    """

    disk: str
    image: Path
    other: Path
    marker: Path
    swapper: Swapper

    @property
    def word(self) -> str:
        return find_disk(LocalHost(), self.disk).word

    def armed(self, *overrule: str) -> Device:
        """Arm what the swapped name leads to, while it still leads to the disk."""
        name, word = self.swapper.name, self.word
        return open_device(name, 0, writes=True, words=[word], overrule=overrule)

    def check(self) -> None:
        """Check that nothing was gained."""
        assert self.marker.read_bytes() == ROOTS
        assert [path.name for path in self.marker.parent.iterdir()] == ["marker"]
        assert not any(self.other.read_bytes())


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    image, other = tmp_path / "disk.img", tmp_path / "other.img"
    with (
        tempfile.TemporaryDirectory() as roots,
        loop(image) as disk,
        loop(other) as spare,
    ):
        marker = Path(roots) / "marker"
        marker.write_bytes(ROOTS)
        with Swapper(disk, str(marker), spare) as swapper:
            yield Arena(disk, image, other, marker, swapper)


def request(arena: Arena, verb: str, **more: object) -> dict[str, object]:
    """Ask by identity, and by the swapped name wherever a name ever was taken."""
    identity = asdict(find_disk(LocalHost(), arena.disk).identity)
    named = {"path": str(arena.swapper.name), "device": str(arena.swapper.name)}
    disk = {"identity": identity, "word": arena.word, "overwrite": ["ext4"]}
    times = {"runtime_ms": 300, "ramp_ms": 0, "timeout_ms": 60_000, "owner": 65534}
    asked = {"verb": verb, "size": 65536, **named, **disk, **times, **more}
    return {**asked, "disks": [{**disk, **named}]}


def serve(arena: Arena, asked: dict[str, object], *, at_once: bool) -> None:
    """Have the helper serve a request while the name is swapped.

    Args:
        arena: All there is.
        asked: The request.
        at_once: Whether it is swapped all the time, and not from the moment on at
            which the helper says that it has checked the disk.
    """
    arena.swapper.hold()
    if at_once:
        arena.swapper.go()
    with subprocess.Popen(
        HELPER,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as helper:
        assert helper.stdin is not None
        assert helper.stderr is not None
        helper.stdin.write(json.dumps(asked) + "\n")
        helper.stdin.flush()
        for line in helper.stderr:
            assert "Traceback" not in line
            if "checked" in line:
                arena.swapper.go()
        assert helper.wait(60) is not None
    arena.check()


@pytest.mark.slow
def test_nobody_gains_anything_of_the_helper(arena: Arena) -> None:
    write: dict[str, object] = {"options": {"rw": "write", "bs": "64k"}}
    make: dict[str, object] = {"type": "ext4", "options": "", "mount": ""}
    page: dict[str, object] = {"tool": "sg_ses", "page": "es", "element": 1}
    while arena.swapper.swaps < ENOUGH:
        serve(arena, request(arena, "mkfs", **make), at_once=False)
        assert uuid_of(arena.disk)
        serve(arena, request(arena, "fio", **write), at_once=False)
        assert not uuid_of(arena.disk)
        serve(arena, request(arena, "fio", **write), at_once=True)
        for verb in ("inspect", "page", "locate"):
            serve(arena, request(arena, verb, **page), at_once=True)
        arena.swapper.hold()


def test_a_load_run_as_root_on_a_name_of_somebody_writes_to_the_armed_disk(
    arena: Arena,
) -> None:
    while arena.swapper.swaps < ENOUGH:
        device = arena.armed()
        options = {"rw": "write", "bs": "64k"}
        job = FioJob("w", (device.path,), 65536, 0.3, 0, True, options)
        fio = Fio(job, guard=DiskGuard([device]))
        result = fio.run(
            lambda _: None, lambda *_: arena.swapper.go(), threading.Event()
        )
        arena.check()
        assert result.outcome is LoadOutcome.DONE, result.reason
        assert any(arena.image.read_bytes())
        arena.swapper.hold()


def test_a_scratch_file_in_a_folder_of_somebody_stays_the_one_that_was_checked(
    arena: Arena,
) -> None:
    with Swapper("", str(arena.marker)) as swapper:
        while swapper.swaps < ENOUGH:
            swapper.hold()
            with contextlib.closing(
                prepare(swapper.name, 2**20, threading.Event(), lambda _: None)
            ) as ready:
                swapper.go()
                options = {"rw": "write", "bs": "64k"}
                job = FioJob("w", (ready.path,), ready.size, 0.3, 0, False, options)
                guard = FileGuard([ready.path], None, [ready.handle])
                result = Fio(job, guard=guard).run(
                    lambda _: None, lambda *_: None, threading.Event()
                )
            assert arena.marker.read_bytes() == ROOTS
            assert result.outcome is LoadOutcome.DONE, result.reason
            for _ in range(20):
                with contextlib.suppress(BenchError, OSError):
                    prepare(
                        swapper.name, 2**20, threading.Event(), lambda _: None
                    ).close()
            assert arena.marker.read_bytes() == ROOTS


def test_a_file_system_made_as_root_is_made_on_the_armed_disk(arena: Arena) -> None:
    while arena.swapper.swaps < ENOUGH:
        tool("mkfs.ext4", "-q", "-F", arena.disk)
        device, until = arena.armed("ext4"), time.monotonic() + 60
        before = uuid_of(arena.disk)
        terms = Terms(
            lambda *_: arena.swapper.go(), threading.Event(), until, Budget(), 65534
        )
        try:
            make_file_system(device, FileSystem("ext4"), terms)
        finally:
            arena.check()
        assert uuid_of(arena.disk) not in ("", before)
        arena.swapper.hold()
