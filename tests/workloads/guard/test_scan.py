"""Who has a disk open for writing is seen, by whatever name it was opened."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from instruments.tools.command import Completed
from instruments.tools.hosts import LocalHost
from tests import needs
from tests.workloads.guard.loops import loop
from workloads.guard.look import look
from workloads.guard.objections import objections
from workloads.guard.scan import scan

pytestmark = needs.block_devices

_OPEN = """
import os, sys
handle = os.open(sys.argv[1], int(sys.argv[2]))
print(os.getpid(), flush=True)
sys.stdin.read()
"""
_ASKS = f"{_OPEN}import time\ntime.sleep(1.5)\n"
_FIRST_THREAD_ENDS = """
import ctypes, os, sys, threading
handle = os.open(sys.argv[1], int(sys.argv[2]))
def go_on():
    while "Z" not in open("/proc/self/task/%d/stat" % os.getpid()).read():
        pass
    print(os.getpid(), flush=True)
    sys.stdin.read()
    os._exit(0)
threading.Thread(target=go_on).start()
ctypes.CDLL(None).syscall(60, 0)
"""


@contextlib.contextmanager
def opened(path: str | Path, flags: int, script: str = _OPEN) -> Iterator[int]:
    """Run a program that has a file open; gives its process id."""
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path), str(flags)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        process.communicate(timeout=60)


def number_of(path: str) -> str:
    rdev = Path(path).stat().st_rdev
    return f"{os.major(rdev)}:{os.minor(rdev)}"


class Sysfs(LocalHost):
    """This machine with another folder in place of one below /sys."""

    def __init__(self, folder: Path, place: str) -> None:
        super().__init__()
        self._words = [str(folder), place]

    def run(
        self,
        argv: Sequence[str],
        timeout_s: float,
        *,
        env: Mapping[str, str] | None = None,
    ) -> Completed:
        script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'
        inside = ["unshare", "--mount", "sh", "-c", script, "sh", *self._words]
        return super().run([*inside, *argv], timeout_s, env=env)


@pytest.mark.parametrize("name", ["itself", "link", "node"])
def test_a_writer_is_seen_by_any_name_and_flags(name: str, tmp_path: Path) -> None:
    with loop(tmp_path / "disk.img") as disk:
        named = Path(disk) if name == "itself" else tmp_path / name
        if name == "link":
            named.symlink_to(disk)
        elif name == "node":
            os.mknod(named, 0o60600, Path(disk).stat().st_rdev)
        for flags in (os.O_RDWR, os.O_WRONLY, os.O_RDWR | os.O_NONBLOCK):
            with opened(named, flags) as pid:
                found = look(LocalHost(), disk)
                assert "open" in {objection.rule for objection in objections(found)}
                [who] = found.writers
                assert who.endswith(f"(process {pid})")
        with opened(named, os.O_RDONLY | os.O_NONBLOCK):
            assert look(LocalHost(), disk).writers == ()


def test_a_writer_whose_first_thread_has_ended_is_seen(tmp_path: Path) -> None:
    with (
        loop(tmp_path / "disk.img") as disk,
        opened(disk, os.O_RDWR, _FIRST_THREAD_ENDS) as pid,
    ):
        [who] = look(LocalHost(), disk).writers
        assert who.endswith(f"(process {pid})")


def test_a_mapping_without_a_handle_is_seen(tmp_path: Path) -> None:
    script = """
import mmap, os, sys
handle = os.open(sys.argv[1], int(sys.argv[2]))
shared = mmap.mmap(handle, 4096, mmap.MAP_SHARED, int(sys.argv[2]) % 4 + 1)
os.close(handle)
for one in os.listdir("/proc/self/fd"):  # mmap keeps one of its own
    if int(one) > 2:
        try:
            os.close(int(one))
        except OSError:
            pass
