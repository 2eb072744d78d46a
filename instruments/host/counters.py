"""What the kernel counts since the machine started: processors, networks, disks."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from instruments.host.diskstats import Transfers, transfers_of

# Loopback, containers, bridges and guests: their bytes go through hardware as well, and
# would count twice, or through none.
_NO_NETWORK = ("lo", "veth", "docker", "br-", "virbr", "vnet", "ifb", "dummy", "cni")
# Volumes on other disks, and the paths of an NVMe subsystem, would count twice.
_NO_DISK = re.compile(r"(loop|ram|zram|dm-|md|sr|fd|nbd)\d|nvme\d+c\d+n\d+")
# Milliseconds after which the kernel's busy time of a disk begins again at zero: it
# prints an unsigned int.
_CLOCK_MS = 1 << 32


@dataclass(frozen=True, slots=True)
class Processor:
    """Time of one processor, or of all, in ticks.

    Attributes:
        total: All of it.
        idle: With nothing to do, or nothing but to wait for I/O.
        waiting: The part of `idle` with I/O outstanding.
    """

    total: int
    idle: int
    waiting: int


@dataclass(frozen=True, slots=True)
class Disk:
    """What a block device has done.

    Attributes:
        transfers: Completed reads and writes and their bytes.
        busy_ms: Time with any request at work.
    """

    transfers: Transfers
    busy_ms: int


def processors(stat: str) -> dict[str, Processor]:
    """Read /proc/stat (proc_stat(5)): "cpu" is all, "cpu0" one."""
    processors = {}
    for line in stat.splitlines():
        name, *fields = line.split()
        # user, nice, system, idle, iowait, irq, softirq, steal; guest times follow, and
        # are in user and nice already.
        if name.startswith("cpu") and len(fields) >= 7:
            times = [int(field) for field in fields[:8]]
            processors[name] = Processor(sum(times), times[3] + times[4], times[4])
    return processors


def networks(dev: str) -> dict[str, tuple[int, int]]:
    """Read /proc/net/dev: bytes received and sent, by interface."""
    counts = {}
    for line in dev.splitlines():
        name, colon, rest = line.rpartition(":")
        fields = rest.split()
        if colon and len(fields) >= 9:  # eight numbers received, then those sent
            counts[name.strip()] = int(fields[0]), int(fields[8])
    return counts


def disks(diskstats: str) -> dict[str, Disk]:
    """Read /proc/diskstats (kernel's admin-guide/iostats), by kernel name."""
    counts = {}
    for line in diskstats.splitlines():
        fields = line.split()
        if len(fields) >= 14:
            counts[fields[2]] = Disk(transfers_of(fields), int(fields[12]))
    return counts


def usual_networks(names: Iterable[str]) -> list[str]:
    """Choose interfaces that are likely hardware: no loopback, bridges, containers."""
    return sorted(name for name in names if not name.startswith(_NO_NETWORK))


def usual_disks(names: Iterable[str]) -> list[str]:
    """Choose whole disks out of the names in /sys/block: no loops, no volumes."""
    return sorted(
        (name for name in names if not _NO_DISK.match(name)),
        key=lambda name: (len(name), name),
    )


def busy_share(before: Disk, after: Disk, seconds: float) -> float | None:
    """Get the share of the time that a disk was busy, 0 to 1; None after a reset."""
    added = after.busy_ms - before.busy_ms
    if added < 0:
        added += _CLOCK_MS
    share = added / 1000 / seconds
    # The kernel counts in ticks of up to 10 ms; more than that is a new device.
    return min(share, 1.0) if added <= seconds * 1000 + 50 else None


def memory_available(meminfo: str) -> float | None:
    """Get the share of memory that programs could have, 0 to 1; None if not known."""
    sizes = dict(re.findall(r"^(\w+):\s+(\d+) kB$", meminfo, re.MULTILINE))
    try:
        return int(sizes["MemAvailable"]) / int(sizes["MemTotal"])
    except (KeyError, ZeroDivisionError):
        return None
