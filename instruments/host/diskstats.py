"""What the kernel counts: completed transfers of block devices and of processes."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

Device = tuple[int, int]
"""Major and minor number of a block device."""

_SECTOR = 512  # /proc/diskstats counts these, whatever the device's own sector is
_NO_DISK = ("loop", "ram", "zram", "dm-", "md", "sr", "fd", "nbd")


@dataclass(frozen=True, slots=True)
class Transfers:
    """Completed transfers since some beginning, or a difference of two such counts.

    Attributes:
        reads: Number of reads.
        writes: Number of writes.
        read_bytes: Bytes read.
        written_bytes: Bytes written.
    """

    reads: int = 0
    writes: int = 0
    read_bytes: int = 0
    written_bytes: int = 0

    def __add__(self, other: Self) -> "Transfers":
        return Transfers(
            self.reads + other.reads,
            self.writes + other.writes,
            self.read_bytes + other.read_bytes,
            self.written_bytes + other.written_bytes,
        )

    def since(self, before: Self) -> "Transfers":
        """Get what was added; a counter that went back (a new device) adds nothing."""
        return Transfers(
            max(0, self.reads - before.reads),
            max(0, self.writes - before.writes),
            max(0, self.read_bytes - before.read_bytes),
            max(0, self.written_bytes - before.written_bytes),
        )

    def at_least(self, other: Self) -> "Transfers":
        """Get the greater of the two, count by count."""
        return Transfers(
            max(self.reads, other.reads),
            max(self.writes, other.writes),
            max(self.read_bytes, other.read_bytes),
            max(self.written_bytes, other.written_bytes),
        )


def disk_transfers(proc: Path = Path("/proc")) -> dict[Device, Transfers]:
    """Read the counts of every block device; empty where the kernel shows none."""
    try:
        lines = (proc / "diskstats").read_text().splitlines()
    except OSError:
        return {}
    transfers = {}
    for line in lines:
        fields = line.split()
        if len(fields) >= 11:
            transfers[int(fields[0]), int(fields[1])] = transfers_of(fields)
    return transfers


def transfers_of(fields: Sequence[str]) -> Transfers:
    """Read the counts of a line of /proc/diskstats (kernel's admin-guide/iostats)."""
    # Every second field from the fourth on; between them are merges and times.
    reads, sectors_read, writes, sectors_written = map(int, fields[3:10:2])
    return Transfers(reads, writes, sectors_read * _SECTOR, sectors_written * _SECTOR)


def process_transfers(name: str, proc: Path = Path("/proc")) -> dict[int, Transfers]:
    """Read what each process of a name has read and written, by process id.

    These are system calls of whatever kind of file; asynchronous ones (libaio) are
    not among them. Processes of other users are excluded.
    """
    wanted = f"{name}\n".encode()
    transfers = {}
    for process in _processes(proc):
        try:
            # Bytes, for a program may be called by any; and all are asked ten times a
            # second, for which paths and text would take twice as long.
            if _content(f"{proc}/{process}/comm") != wanted:
                continue
            lines = _content(f"{proc}/{process}/io").decode("ascii").splitlines()
        except OSError:
            continue  # It has ended meanwhile, or is not ours to see.
        counts = dict(line.split(": ") for line in lines)
        transfers[int(process)] = Transfers(
            int(counts["syscr"]),
            int(counts["syscw"]),
            int(counts["rchar"]),
            int(counts["wchar"]),
        )
    return transfers


def _processes(proc: Path) -> Iterable[str]:
    try:
        with os.scandir(proc) as found:
            return [each.name for each in found if each.name.isdecimal()]
    except OSError:
        return []


def _content(path: str) -> bytes:
    handle = os.open(path, os.O_RDONLY)
    try:
        return os.read(handle, 4096)
    finally:
        os.close(handle)


def device_beneath(path: Path) -> Device | None:
    """Find the block device that a file lies on, or that a device path is.

    A path that is not there yet counts as its nearest folder that is. A partition,
    LVM or RAID volume counts as itself. The device of Btrfs is found by its mount.

    Returns:
        None where there is no one device: tmpfs, overlay, network, ZFS.
    """
    path = path.expanduser().absolute()
    while not path.exists():
        path = path.parent
    status = path.stat()
    if path.is_block_device():
        return os.major(status.st_rdev), os.minor(status.st_rdev)
    device = os.major(status.st_dev), os.minor(status.st_dev)
    # Major 0 are numbers that the kernel invents for file systems without one device.
    if device[0] != 0:
        return device
    return _mounted_from(device)


def _mounted_from(anonymous: Device) -> Device | None:
    """Find the device that a file system without its own number came from."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    except OSError:
        return None
    wanted = f"{anonymous[0]}:{anonymous[1]}"
    for line in mounts:
        # After " - " stand type and source (proc_pid_mountinfo(5)).
        fields, _, rest = line.partition(" - ")
        if fields.split()[2] != wanted:
            continue
        source = Path(rest.split()[1])
        if source.is_block_device():
            number = source.stat().st_rdev
            return os.major(number), os.minor(number)
    return None


def whole_disks(sys: Path = Path("/sys")) -> frozenset[Device]:
    """List the disks that are hardware: no partitions, no loops, no volumes on them."""
    devices = set()
    for path in (sys / "block").glob("*/dev"):
        if not path.parent.name.startswith(_NO_DISK):
            major, _, minor = path.read_text().strip().partition(":")
            devices.add((int(major), int(minor)))
    return frozenset(devices)
