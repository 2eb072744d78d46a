"""Look at a disk through the kernel's eyes: sysfs, mount tables, signatures."""

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

from instruments.errors import BadInput, BenchError
from instruments.hosts import Host
from workloads.guard.disk import Disk, DiskIdentity, Findings, Signature

TIMEOUT_S = 20.0
_SYSTEM_PLACES = ("/", "/boot", "/boot/efi", "/usr", "/var", "/etc", "/home")
_MOUNT_TABLES = "cat /proc/[0-9]*/mountinfo 2>/dev/null | sort -u"
Node = dict[str, Any]


def list_disks(host: Host) -> list[Disk]:
    """List every whole block device of a host, without touching it.

    Raises:
        BenchError: The host or its lsblk cannot be asked.
    """
    nodes = _lsblk(host)
    disks = [_disk(host, node) for node in nodes if node.get("size")]
    return [disk for disk in disks if disk.is_whole]


def find_disk(host: Host, path: str) -> Disk:
    """Find the device that a path leads to, through all its links.

    Raises:
        BadInput: There is no block device there.
        BenchError: The host cannot be asked.
    """
    real = host.run(["readlink", "-e", "--", path], TIMEOUT_S).stdout.strip()
    nodes = _lsblk(host, real) if real else []
    if not nodes:
        raise BadInput(
            "there is no block device",
            where=path,
            way_out="List the disks, or give a path below /dev/disk/by-id.",
        )
    return _disk(host, nodes[0])


def look(host: Host, path: str) -> Findings:
    """Find out all that speaks against writing to a device.

    Raises:
        BadInput: There is no block device there.
        BenchError: The host cannot be asked.
    """
    disk = find_disk(host, path)
    [node] = _lsblk(host, disk.path)
    family = list(_family(node))
    own = [one for one in family if one["name"] == disk.name or _is_part_of(one, disk)]
    blind: list[str] = []
    signatures = [s for one in own for s in _signatures(host, one["path"], blind)]
    holders = sorted({h for one in own for h in _holders(host, disk, one["name"])})
    multipath = next((h for h in holders if _is_multipath(host, h)), "")
    return Findings(
        disk,
        mounts=tuple(_mounts(host, family, blind)),
        swaps=tuple(_swaps(host, family)),
        holders=tuple(h for h in holders if h != multipath),
        multipath=multipath,
        twins=tuple(_twins(host, disk)),
        signatures=tuple(signatures),
        is_system=disk.name in _system_disks(host),
        pools=tuple(_pools(host, family)),
        blind=tuple(blind),
    )


def _lsblk(host: Host, *paths: str) -> list[Node]:
    done = host.run(["lsblk", "-J", "-b", "-O", *paths], TIMEOUT_S)
    try:
        nodes = json.loads(done.stdout)["blockdevices"]
    except (ValueError, KeyError) as error:
        if paths:  # lsblk says on stderr that it is no block device
            return []
        raise BenchError(
            f"lsblk gave no list of disks ({done.stderr.strip()[:100]})",
            where=host.name or "this machine",
            way_out="See whether util-linux 2.33 or later is installed there.",
        ) from error
    return [node for node in nodes if isinstance(node, dict)]


def _disk(host: Host, node: Node) -> Disk:
    name = str(node.get("kname") or node["name"])
    base = f"/sys/class/block/{name}"
    wanted = {
        "diskseq": f"{base}/diskseq",
        "backing": f"{base}/loop/backing_file",
        "wwid": f"{base}/device/wwid",
        "uuid": f"{base}/dm/uuid",
    }
    read = host.read_many(list(wanted.values()))
    facts = {key: (read[path] or "").strip() for key, path in wanted.items()}
    wwn = str(node.get("wwn") or facts["wwid"] or "")
    if facts["uuid"].startswith("mpath-"):
        wwn = facts["uuid"].removeprefix("mpath-")
    words = (node.get("vendor"), node.get("model"))
    return Disk(
        path=f"/dev/{name}",
        name=name,
        type=str(node.get("type") or ""),
        identity=DiskIdentity(
            serial=str(node.get("serial") or "").strip(),
            wwn=wwn.strip(),
            size=int(node.get("size") or 0),
            diskseq=int(facts["diskseq"] or 0),
            number=str(node.get("maj:min") or "").strip(),
        ),
        model=" ".join(str(word).strip() for word in words if word),
        transport=str(node.get("tran") or ""),
        read_only=bool(node.get("ro")),
        backing=facts["backing"],
        partitions=tuple(
            str(child["name"])
            for child in node.get("children", ())
            if child.get("type") == "part"
        ),
    )


