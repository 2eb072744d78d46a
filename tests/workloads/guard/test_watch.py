"""What comes into use while a load runs is seen, and all else costs next to nothing."""

import contextlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from instruments.ssh.host import SshHost
from instruments.ssh.target import Target
from instruments.tools.command import Completed
from tests import needs
from tests.sshd import sshd
from tests.workloads.guard.loops import loop, mounted, tool
from tests.workloads.guard.told import Facts, TellingHost
from workloads.guard.contents import _SCRIPT as READS
from workloads.guard.nodes import find_disk
from workloads.guard.watch import Watch

pytestmark = needs.block_devices

OTHER = replace(Facts(), wwn="0x5000c500a1b2c3d7", serial="ZL9Y8X7W", model="Virtual")


class Counting(TellingHost):
    """A machine that notes which programs ran on it, and what was read of disks."""

    def __init__(self, facts: Mapping[str, Facts]) -> None:
        super().__init__(facts)
        self.are_told = bool(facts)
        self.ran: list[str] = []
        self.read: list[str] = []

    def run(
        self,
        argv: Sequence[str],
        timeout_s: float,
        *,
        env: Mapping[str, str] | None = None,
    ) -> Completed:
        self.ran.append(argv[0])
        if READS in argv:
            self.read.append(argv[-1])
        run = super().run if self.are_told else super(TellingHost, self).run
        return run(argv, timeout_s, env=env)


_ELSEWHERE = """
import os, subprocess, sys
disk, place, root = sys.argv[1:]
subprocess.run(["mount", disk, place], check=True)
if root:
    subprocess.run(["mount", "--bind", root, root], check=True)
if root and os.fork():  # who is looked at first is in a chroot, and sees no mount
    os.chroot(root)
    os.chdir("/")
else:
    print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("root", ["", "root"])
def test_its_other_path_is_mounted_in_another_namespace(
    root: str, tmp_path: Path
) -> None:
    file, place = tmp_path / "disk.img", tmp_path / "place"
    for folder in (place, tmp_path / "root"):
        folder.mkdir()
    jail = str(tmp_path / root) if root else ""
    with loop(file) as one, loop(file) as other:
        host = TellingHost({one: Facts(), other: OTHER})
        tool("mkfs.ext4", "-q", other)
        watch = Watch(host, [find_disk(host, one)])
        words = [sys.executable, "-c", _ELSEWHERE, other, str(place), jail]
        with subprocess.Popen(
            ["unshare", "--mount", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as elsewhere:
            assert elsewhere.stdout is not None
            assert elsewhere.stdout.readline() == b"ready\n"
            assert "it cannot be told from" in watch.look()
            elsewhere.communicate(timeout=60)


def test_a_use_that_went_is_a_new_one_when_it_comes_back(tmp_path: Path) -> None:
    file, place = tmp_path / "disk.img", tmp_path / "place"
    with loop(file) as one, loop(file) as other:
        host = TellingHost({one: Facts(), other: OTHER})
        tool("mkfs.ext4", "-q", other)
        with mounted(other, place):
            watch = Watch(host, [find_disk(host, one)])
        assert watch.look() == ""
        with mounted(other, place):
            assert "it cannot be told from" in watch.look()


def test_mounts_of_no_disk_are_looked_into_no_further(tmp_path: Path) -> None:
    for name in ("memory", "again"):
        (tmp_path / name).mkdir()
    with loop(tmp_path / "disk.img") as one:
        host = Counting({one: Facts()})
        watch = Watch(host, [find_disk(host, one)])
        host.ran.clear()
        with (
            mounted("tmpfs", tmp_path / "memory", "-t", "tmpfs"),
            mounted(str(tmp_path), tmp_path / "again", "--bind"),
        ):
            assert watch.look() == ""
        assert len(host.ran) == 1
        assert host.read == []


@pytest.mark.parametrize("number", [2, 12])
def test_a_disk_that_comes_into_use_is_compared_with_ours_alone(
    number: int, tmp_path: Path
) -> None:
    with contextlib.ExitStack() as stack:
        files = [tmp_path / f"{one}.img" for one in range(number + 1)]
        *paths, last = [stack.enter_context(loop(file)) for file in files]
        tool("mkfs.ext4", "-q", last)
        told = {
            path: Facts(f"ZL2A1B{n:02}", f"0x5000c500a1b2c3{n:02}")
            for n, path in enumerate(paths)
        }
        host = Counting({**told, last: OTHER})
        watch = Watch(host, [find_disk(host, path) for path in paths[:-1]])
        host.ran.clear()
        with mounted(last, tmp_path / "place"):
            assert watch.look() == ""
        # One look, one survey, one read of all, one try: however many they are.
        assert len(host.ran) <= 9
        assert len(host.read) == 1
        assert paths[-1] not in host.read[0]


def test_a_disk_of_another_file_is_not_even_read(tmp_path: Path) -> None:
    with loop(tmp_path / "disk.img") as one, loop(tmp_path / "other.img") as other:
        host = Counting({})
        tool("mkfs.ext4", "-q", other)
        watch = Watch(host, [find_disk(host, one)])
        with mounted(other, tmp_path / "place"):
            assert watch.look() == ""
        assert not any(other in read for read in host.read)


class Slow(SshHost):
    """A machine over SSH whose tools wait until they are let go."""

    def __init__(self, target: Target) -> None:
        super().__init__("slow", target)
        self.asked, self.go = threading.Event(), threading.Event()
        self.go.set()

    def run(
        self,
        argv: Sequence[str],
        timeout_s: float,
        *,
        env: Mapping[str, str] | None = None,
    ) -> Completed:
        self.asked.set()
        assert self.go.wait(60)
        return super().run(argv, timeout_s, env=env)


def test_a_look_that_outlives_its_load_lets_go_of_the_machine(tmp_path: Path) -> None:
    (tmp_path / "sshd").mkdir()
    with sshd(tmp_path / "sshd") as server, loop(tmp_path / "disk.img") as one:
        host = Slow(server.target)
        watch = Watch(host, [find_disk(host, one)])
        host.asked.clear()
        host.go.clear()
        assert watch.check() == ""
        assert host.asked.wait(60)
        watch.close()
        host.close()
        host.go.set()
        look = next(one for one in threading.enumerate() if one.name == "guard-watch")
        look.join(60)
        assert watch.check() == ""
        deadline = time.monotonic() + 60
        while server.signal_connections(signal.Signals.SIGCONT):
            assert time.monotonic() < deadline
            time.sleep(0.02)
