"""The rows that need a kernel of their own: md, LVM, multipath, raw SCSI devices."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from tests.guard_guest.disks import wait_for_disks
from tests.workloads.guard.loops import mounted, tool
from tests.workloads.guard.rows import HOST, Blank, Rows, State, open_for_writing
from workloads.guard.arming import arm
from workloads.guard.look import look

guest_row = Rows()
_NO_UDEV = "activation{udev_sync=0 udev_rules=0} devices{use_devicesfile=0 scan_lvs=0}"


def lvm(*argv: str, more: str = "") -> str:
    """Run a tool of LVM without udev, which the guest has not."""
    return tool(*argv, "--config", f"{_NO_UDEV} {more}")


@guest_row("member of an active md array")
@contextlib.contextmanager
def _md(blank: Blank, folder: Path) -> Iterator[State]:
    with _array(blank) as disk:
        yield State(disk, "holder")


@guest_row("member of an md array that mdadm stopped")
@contextlib.contextmanager
def _md_stopped(blank: Blank, folder: Path) -> Iterator[State]:
    with _array(blank) as disk:
        tool("mdadm", "--stop", "/dev/md7")
        yield State(disk, "signature", needs_name=True)


@contextlib.contextmanager
def _array(blank: Blank) -> Iterator[str]:
    with blank() as one, blank() as two, array(one, two):
        yield one


@contextlib.contextmanager
def array(one: str, two: str = "missing", metadata: str = "1.2") -> Iterator[None]:
    """Have an active mirror, /dev/md7, of two disks or of one and a gap."""
    tool("modprobe", "raid1")
    words = ("--level=1", "--raid-devices=2", "--run", f"--metadata={metadata}")
    tool("mdadm", "--create", "/dev/md7", *words, one, two)
    try:
        yield
    finally:
        if Path("/sys/block/md7/md/array_state").exists():
            tool("mdadm", "--stop", "/dev/md7")


@guest_row("LVM physical volume with an active volume")
@contextlib.contextmanager
def _pv(blank: Blank, folder: Path) -> Iterator[State]:
    with _volume(blank) as disk:
        yield State(disk, "holder")


@guest_row("LVM physical volume, deactivated")
@contextlib.contextmanager
def _pv_off(blank: Blank, folder: Path) -> Iterator[State]:
    with _volume(blank) as disk:
        lvm("vgchange", "-an", "guardvg")
        yield State(disk, "signature", needs_name=True)


@contextlib.contextmanager
def _volume(blank: Blank) -> Iterator[str]:
    tool("modprobe", "dm-mod")
    with blank() as disk:
        lvm("pvcreate", "-y", disk)
        lvm("vgcreate", "guardvg", disk)
        lvm("lvcreate", "-y", "-Zn", "-Wn", "-n", "lv", "-l", "4", "guardvg")
        try:
            yield disk
        finally:
            lvm("vgchange", "-an", "guardvg")


@guest_row("a device-mapper device is built on it")
@contextlib.contextmanager
def _linear(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk, mapped("guardlinear", f"0 8192 linear {disk} 0"):
        yield State(disk, "holder")


@guest_row("reading it fails")
@contextlib.contextmanager
def _failing(blank: Blank, folder: Path) -> Iterator[State]:
    with mapped("guarderror", "0 131072 error") as path:
        yield State(path, "unseen")


@guest_row("path of a multipath device")
@contextlib.contextmanager
def _path(blank: Blank, folder: Path) -> Iterator[State]:
    with twins() as [one, two], multipath(one, two):
        yield State(one, "multipath")


@guest_row("the multipath device itself (a safe target)")
@contextlib.contextmanager
def _whole(blank: Blank, folder: Path) -> Iterator[State]:
    with twins() as [one, two], multipath(one, two) as path:
        yield State(path, "")


@guest_row("two paths to one disk, multipath not set up")
@contextlib.contextmanager
def _twin(blank: Blank, folder: Path) -> Iterator[State]:
    with twins() as [one, _]:
        yield State(one, "twin")


@contextlib.contextmanager
def mapped(name: str, table: str, *options: str) -> Iterator[str]:
    """Have a device-mapper device, with the link that udev would make."""
    tool("modprobe", "dm-mod")
    tool("dmsetup", "create", name, "--noudevrules", *options, "--table", table)
    words = ("--columns", "--noheadings", "--options", "blkdevname")
    node = tool("dmsetup", "info", *words, name)
    link = Path(f"/dev/mapper/{name}")
    if not link.exists():  # as udev would; lsblk shows no dm device without it
        link.symlink_to(f"../{node}")
    try:
        yield str(link)
    finally:
        tool("dmsetup", "remove", "--noudevrules", "--retry", name)
        link.unlink(missing_ok=True)


@contextlib.contextmanager
def multipath(one: str, two: str) -> Iterator[str]:
    """Have a multipath device of two paths, as multipathd makes it."""
    for module in ("dm-multipath", "dm-round-robin"):
        tool("modprobe", module)
    sectors = tool("blockdev", "--getsz", one)
    table = f"0 {sectors} multipath 0 0 1 1 round-robin 0 2 1 {one} 1000 {two} 1000"
    wwn = look(HOST, one).disk.identity.wwn.removeprefix("naa.")
    with mapped("guardpath", table, "--uuid", f"mpath-3{wwn}") as path:
        yield path


_SCSI = Path("/sys/bus/pseudo/drivers/scsi_debug")


@contextlib.contextmanager
def twins(number: int = 2) -> Iterator[list[str]]:
    """Have SCSI hosts that show the same disk, with one serial number and WWN."""
    (_SCSI / "vpd_use_hostno").write_text("0")
    try:
        with _hosts(number) as found:
            yield found
    finally:
        (_SCSI / "vpd_use_hostno").write_text("1")


@contextlib.contextmanager
def _hosts(number: int) -> Iterator[list[str]]:
    before = set(wait_for_disks(1))
    (_SCSI / "add_host").write_text(str(number))
    try:
        yield sorted(set(wait_for_disks(len(before) + number)) - before)
    finally:
        (_SCSI / "add_host").write_text(str(-number))


@guest_row("its raw SCSI device (sg), while it is mounted")
@contextlib.contextmanager
def _generic(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        tool("mkfs.ext4", "-q", disk)
        [raw] = Path(f"/sys/block/{Path(disk).name}/device/scsi_generic").iterdir()
        with mounted(disk, folder / "place"):
            yield State(f"/dev/{raw.name}", "mounted")


@guest_row("its raw SCSI device (bsg), while it is mounted")
@contextlib.contextmanager
def _bsg(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        tool("mkfs.ext4", "-q", disk)
        [raw] = Path(f"/sys/block/{Path(disk).name}/device/bsg").iterdir()
        with mounted(disk, folder / "place"):
            yield State(f"/dev/bsg/{raw.name}", "mounted")


@guest_row("open for writing by its raw SCSI device (sg)")
@contextlib.contextmanager
def _generic_open(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        [raw] = Path(f"/sys/block/{Path(disk).name}/device/scsi_generic").iterdir()
        with open_for_writing(f"/dev/{raw.name}"):
            yield State(disk, "open")


@guest_row("open for writing by its raw SCSI device (bsg)")
@contextlib.contextmanager
def _bsg_open(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk:
        [raw] = Path(f"/sys/block/{Path(disk).name}/device/bsg").iterdir()
        with open_for_writing(f"/dev/bsg/{raw.name}"):
            yield State(disk, "open")


@guest_row("it names itself otherwise than when it was found")
@contextlib.contextmanager
def _renamed(blank: Blank, folder: Path) -> Iterator[State]:
    numbers = _SCSI / "vpd_use_hostno"
    with blank() as disk:
        found = look(HOST, disk)
        armed = arm(disk, found, found.disk.word)
        numbers.write_text("0")
        try:
            yield State(disk, "unseen", armed)
        finally:
            numbers.write_text("1")


@guest_row("taken out and found again under the same name and WWN")
@contextlib.contextmanager
def _rescanned(blank: Blank, folder: Path) -> Iterator[State]:
    with blank() as disk, _hosts(1):  # which takes the first free name
        found = look(HOST, disk)
        armed = arm(disk, found, found.disk.word)
        device = Path(f"/sys/block/{Path(disk).name}/device").resolve()
        host = next(part for part in device.parts if part.startswith("host"))
        count = len(wait_for_disks(1))
        (device / "delete").write_text("1")
        Path(f"/sys/class/scsi_host/{host}/scan").write_text("- - -")
        wait_for_disks(count)
        yield State(disk, "changed", armed)