def _family(node: Node) -> Iterator[Node]:
    """Go through a device and all that stands on it."""
    yield {**node, "name": str(node.get("kname") or node["name"])}
    for child in node.get("children", ()):
        yield from _family(child)


def _is_part_of(node: Node, disk: Disk) -> bool:
    return node.get("type") == "part" and node.get("pkname") == disk.name


def _signatures(host: Host, path: str, blind: list[str]) -> Iterator[Signature]:
    done = host.run(["wipefs", "-J", "--", path], TIMEOUT_S)
    if done.code:
        why = done.stderr.strip().splitlines()
        blind.append(f"{path} cannot be read ({why[-1] if why else done.code})")
        return
    found = json.loads(done.stdout)["signatures"] if done.stdout.strip() else []
    for one in found:
        label = str(one.get("label") or one.get("uuid") or "")
        yield Signature(os.path.basename(path), str(one["type"]), label)  # noqa: PTH119


def _holders(host: Host, disk: Disk, name: str) -> list[str]:
    place = disk.name if name == disk.name else f"{disk.name}/{name}"
    return host.list_folder(f"/sys/class/block/{place}/holders")


def _is_multipath(host: Host, holder: str) -> bool:
    path = f"/sys/class/block/{holder}/dm/uuid"
    return (host.read_many([path])[path] or "").startswith("mpath-")


def _mounts(host: Host, family: Iterable[Node], blind: list[str]) -> list[str]:
    """Find where a device or what stands on it is mounted, in every namespace."""
    numbers = {str(one.get("maj:min") or "").strip() for one in family}
    paths = {str(one["path"]) for one in family}
    text = host.run(["sh", "-c", _MOUNT_TABLES], TIMEOUT_S).stdout
    if not text.strip():
        blind.append("the mount tables below /proc cannot be read")
    places = set()
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if len(fields) < 5 or len(kind) < 2:
            continue
        # Some file systems (btrfs) have numbers of their own: the source tells.
        if fields[2] in numbers or kind[1] in paths:
            places.add(fields[4])
    return sorted(places)


def _swaps(host: Host, family: Iterable[Node]) -> list[str]:
    lines = host.read_text("/proc/swaps").splitlines()[1:]
    used = {line.split()[0] for line in lines if line.strip()}
    names = {(str(one["path"]), f"/dev/{one['name']}") for one in family}
    return sorted({path for pair in names for path in pair if path in used})


def _twins(host: Host, disk: Disk) -> list[str]:
    own = disk.identity
    if disk.type != "disk" or not (own.wwn or own.serial):
        return []
    done = host.run(["lsblk", "-J", "-d", "-o", "KNAME,TYPE,WWN,SERIAL"], TIMEOUT_S)
    found = []
    for node in json.loads(done.stdout)["blockdevices"]:
        same = (node.get("wwn") or "") == own.wwn if own.wwn else True
        same = same and (node.get("serial") or "").strip() == own.serial
        if same and node.get("type") == "disk" and node["kname"] != disk.name:
            found.append(str(node["kname"]))
    return sorted(found)


def _system_disks(host: Host) -> set[str]:
    """Find every device that the running system stands on, down to the disks."""
    sources = [line.split()[0] for line in host.read_text("/proc/swaps").splitlines()]
    for line in host.read_text("/proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        if before.split()[4] in _SYSTEM_PLACES:
            sources.append(after.split()[1])
            # The source may be /dev/root or an overlay; the number tells the device.
            sysfs = f"/sys/dev/block/{before.split()[2]}"
            found = host.run(["readlink", "-e", sysfs], TIMEOUT_S).stdout.strip()
            sources.append(f"/dev/{os.path.basename(found)}" if found else "")  # noqa: PTH119
    names: set[str] = set()
    for source in {one for one in sources if one.startswith("/dev/")}:
        done = host.run(["lsblk", "-s", "-n", "-l", "-o", "KNAME", source], TIMEOUT_S)
        names.update(done.stdout.split())
    return names


def _pools(host: Host, family: Iterable[Node]) -> list[str]:
    """Find imported ZFS pools that stand on a device; no ZFS is no pool."""
    try:
        text = host.run(["zpool", "status", "-P", "-L"], TIMEOUT_S).stdout
    except BenchError:
        return []
    paths = {f"/dev/{one['name']}" for one in family}
    pool, found = "", []
    for line in text.splitlines():
        words = line.split()
        if len(words) == 2 and words[0] == "pool:":
            pool = words[1]
        elif words and words[0] in paths:
            found.append(pool)
    return sorted(set(found))