print(os.getpid(), flush=True)
sys.stdin.read()
os._exit(0)
"""
    with loop(tmp_path / "disk.img") as disk:
        with opened(disk, os.O_RDWR, script) as pid:
            [who] = look(LocalHost(), disk).writers
            assert who.endswith(f"(process {pid})")
        with opened(disk, os.O_RDONLY, script):
            assert look(LocalHost(), disk).writers == ()


class Told(LocalHost):
    """This machine, that says when it is looked at."""

    def __init__(self, tell: Callable[[], object]) -> None:
        super().__init__()
        self._tell = tell

    def run(
        self,
        argv: Sequence[str],
        timeout_s: float,
        *,
        env: Mapping[str, str] | None = None,
    ) -> Completed:
        self._tell()
        return super().run(argv, timeout_s, env=env)


def test_a_tool_that_asks_a_drive_for_a_moment_is_no_writer(tmp_path: Path) -> None:
    with (
        loop(tmp_path / "disk.img") as disk,
        subprocess.Popen(
            [sys.executable, "-c", _ASKS, disk, str(os.O_RDWR | os.O_NONBLOCK)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as tool,
    ):
        assert tool.stdin is not None
        assert tool.stdout is not None
        assert tool.stdout.readline()
        host = Told(tool.stdin.close)
        assert number_of(disk) not in dict(scan(host).writers)
        assert tool.wait(60) == 0


def test_a_raw_device_is_the_disk_behind_it(tmp_path: Path) -> None:
    # Any raw device will do whose place in sysfs leads to a disk.
    raw = "/dev/loop-control"
    with loop(tmp_path / "disk.img") as disk:
        place = tmp_path / "char" / number_of(raw) / "device" / "block"
        (place / Path(disk).name).mkdir(parents=True)
        host = Sysfs(tmp_path / "char", "/sys/dev/char")
        for flags in (os.O_RDWR, os.O_RDWR | os.O_NONBLOCK):
            with opened(raw, flags) as pid:
                told = [
                    who for one, who in scan(host).writers if one == number_of(disk)
                ]
                assert [one.endswith(f"(process {pid})") for one in told] == [True]
        with opened(raw, os.O_RDONLY):
            assert number_of(disk) not in dict(scan(host).writers)


@pytest.mark.parametrize(
    "place",
    ["nvmet/subsystems/bench/namespaces/1/device_path", "target/core/x/y/udev_path"],
)
def test_a_disk_that_the_kernel_exports_is_open(place: str, tmp_path: Path) -> None:
    with loop(tmp_path / "disk.img") as disk:
        told = tmp_path / "config" / place
        told.parent.mkdir(parents=True)
        told.write_text(f"{disk}\n")
        host = Sysfs(tmp_path, "/sys/kernel")
        (told.parent / "enable").write_text("1\n")
        assert number_of(disk) in dict(scan(host).writers)
        (told.parent / "enable").write_text("0\n")
        assert number_of(disk) not in dict(scan(host).writers)


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("own", ["65534", "0"])
def test_without_rights_it_says_that_it_cannot_see(own: str, *, hidden: bool) -> None:
    """Nor where /proc shows no processes of others at all."""

    class Limited(LocalHost):
        def run(
            self,
            argv: Sequence[str],
            timeout_s: float,
            *,
            env: Mapping[str, str] | None = None,
        ) -> Completed:
            mount = "mount -t proc -o hidepid=2 proc /proc && " if hidden else ""
            ids = [f"--reuid={own}", "--regid=65534", "--clear-groups"]
            if own == "0":
                ids += ["--bounding-set=-all", "--inh-caps=-all"]
            script = f'{mount}exec setpriv "$@"'
            words = ["unshare", "--mount", "sh", "-c", script, "sh", *ids]
            python = sys.executable if own == "0" else "/usr/bin/python3"
            return super().run([*words, python, *argv[1:]], timeout_s, env=env)

    assert any("have open cannot be seen" in one for one in scan(Limited()).blind)
    assert scan(LocalHost()).blind == ()
