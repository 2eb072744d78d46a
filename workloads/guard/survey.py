"""What a machine has in use: mounts in every namespace, swap, pools, open devices."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from instruments.errors import BenchError
from instruments.hosts import Host, LocalHost
from workloads.guard.disk import Disk
from workloads.guard.nodes import TIMEOUT_S, Node, list_disks, list_nodes
from workloads.guard.probe import probe

_SYSTEM_PLACES = ("/", "/boot", "/boot/efi", "/usr", "/var", "/etc", "/home")
_BTRFS = "ls -d /sys/fs/btrfs/*/devices/* 2>/dev/null; true"
_MOUNT_TABLES = "cat /proc/[0-9]*/mountinfo 2>/dev/null | sort -u"


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of a mount table: device number, source and place."""

    number: str
    source: str
    place: str


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop device: its name, and the number of the device or the file behind it."""

    name: str
    number: str
    file: str


@dataclass(frozen=True, slots=True)
class Survey:
    """What one machine has in use, read once for any number of disks.

    Attributes:
        mounts: All mounts of all namespaces that a process lives in.
        swaps: Device numbers of swap space in use, with its name.
        system: Kernel names of all devices that the running system stands on.
        pools: Devices of imported ZFS pools, with the pool's name.
        loops: Loop devices and what is behind them.
        nodes: The devices that stand on no other, with all that stands on them.
        disks: All whole disks that it has.
        writers: Pairs of device number and program that has it open for writing.
        held: Device numbers of what the process that holds disks for us has open.
        blind: What could not be looked at, and why.
    """

    mounts: tuple[Mount, ...]
    swaps: Mapping[str, str]
    system: frozenset[str]
    pools: Mapping[str, str]
    loops: tuple[Loop, ...]
    nodes: tuple[Node, ...]
    disks: tuple[Disk, ...]
    writers: tuple[tuple[str, str], ...]
    held: frozenset[str] = frozenset()
    blind: tuple[str, ...] = ()


def survey(host: Host, holder: int = 0) -> Survey:
    """Look at everything on a machine that may use a disk.

    Args:
        host: The machine.
        holder: Process that holds a disk for us, which speaks against nothing; 0
            where we do that ourselves, or nobody does.

    Raises:
        BenchError: The machine cannot be asked.
    """
    blind: list[str] = []
    tables = host.run(["sh", "-c", _MOUNT_TABLES], TIMEOUT_S).stdout
    mounts = parse_mounts(tables)
    if not mounts:
        blind.append("the mount tables below /proc cannot be read")
    mounts += _btrfs(host)
    swaps = _swaps(host, blind)
    own = os.getpid() if isinstance(host, LocalHost) else 0
    probed = probe(host, holder or own, "scan")
    if probed.trouble:
        blind.append(probed.trouble)
    nodes = list_nodes(host)
    return Survey(
        mounts=mounts,
        swaps=swaps,
        system=_system(host, mounts, swaps),
        pools=_pools(host, blind),
        loops=tuple(Loop(*one) for one in probed.loops),
        nodes=tuple(nodes),
        disks=tuple(list_disks(host, nodes)),
        writers=probed.writers,
        held=frozenset(probed.held),
        blind=tuple(blind),
    )


def parse_mounts(text: str) -> tuple[Mount, ...]:
    """Read lines of /proc/PID/mountinfo (proc(5)); unfit lines are left out."""
    found = []
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if len(fields) >= 5 and len(kind) >= 2:
            found.append(Mount(fields[2], kind[1], fields[4]))
    return tuple(found)


def _btrfs(host: Host) -> tuple[Mount, ...]:
    """Find all devices of mounted btrfs; a mount table names one of each."""
    found = host.run(["sh", "-c", _BTRFS], TIMEOUT_S).stdout.splitlines()
    parts = [line.split("/") for line in found]
    return tuple(Mount("", f"/dev/{one[6]}", f"btrfs {one[4]}") for one in parts)


def _swaps(host: Host, blind: list[str]) -> dict[str, str]:
    text = host.read_many(["/proc/swaps"])["/proc/swaps"]
    if text is None:
        blind.append("/proc/swaps cannot be read")
        return {}
    found = {}
    for line in text.splitlines()[1:]:
        path = line.split()[0] if line.strip() else ""
        if path and (number := _number(host, path)):
            found[number] = path
    return found


def _number(host: Host, path: str) -> str:
    done = host.run(["stat", "-L", "-c", "%F:%t:%T", "--", path], TIMEOUT_S)
    kind, _, number = done.stdout.strip().partition(":")
    if done.code or not kind.startswith("block"):
        return ""
    major, minor = (int(part, 16) for part in number.split(":"))
    return f"{major}:{minor}"


def _system(
    host: Host, mounts: tuple[Mount, ...], swaps: Mapping[str, str]
) -> frozenset[str]:
    """Find every device that the running system stands on, down to the disks."""
    own = host.read_many(["/proc/self/mountinfo"])["/proc/self/mountinfo"]
    seen = parse_mounts(own) if own else mounts
    system = [mount for mount in seen if mount.place in _SYSTEM_PLACES]
    # The source may be /dev/root or an overlay; the number tells the device.
    numbers = {*swaps, *(mount.number for mount in system)}
    sources = {mount.source for mount in system if mount.source.startswith("/dev/")}
    names: set[str] = set()
    for number in sorted(numbers):
        link = host.run(["readlink", "-e", f"/sys/dev/block/{number}"], TIMEOUT_S)
        if name := link.stdout.strip().rpartition("/")[2]:
            sources.add(f"/dev/{name.replace('!', '/')}")
    for source in sorted(sources):
        done = host.run(["lsblk", "-s", "-n", "-l", "-o", "KNAME", source], TIMEOUT_S)
        names.update(done.stdout.split())
    return frozenset(names)


def _pools(host: Host, blind: list[str]) -> dict[str, str]:
    """Find the devices of imported ZFS pools; no ZFS is no pool."""
    try:
        done = host.run(["zpool", "status", "-P", "-L"], TIMEOUT_S)
    except BenchError:
        return {}
    if done.code and "module" not in done.stderr:
        blind.append(f"zpool does not say what it has ({done.stderr.strip()[:80]})")
    return parse_pools(done.stdout)


def parse_pools(text: str) -> dict[str, str]:
    """Read `zpool status -P -L`: which device belongs to which pool."""
    pool, found = "", {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 2 and words[0] == "pool:":
            pool = words[1]
        elif words and words[0].startswith("/dev/"):
            found[words[0]] = pool
    return found
