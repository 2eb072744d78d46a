"""Look at a disk through the kernel's eyes: what uses it, and what is on it."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from instruments.errors import BenchError
from instruments.files.foreign_text import MISSHAPEN, parsed_json
from instruments.tools.hosts import Host
from workloads.guard.disk import Disk, Findings, Signature
from workloads.guard.nodes import (
    TIMEOUT_S,
    Node,
    find_node,
    make_disks,
    name_of,
    node_path,
    number_of,
    tree,
)
from workloads.guard.probe import try_devices
from workloads.guard.survey import Survey, survey
from workloads.guard.twins import Twins, find_twins


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
    [found] = look_together(host, [path], seen, held=held)
    return found


def look_together(
    host: Host, paths: Sequence[str], seen: Survey | None = None, *, held: bool = False
) -> list[Findings]:
    """Look at the devices of one load; see `look`.

    All are read at once, by a few programs and one more for each name.

    Raises:
        BadInput: One is not a block device.
        BenchError: The host cannot be asked.
    """
    seen = seen or survey(host)
    found = [_find(host, path, seen) for path in paths]
    disks = [disk for disk, _ in found]
    twins = find_twins(host, disks, seen)
    used = [_used(host, disk, node, seen, twins[disk.name]) for disk, node in found]
    parts = {node_path(str(p["kname"])): p for d, n in found for p in _own(d, n)}
    signatures = _signatures(host, list(parts))
    # What is seen to use a disk will not let go of it in a moment.
    settle = not all(one.is_used for one in used)
    tried = try_devices(host, [d.path for d in disks], held=held, settle=settle)
    whole = []
    for (disk, node), one in zip(found, used, strict=True):
        busy, unseen = tried[disk.path]
        read = [signatures[node_path(str(part["kname"]))] for part in _own(disk, node)]
        traced = _with_traces(replace(one, busy=busy), read)
        whole.append(replace(traced, blind=(*traced.blind, *unseen)))
    return whole


def _with_traces(
    found: Findings, read: Sequence[tuple[list[Signature], str]]
) -> Findings:
    """Add what was read of a device and its partitions, and what could not be."""
    traces = [trace for part, _ in read for trace in part]
    return replace(
        found,
        signatures=tuple(dict.fromkeys(traces)),  # zfs has one 64 times
        blind=(*found.blind, *(why for _, why in read if why)),
    )


def _find(host: Host, path: str, seen: Survey) -> tuple[Disk, Node]:
    """Find the device that a path leads to among those that were just seen."""
    node = find_node(host, path, seen.nodes)
    by_name = {disk.name: disk for disk in seen.disks}
    if disk := by_name.get(name_of(node)):
        return disk, node
    return make_disks(host, [node], seen.nodes)[0], node


def _own(disk: Disk, node: Node) -> list[Node]:
    """List a device and its partitions."""
    return [one for one in tree(node) if one is node or _is_part_of(one, disk)]


def _used(host: Host, disk: Disk, node: Node, seen: Survey, twins: Twins) -> Findings:
    """Say what the survey tells of a device and all that stands on it."""
    family = list(tree(node))
    holders = sorted({h for one in _own(disk, node) for h in _holders(host, one)})
    multipath = next((h for h in holders if _is_multipath(host, h)), "")
    numbers = {number_of(one) for one in family}
    paths = {p for one in family for p in (str(one["path"]), f"/dev/{one['kname']}")}
    loops = _on_any(((loop.number, loop.name) for loop in seen.loops), numbers)
    return Findings(
        disk,
        mounts=_mounts(seen, numbers, paths),
        swaps=_on_any(seen.swaps.items(), numbers),
        holders=_sorted({*holders, *loops} - {multipath}),
        multipath=multipath,
        twins=twins.same,
        alike=twins.alike,
        is_system=disk.name in seen.system,
        pools=_on_any(seen.pools.items(), paths),
        writers=_on_any(seen.writers, numbers),
        blind=(*seen.blind, *_left_out(host, disk)),
    )


def _on_any(
    uses: Iterable[tuple[str, str]], devices: Container[str]
) -> tuple[str, ...]:
    """Get what uses any of some devices, of pairs of a device and its use."""
    return _sorted(use for device, use in uses if device in devices)


def _mounts(
    seen: Survey, numbers: Container[str], paths: Container[str]
) -> tuple[str, ...]:
    # Some file systems (btrfs) have their own numbers: the source tells.
    return _sorted(
        m.place for m in seen.mounts if m.number in numbers or m.source in paths
    )


def _left_out(host: Host, disk: Disk) -> Iterator[str]:
    """Check that every partition the kernel has is in what lsblk told."""
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


def _signatures(
    host: Host, paths: Sequence[str]
) -> dict[str, tuple[list[Signature], str]]:
    """Read the traces of data on devices, and why one could not be read."""
    done = host.run(["wipefs", "-J", "--", *paths], TIMEOUT_S)
    if done.code and len(paths) > 1:  # of none, if it cannot read one of them
        return {path: _signatures(host, [path])[path] for path in paths}
    try:
        found = parsed_json(done.stdout)["signatures"] if done.stdout.strip() else []
        traces = [(_on(one, paths), str(one["type"]), one) for one in found]
    except MISSHAPEN:
        traces, done = [], replace(done, code=1)
    why = (
        (done.stderr.strip().splitlines() or [str(done.code)])[-1] if done.code else ""
    )
    signatures: dict[str, tuple[list[Signature], str]] = {}
    for path in paths:
        own = [(kind, one) for device, kind, one in traces if device == path]
        unread = f"{path} cannot be read ({why})" if why else ""
        signatures[path] = _without_pmbr(path, own), unread
    return signatures


def _without_pmbr(
    path: str, traces: Sequence[tuple[str, Mapping[str, object]]]
) -> list[Signature]:
    """Make the signatures of a device; the protective MBR is a part of its GPT."""
    name = path.removeprefix("/dev/")
    has_gpt = any(kind == "gpt" for kind, _ in traces)
    return [
        Signature(name, kind, str(one.get("label") or one.get("uuid") or ""))
        for kind, one in traces
        if kind != "PMBR" or not has_gpt
    ]


def _on(trace: Mapping[str, object], paths: Sequence[str]) -> str:
    """Find out which of some devices a trace of wipefs is on; raises ValueError."""
    if len(paths) == 1:
        return paths[0]
    [path] = (one for one in paths if one.endswith(f"/{trace.get('device')}"))
    return path


def _holders(host: Host, node: Node) -> list[str]:
    name = name_of(node)
    return host.list_folder(f"/sys/class/block/{name}/holders")


def _is_multipath(host: Host, holder: str) -> bool:
    path = f"/sys/class/block/{holder}/dm/uuid"
    return (host.read_many([path])[path] or "").startswith("mpath-")
