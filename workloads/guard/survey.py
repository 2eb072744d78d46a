"""What a machine has in use: mounts in every namespace, swap, pools, open devices."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from instruments.errors import BenchError
from instruments.tools.hosts import Host, LocalHost
from workloads.guard.disk import Disk
from workloads.guard.nodes import (
    TIMEOUT_S,
    Node,
    list_disks,
    list_nodes,
    name_of,
    node_path,
    number_of,
)
from workloads.guard.scan import Loop, Mount, Scan, scan

_SYSTEM_PLACES = ("/", "/boot", "/boot/efi", "/usr", "/var", "/etc", "/home")


@dataclass(frozen=True, slots=True)
class Survey:
    """What one machine has in use, read once for any number of disks.

    Attributes:
        tables: What changes when something comes into use; see `Scan`.
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

    tables: frozenset[str]
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
    own = os.getpid() if isinstance(host, LocalHost) else 0
    found = scan(host, holder or own)
    nodes = list_nodes(host)
    blind = [*found.blind]
    lost = [
        path for number, path in found.swaps if not number and path.startswith("/dev/")
    ]
    blind += [f"the swap space {path} cannot be found" for path in lost]
    return Survey(
        tables=found.tables,
        mounts=found.mounts,
        swaps={number: path for number, path in found.swaps if number},
        system=frozenset(_system(nodes, found)),
        pools=_pools(host, blind),
        loops=found.loops,
        nodes=tuple(nodes),
        disks=tuple(list_disks(host, nodes)),
        writers=found.writers,
        held=found.held,
        blind=tuple(blind),
    )


def _system(nodes: list[Node], found: Scan) -> set[str]:
    """Find every device that the running system stands on, down to the disks."""
    system = [one for one in found.system if one.place in _SYSTEM_PLACES]
    # The source may be /dev/root or an overlay; the number tells the device.
    wanted = {number for number, _ in found.swaps} | {one.number for one in system}
    wanted |= {one.source for one in system}
    names: set[str] = set()
    for top in nodes:
        _stand_under(top, wanted - {""}, names)
    return names


def _stand_under(node: Node, wanted: set[str], names: set[str]) -> bool:
    """Add a device to the names where it, or anything that stands on it, is wanted."""
    own = {
        number_of(node),
        str(node["path"]),
        node_path(name_of(node)),
    }
    above = [_stand_under(one, wanted, names) for one in node.get("children") or ()]
    if is_under := bool(own & wanted) or any(above):
        names.add(name_of(node))
    return is_under


def _pools(host: Host, blind: list[str]) -> dict[str, str]:
    """Find the devices of imported ZFS pools; without ZFS there are none."""
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
