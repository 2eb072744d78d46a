"""Look at a disk through the kernel's eyes: what uses it, and what is on it."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from instruments.errors import BenchError
from instruments.foreign_text import MISSHAPEN, parsed_json
from instruments.hosts import Host
from workloads.guard.disk import Disk, Findings, Signature
from workloads.guard.nodes import (
    TIMEOUT_S,
    Node,
    find_disk,
    node_path,
    tree,
)
from workloads.guard.probe import try_device
from workloads.guard.survey import Survey, survey
from workloads.guard.twins import find_twins


def look(
    host: Host, path: str, seen: Survey | None = None, *, held: bool = False
) -> Findings:
    """Find out all that speaks against writing to a device.

    Args:
        host: The very machine that would write.
        path: How the device is named.
        seen: What the machine has in use, where that was just read.
        held: Whether we have the device for ourselves, so that trying it tells
            nothing.

    Raises:
        BadInput: There is no block device there.
        BenchError: The host cannot be asked.
    """
    disk, node = find_disk(host, path)
    seen = seen or survey(host)
    family = list(tree(node))
    own = [one for one in family if one is node or _is_part_of(one, disk)]
    blind = list(_left_out(host, disk))
    signatures = [s for one in own for s in _signatures(host, one, blind)]
    holders = sorted({h for one in own for h in _holders(host, one)})
    multipath = next((h for h in holders if _is_multipath(host, h)), "")
    numbers = {str(one.get("maj:min") or "").strip() for one in family}
    paths = {p for one in family for p in (str(one["path"]), f"/dev/{one['kname']}")}
    loops = {one.name for one in seen.loops if one.number in numbers}
    twins, alike = find_twins(host, disk, seen)
    found = Findings(
        disk,
        # Some file systems (btrfs) have numbers of their own: the source tells.
        mounts=_sorted(
            m.place for m in seen.mounts if m.number in numbers or m.source in paths
        ),
        swaps=_sorted(name for number, name in seen.swaps.items() if number in numbers),
        holders=_sorted({*holders, *loops} - {multipath}),
        multipath=multipath,
        twins=twins,
        alike=alike,
        signatures=tuple(dict.fromkeys(signatures)),  # zfs has one 64 times
        is_system=disk.name in seen.system,
        pools=_sorted(pool for device, pool in seen.pools.items() if device in paths),
        writers=_sorted(who for number, who in seen.writers if number in numbers),
        blind=(*seen.blind, *blind),
    )
    busy, unseen = try_device(host, disk.path, held=held)
    return replace(found, busy=busy, blind=(*found.blind, *unseen))


def _left_out(host: Host, disk: Disk) -> Iterator[str]:
    """See that every partition the kernel has is in what lsblk told."""
    name = disk.name.replace("/", "!")
    for entry in host.list_folder(f"/sys/class/block/{name}"):
        is_part = entry.startswith(name) and entry[len(name) :].strip("p").isdecimal()
        if is_part and entry.replace("!", "/") not in disk.partitions:
            yield f"lsblk does not show its partition {entry}"


def look_at_all(host: Host) -> Iterator[tuple[Disk, Findings | BenchError]]:
    """Look at every whole disk of a host; one that fails does not hide the others."""
    seen = survey(host)
    for disk in seen.disks:
        try:
            yield disk, look(host, disk.path, seen)
        except BenchError as error:
            yield disk, error


def _sorted(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(values)))


def _is_part_of(node: Node, disk: Disk) -> bool:
    return node.get("type") == "part" and node.get("pkname") == disk.name


def _signatures(host: Host, node: Node, blind: list[str]) -> Iterator[Signature]:
    path = node_path(str(node["kname"]))
    done = host.run(["wipefs", "-J", "--", path], TIMEOUT_S)
    try:
        found = parsed_json(done.stdout)["signatures"] if done.stdout.strip() else []
        types = {str(one["type"]) for one in found}
    except MISSHAPEN:
        found, types, done = [], set(), replace(done, code=1)
    if done.code:
        why = done.stderr.strip().splitlines()
        blind.append(f"{path} cannot be read ({why[-1] if why else done.code})")
    for one in found:
        if one["type"] == "PMBR" and "gpt" in types:  # it is a part of that
            continue
        label = str(one.get("label") or one.get("uuid") or "")
        yield Signature(str(node["kname"]), str(one["type"]), label)


def _holders(host: Host, node: Node) -> list[str]:
    name = str(node["kname"]).replace("/", "!")
    return host.list_folder(f"/sys/class/block/{name}/holders")


def _is_multipath(host: Host, holder: str) -> bool:
    path = f"/sys/class/block/{holder}/dm/uuid"
    return (host.read_many([path])[path] or "").startswith("mpath-")
