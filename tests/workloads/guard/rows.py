"""The rows of the guard's table: states of a disk, made for real and taken away."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from instruments.errors import BenchError
from instruments.tools.hosts import LocalHost
from tests.workloads.guard import traces
from tests.workloads.guard.loops import idle_load, loop, mounted, own_name, tool
from workloads.guard.arming import Armed, arm
from workloads.guard.device import Device
from workloads.guard.disk_guard import DiskGuard
from workloads.guard.look import look

HOST = LocalHost()


@dataclass(frozen=True)
class State:
    """A disk in one state, ready to be judged.

    Attributes:
        path: How the disk is named.
        rule: The rule that has to refuse it; "" where it has to be a safe target.
        armed: What was armed before the state came about, to be checked again.
        needs_name: Whether naming the data lets it be overwritten.
        attempt: What tries to have it overwritten by an engine itself; raises the
            BenchError that it is refused with.
        told: Words of that error that show which rule it was, where it is none of the
            disk's own state.
    """

    path: str
    rule: str
    armed: Armed | None = None
    needs_name: bool = False
    attempt: Callable[[], None] | None = None
    told: str = ""


Blank = Callable[[], AbstractContextManager[str]]
Make = Callable[[Blank, Path], AbstractContextManager[State]]


@dataclass
class Rows:
    """The rows by their titles, in the order of the table."""

    made: dict[str, Make] = field(default_factory=dict)

    def __call__(self, title: str) -> Callable[[Make], Make]:
        def add(make: Make) -> Make:
            self.made[title] = make
            return make

        return add


row = Rows()


@row("blank disk (a safe target)")
@contextlib.contextmanager
def _blank(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        yield State(disk, "")


@row("mounted")
@contextlib.contextmanager
def _mounted(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        tool("mkfs.ext4", "-q", disk)
        with mounted(disk, folder / "place"):
            yield State(disk, "mounted")


@row("mounted in another mount namespace only")
@contextlib.contextmanager
def _hidden(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        tool("mkfs.ext4", "-q", disk)
        (folder / "hidden").mkdir()
        script = f"mount {disk} {folder}/hidden && echo ready && read stop"
        with subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", f"{script}; umount {folder}/hidden"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == b"ready\n"
            yield State(disk, "mounted")
            other.communicate(b"\n", timeout=60)


@row("mounted in a namespace without a process")
@contextlib.contextmanager
def _pinned(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        tool("mkfs.ext4", "-q", disk)
        pin = folder / "pin"
        pin.mkdir()
        (folder / "nowhere").mkdir()
        tool("mount", "--bind", str(pin), str(pin))
        tool("mount", "--make-private", str(pin))
        try:
            (pin / "ns").touch()
            where = f"--mount={pin}/ns"
            tool("unshare", where, "mount", disk, str(folder / "nowhere"))
            yield State(disk, "busy")
        finally:
            subprocess.run(["umount", str(pin / "ns")], check=False)
            tool("umount", str(pin))
            _wait_free(disk)


@row("a partition of it is mounted")
@contextlib.contextmanager
def _partition_mounted(blank: Blank, folder: Path) -> Iterator[State]:
    with _partitioned(blank) as (disk, part):
        tool("mkfs.ext4", "-q", part)
        with mounted(part, folder / "place"):
            yield State(disk, "mounted")


@row("a partition instead of a disk")
@contextlib.contextmanager
def _partition(blank: Blank, folder: Path) -> Iterator[State]:
    with _partitioned(blank) as (_, part):
        yield State(part, "partition")


@row("data on a partition only")
@contextlib.contextmanager
def _partition_data(blank: Blank, folder: Path) -> Iterator[State]:
    with _partitioned(blank) as (disk, part):
        tool("mkfs.ext4", "-q", part)
        yield State(disk, "signature", needs_name=True)


@row("swap in use")
@contextlib.contextmanager
def _swap(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        tool("mkswap", disk)
        tool("swapon", disk)
        try:
            yield State(disk, "swap")
        finally:
            tool("swapoff", disk)


def _traced(write: Callable[[str], None]) -> Make:
    @contextlib.contextmanager
    def make(blank: Blank, folder: Path) -> Iterator[State]:
        with blank() as disk:
            write(disk)
            yield State(disk, "signature", needs_name=True)

    return make


row("swap, not in use")(_traced(lambda disk: void(tool("mkswap", disk))))
row("file system, not mounted")(_traced(lambda d: void(tool("mkfs.ext4", "-q", d))))
row("member of an md array that is stopped")(_traced(traces.md_member))
row("LVM physical volume, not active")(_traced(traces.lvm_member))
row("member of a ZFS pool that is exported")(_traced(traces.zfs_member))
row("LUKS, not opened")(_traced(traces.luks))


def void(_: str) -> None:
    """Take what a tool printed and forget it."""


@row("read-only")
@contextlib.contextmanager
def _read_only(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        tool("blockdev", "--setro", disk)
        try:
            yield State(disk, "read-only")
        finally:
            tool("blockdev", "--setrw", disk)


@row("claimed by another program (O_EXCL)")
@contextlib.contextmanager
def _claimed(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        handle = os.open(disk, os.O_RDONLY | os.O_EXCL)
        try:
            yield State(disk, "busy")
        finally:
            os.close(handle)


@row("open for writing by another program")
@contextlib.contextmanager
def _open(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        script = f"exec 3<>{disk}; echo ready; read stop"
        with subprocess.Popen(
            ["sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == b"ready\n"
            yield State(disk, "open")
            other.communicate(b"\n", timeout=60)


@row("open for writing by another name, and with O_NONBLOCK")
@contextlib.contextmanager
def _open_otherwise(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        alias = folder / "alias"
        os.mknod(alias, 0o60600, Path(disk).stat().st_rdev)
        with open_for_writing(str(alias)):
            yield State(disk, "open")


@contextlib.contextmanager
def open_for_writing(path: str) -> Iterator[None]:
    """Run a program that has a device open as tools of SCSI do that send commands."""
    script = "import os,sys; os.open(sys.argv[1], os.O_RDWR | os.O_NONBLOCK)"
    with subprocess.Popen(
        python("-c", f"{script}; print(1, flush=True); sys.stdin.read()", path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline()
        yield
        other.communicate(timeout=60)


@row("under a loop device")
@contextlib.contextmanager
def _looped(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk, loop(Path(disk)):
        yield State(disk, "holder")


@row("the disk of the running system")
@contextlib.contextmanager
def _system(blank: Blank, folder: Path) -> Iterator[State]:
    number = Path("/").stat().st_dev
    name = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    if name.exists():
        yield State(f"/dev/{name.resolve().name}", "system")
        return
    with blank() as disk:  # a guest without a disk of its own
        tool("mkfs.ext4", "-q", disk)
        with mounted(disk, Path("/boot")):
            yield State(disk, "system")


@row("it cannot be looked at (not root)")
@contextlib.contextmanager
def _unseen(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        yield State(f"as nobody {disk}", "unseen")


@row("the same disk by another node")
@contextlib.contextmanager
def _alias(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        tool("mkfs.ext4", "-q", disk)
        alias = folder / "harmless"
        os.mknod(alias, 0o60600, Path(disk).stat().st_rdev)
        with mounted(disk, folder / "place"):
            yield State(str(alias), "mounted")


@row("a raw device that is no disk")
@contextlib.contextmanager
def _raw(blank: Blank, folder: Path) -> Iterator[State]:
    yield State("/dev/null", "no device")


@row("another serial number was typed")
@contextlib.contextmanager
def _mistyped(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        yield State(f"mistyped {disk}", "word")


@row("it went and another came under its name (diskseq)")
@contextlib.contextmanager
def _swapped(blank: Blank, folder: Path) -> Iterator[State]:
    file = folder / "first.img"
    with own_name() as name:
        with loop(file, name=name) as disk:
            armed = arm(disk, look(HOST, disk), look(HOST, disk).disk.word)
        with loop(file, name=name):
            yield State(disk, "changed", armed)


@row("its name leads to another path to it by now")
@contextlib.contextmanager
def _relinked(blank: Blank, folder: Path) -> Iterator[State]:
    file, link = folder / "disk.img", folder / "by-id"
    with loop(file) as disk:
        link.symlink_to(disk)
        found = look(HOST, str(link))
        armed = arm(str(link), found, found.disk.word)
        with loop(file) as other:
            link.unlink()
            link.symlink_to(other)
            yield State(str(link), "twin", armed)


@row("another path to it is mounted after it had been armed")
@contextlib.contextmanager
def _path_later(blank: Blank, folder: Path) -> Iterator[State]:
    file = folder / "disk.img"
    with loop(file) as disk:
        tool("mkfs.ext4", "-q", disk)
        found = look(HOST, disk)
        armed = arm(disk, found, found.disk.word, ["ext4"])
        with loop(file) as other, mounted(other, folder / "place"):
            yield State(disk, "twin", armed)


@row("another path to it comes up while it is overwritten")
@contextlib.contextmanager
def _path_meanwhile(blank: Blank, folder: Path) -> Iterator[State]:
    file = folder / "disk.img"
    with loop(file) as disk:
        found = look(HOST, disk)
        armed = arm(disk, found, found.disk.word)

        def attempt() -> None:
            guard = DiskGuard([Device(Path(disk), found.disk, 0, armed)])
            hold = guard.hold(lambda *_: None, destroys=True)
            with hold, loop(file), idle_load() as load:
                deadline = time.monotonic() + 60
                while time.monotonic() < deadline:
                    if said := guard.check(load, "", destroys=True):
                        raise BenchError(said)
                    time.sleep(0.1)

        yield State(disk, "twin", attempt=attempt, told="is another path to the same")


@row("a loop device on a disk that is mounted")
@contextlib.contextmanager
def _loop_above(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        tool("mkfs.ext4", "-q", disk)
        with loop(Path(disk)) as above, mounted(disk, folder / "place"):
            yield State(above, "twin")


@row("it has another size now")
@contextlib.contextmanager
def _resized(blank: Blank, folder: Path) -> Iterator[State]:
    file = folder / "grows.img"
    with loop(file) as disk:
        armed = arm(disk, look(HOST, disk), look(HOST, disk).disk.word)
        os.truncate(file, file.stat().st_size * 2)
        tool("losetup", "--set-capacity", disk)
        yield State(disk, "changed", armed)


@row("it was mounted after it had been armed")
@contextlib.contextmanager
def _later(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        tool("mkfs.ext4", "-q", disk)
        found = look(HOST, disk)
        armed = arm(disk, found, found.disk.word, ["ext4"])
        with mounted(disk, folder / "place"):
            yield State(disk, "mounted", armed)


@contextlib.contextmanager
def _partitioned(blank: Blank) -> Iterator[tuple[str, str]]:
    with blank() as disk:
        subprocess.run(
            ["sfdisk", "--quiet", disk],
            input=b"label: gpt\n,16M\n,\n",
            check=True,
            capture_output=True,
        )
        name = Path(disk).name
        part = Path(f"{disk}p1" if name[-1].isdigit() else f"{disk}1")
        deadline = time.monotonic() + 60
        while not part.exists() and time.monotonic() < deadline:
            tool("partx", "--update", disk)
        yield disk, str(part)


def _wait_free(disk: str) -> None:
    """Wait until the kernel has let go of a disk; it unmounts in its own time."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            os.close(os.open(disk, os.O_RDONLY | os.O_EXCL))
        except OSError:
            time.sleep(0.05)
        else:
            return


def python(*words: str) -> list[str]:
    """The command line of this Python."""
    return [sys.executable, *words]
