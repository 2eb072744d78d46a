"""The rows about disks with two paths, one of which is in use."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from tests.guard_guest.guest_rows import array, guest_row, lvm, mapped, multipath, twins
from tests.guard_guest.two_paths import (
    ALL_OTHER,
    OTHER_WWN,
    SIZE,
    TOLD,
    Told,
    first_path,
    nvme_paths,
    second_path,
)
from tests.workloads.guard.loops import mounted, tool
from tests.workloads.guard.rows import HOST, Blank, State, open_for_writing
from workloads.guard.arming import arm
from workloads.guard.look import look
from workloads.guard.objections import objections


@guest_row(f"its other path is mounted, in {len(TOLD) - 1} ways to tell who they are")
@contextlib.contextmanager
def _mounted(blank: Blank, folder: Path) -> Iterator[State]:
    with first_path() as one:
        for told in TOLD[1:-1]:
            with second_path(told) as other:
                tool("mkfs.ext4", "-q", "-F", other, "32M")
                with mounted(other, folder / "place"):
                    rules = {
                        objection.rule for objection in objections(look(HOST, one))
                    }
                    assert rules & {"twin", "alike"}, f"{told}: {rules}"
        with second_path(TOLD[-1]) as other:
            tool("mkfs.ext4", "-q", "-F", other, "32M")
            with mounted(other, folder / "place"):
                yield State(one, "alike")


@contextlib.contextmanager
def _paths(told: Told) -> Iterator[tuple[str, str]]:
    with first_path() as one, second_path(told) as other:
        yield one, other


@guest_row("its other path, with another WWN, is swap in use")
@contextlib.contextmanager
def _swap(blank: Blank, folder: Path) -> Iterator[State]:
    with _paths(OTHER_WWN) as (one, other):
        tool("mkswap", other)
        tool("swapon", other)
        try:
            yield State(one, "twin")
        finally:
            tool("swapoff", other)


@guest_row("its other path, with another WWN, is in an active md array")
@contextlib.contextmanager
def _md(blank: Blank, folder: Path) -> Iterator[State]:
    with _paths(OTHER_WWN) as (one, other), array(other):
        yield State(one, "twin")


@guest_row("its other path, with another WWN, is an LVM volume's")
@contextlib.contextmanager
def _lvm(blank: Blank, folder: Path) -> Iterator[State]:
    with _paths(OTHER_WWN) as (one, other):
        words = f'devices/filter=["a|{other}|","r|.*|"]'
        lvm("pvcreate", "-y", other, more=words)
        lvm("vgcreate", "pathvg", other, more=words)
        create = ("lvcreate", "-y", "-Zn", "-Wn", "-n", "lv", "-l", "4", "pathvg")
        lvm(*create, more=words)
        try:
            yield State(one, "twin")
        finally:
            lvm("vgchange", "-an", "pathvg", more=words)


@guest_row("its other path, with nothing equal, is a mounted btrfs's second disk")
@contextlib.contextmanager
def _btrfs(blank: Blank, folder: Path) -> Iterator[State]:
    tool("modprobe", "btrfs")
    with first_path() as one, blank() as more, second_path(ALL_OTHER) as other:
        tool("mkfs.btrfs", "-q", "-f", "-M", "-d", "single", more, other)
        with mounted(more, folder / "place", "-o", f"device={other}"):
            yield State(one, "alike")
        tool("btrfs", "device", "scan", "--forget")


@guest_row("its other path, blank and with another WWN, is under device-mapper")
@contextlib.contextmanager
def _linear(blank: Blank, folder: Path) -> Iterator[State]:
    with _paths(OTHER_WWN) as (one, other):
        sectors = SIZE // 512 - 2048
        with mapped("guardother", f"0 {sectors} linear {other} 0"):
            yield State(one, "alike")


@guest_row("its other path came up after it had been armed")
@contextlib.contextmanager
def _later(blank: Blank, folder: Path) -> Iterator[State]:
    with first_path() as one:
        tool("mkswap", one)
        found = look(HOST, one)
        armed = arm(one, found, found.disk.word, ["swap"])
        with second_path(OTHER_WWN):
            yield State(one, "twin", armed)


@guest_row("an md array, one of whose disks is mounted by its other path")
@contextlib.contextmanager
def _below_md(blank: Blank, folder: Path) -> Iterator[State]:
    with _paths(OTHER_WWN) as (one, other), array(one, metadata="1.0"):
        tool("mkfs.ext4", "-q", "-F", "/dev/md7")
        with mounted(other, folder / "place", "-t", "ext4", "-o", "ro,noload"):
            yield State("/dev/md7", "twin")


@guest_row("a multipath device, a third path of which is mounted")
@contextlib.contextmanager
def _third(blank: Blank, folder: Path) -> Iterator[State]:
    with twins(3) as [one, two, three], multipath(one, two) as path:
        tool("mkfs.ext4", "-q", three)
        with mounted(three, folder / "place"):
            yield State(path, "twin")


@guest_row("its other NVMe controller has it mounted")
@contextlib.contextmanager
def _nvme(blank: Blank, folder: Path) -> Iterator[State]:
    with nvme_paths() as (one, other, _):
        tool("mkfs.ext4", "-q", other)
        with mounted(other, folder / "place"):
            yield State(one, "twin")


@guest_row("open for writing by its raw NVMe device (ng)")
@contextlib.contextmanager
def _generic(blank: Blank, folder: Path) -> Iterator[State]:
    with (
        nvme_paths() as (one, _, _),
        open_for_writing(one.replace("/nvme", "/ng")),
    ):
        yield State(one, "open")


@guest_row("another namespace of its NVMe controller is mounted (a safe target)")
@contextlib.contextmanager
def _namespace(blank: Blank, folder: Path) -> Iterator[State]:
    with nvme_paths() as (one, hidden, space):
        remove = Path(f"/sys/block/{Path(hidden).name}/device/device/remove").resolve()
        remove.write_text("1")
        tool("mkfs.ext4", "-q", space)
        with mounted(space, folder / "place"):
            yield State(one, "")


GUEST_ROWS = guest_row.made
"""All rows that need the guest."""
