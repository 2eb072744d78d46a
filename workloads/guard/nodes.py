"""Block devices as the kernel lists them, and the way from any path to one of them."""

import contextlib
import errno
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from instruments.errors import BadInput, BenchError
from instruments.files.foreign_text import MISSHAPEN, parsed_json
from instruments.tools.hosts import Host
from workloads.guard.disk import Disk, DiskIdentity, unit_names

TIMEOUT_S = 20.0
# Without NAME there are no trees: everything would stand side by side.
_COLUMNS = (
    "NAME,KNAME,PATH,MAJ:MIN,SIZE,TYPE,RO,VENDOR,MODEL,SERIAL,WWN,TRAN,PKNAME,"
    "UUID,PTUUID"
)
_FACTS = {
    "diskseq": "diskseq",
    "backing": "loop/backing_file",
    "wwid": "device/wwid",
    "own wwid": "wwid",
    "uuid": "dm/uuid",
    "page 80": "device/vpd_pg80",
    "serial": "serial",
    "device serial": "device/serial",
    "vendor": "device/vendor",
    "model": "device/model",
    "nsid": "nsid",
    "nguid": "nguid",
    "eui": "eui",
    "nvme uuid": "uuid",
    "nqn": "device/subsysnqn",
}
_PAGES = (
    'for f; do [ -r "$f" ] && echo $f $(od -An -v -tx1 "$f" | tr -d " \\n"); done; :'
)
"""Prints VPD page 0x83 of disks, which is not text."""
_LINKS = "find /dev/disk/by-id -type l -printf '%f %l\\n' 2>/dev/null | sort"
_SLOTS = "ls -d /sys/class/block/*/device/enclosure_device:* 2>/dev/null; true"
_NVME_GENERIC = re.compile(r"ng(\d+n\d+)")
_NUMBER = re.compile(r"[0-9]{1,7}:[0-9]{1,7}")
_NVME_CONTROLLER = re.compile(r"nvme\d+")
_NO_SERIAL = re.compile(
    r"((.)\2*)?|0*1234(5(6(7(8(90?)?)?)?)?)?|0*123456789(0|a)[0-9a-f]*|abcdefg?h?"
    r"|0*deadbeef|none|null|n/a|unknown|default\w*|tobefilled.*|not(set|specified)"
    r"|notapplicable|(system)?serial(number|no)?"
)
"""What makers write where a serial number should be."""

Node = dict[str, Any]
"""A device as lsblk describes it, with what stands on it as "children"."""


def list_nodes(host: Host, *names: str) -> list[Node]:
    """List devices by the kernel's names, all where none is given.

    Raises:
        BenchError: The host or its lsblk cannot be asked.
    """
    paths = [node_path(name) for name in names]
    done = host.run(["lsblk", "-J", "-b", "-o", _COLUMNS, *paths], TIMEOUT_S)
    try:
        nodes: list[Node] = parsed_json(done.stdout)["blockdevices"]
        for node in (node for top in nodes for node in tree(top)):
            _check(node)
    except MISSHAPEN as error:
        if names and done.code and not done.stdout.strip():
            return []
        raise BenchError(
            f"lsblk gave no list of disks ({done.stderr.strip()[:100]})",
            where=host.name or "this machine",
            way_out="Check whether util-linux 2.33 or later is installed there.",
        ) from error
    return nodes


def _check(node: Node) -> None:
    """Check that a device has a name and plain values; raises one of MISSHAPEN."""
    int(node.get("size") or 0)
    if not isinstance(node["kname"], str) or any(
        isinstance(value, list | dict)
        for key, value in node.items()
        if key not in ("children", "mountpoints")
    ):
        raise TypeError(node)


def list_disks(host: Host, tops: list[Node] | None = None) -> list[Disk]:
    """List every whole block device of a host that has a capacity, without touching it.

    What `list_nodes` gave is taken where that was just asked.

    Raises:
        BenchError: The host or its lsblk cannot be asked.
    """
    tops = list_nodes(host) if tops is None else tops
    nodes = {str(node["kname"]): node for top in tops for node in tree(top)}
    sized = [node for node in nodes.values() if node.get("size")]
    disks = make_disks(host, sized, tops)
    return [disk for disk in disks if disk.is_whole and disk.identity.size > 0]


def find_disk(host: Host, path: str) -> Disk:
    """Find the device that a path leads to: through links, other nodes, raw devices.

    Raises:
        BadInput: There is no block device there.
        BenchError: The host cannot be asked.
    """
    return find_disks(host, [path])[0]


def find_disks(host: Host, paths: Sequence[str]) -> list[Disk]:
    """Find devices as `find_disk` does, and describe them all at once."""
    tops = list_nodes(host)
    nodes = [find_node(host, path, tops) for path in paths]
    return make_disks(host, nodes, tops)


def find_node(host: Host, path: str, tops: Sequence[Node]) -> Node:
    """Find the node that a path leads to among those that were just seen.

    Raises:
        BadInput: There is no block device there.
    """
    folder, number = device_number(host, path)
    every = [node for top in tops for node in tree(top)]
    name = "" if folder == "block" else kernel_name(host, path)
    for node in every:
        if name_of(node) == name or (not name and number_of(node) == number):
            return node
    # It came since, or has no capacity.
    nodes = list_nodes(host, name or kernel_name(host, path))
    if not nodes:
        raise _no_device(path)
    return nodes[0]


def kernel_name(host: Host, path: str) -> str:
    """Find the kernel's name of the block device that a path leads to.

    What counts is the device number, not the name of the node. Raw devices (sg, bsg,
    NVMe generic) are led back to the disk they belong to.

    Raises:
        BadInput: It leads to no block device, or to more than one.
    """
    folder, number = device_number(host, path)
    link = f"/sys/dev/{folder}/{number}"
    place = host.run(["readlink", "-e", link], TIMEOUT_S).stdout.strip()
    name = place.rpartition("/")[2]
    if not name:
        raise _no_device(path)
    return name if folder == "block" else _behind(host, path, place, name)


def device_number(host: Host, path: str) -> tuple[str, str]:
    """Find the number of the device that a path leads to.

    Returns:
        "block" or "char", and its number, such as "8:16".

    Raises:
        BadInput: It leads to no device.
    """
    # Links are resolved first, and what is not absolute is nobody's device.
    if not path.startswith("/"):
        raise _no_device(path)
    done = host.run(["stat", "-L", "-c", "%F:%t:%T", "--", path], TIMEOUT_S)
    kind, _, number = done.stdout.strip().partition(":")
    if done.code or not kind.endswith("special file"):
        raise _no_device(path)
    major, minor = (int(part, 16) for part in number.split(":"))
    return "block" if kind.startswith("block") else "char", f"{major}:{minor}"


def _behind(host: Host, path: str, place: str, name: str) -> str:
    """Lead a raw character device back to its disk."""
    found = host.list_folder(f"{place}/device/block")
    if match := _NVME_GENERIC.fullmatch(name):
        found = [f"nvme{match[1]}"]
    elif _NVME_CONTROLLER.fullmatch(name):
        nodes = host.list_folder("/sys/class/block")
        spaces = [one for one in nodes if re.fullmatch(rf"{name}n\d+", one)]
        raise BadInput(
            f"{name} is a controller with {len(spaces)} namespaces and no disk",
            where=path,
            way_out=f"Name one of {', '.join(spaces)}." if spaces else "Name a disk.",
        )
    if len(found) == 1 and found[0] in host.list_folder("/sys/class/block"):
        return found[0]
    raise BadInput(
        f"{name} is a raw device that leads to no disk",
        where=path,
        way_out="Name the disk itself, by a path below /dev/disk/by-id.",
    )


def _no_device(path: str) -> BadInput:
    return BadInput(
        "there is no block device",
        where=path,
        way_out="Choose one of the disks of this machine, by its path below "
        "/dev/disk/by-id.",
    )


def node_path(name: str) -> str:
    """Get the path of a kernel name; "!" stands for "/" in sysfs."""
    return f"/dev/{name.replace('!', '/')}"


def node_of(number: str) -> str:
    """Get the path of the block device of this machine that has a device number.

    Raises:
        OSError: There is none.
    """
    if not _NUMBER.fullmatch(number):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), number)
    return node_path(Path(f"/sys/dev/block/{number}").readlink().name)


def name_of(node: Node) -> str:
    """Get the kernel's name of a device, as sysfs has it."""
    return str(node["kname"]).replace("/", "!")


def number_of(node: Node) -> str:
    """Get the device number, such as "8:16"."""
    return str(node.get("maj:min") or "").strip()


def tree(node: Node) -> Iterator[Node]:
    """Go through a device and all that stands on it."""
    yield node
    for child in node.get("children") or ():
        yield from tree(child)


def make_disks(host: Host, nodes: Sequence[Node], tops: Sequence[Node]) -> list[Disk]:
    """Describe devices of those that there are; one round of questions for all."""
    names = [name_of(node) for node in nodes]
    wanted = [f"/sys/class/block/{n}/{file}" for n in names for file in _FACTS.values()]
    read = host.read_many(wanted)
    by_name = _links(host)
    slots = _slots(host)
    pages = _pages(host, names)
    serials = _serial_counts((*tops, *nodes))
    disks = []
    for name, node in zip(names, nodes, strict=True):
        base = f"/sys/class/block/{name}"
        facts = {
            key: (read.get(f"{base}/{file}") or "").strip()
            for key, file in _FACTS.items()
        }
        disk = _disk(node, name, facts, pages.get(name, ()))
        shares = serials[disk.identity.serial] > 1 and disk.identity.serial != ""
        links, slot = by_name.get(name, ()), slots.get(name, "")
        disks.append(replace(disk, links=links, slot=slot, shares_serial=shares))
    return disks


def _serial_counts(tops: Sequence[Node]) -> Counter[str]:
    """Count the disks that tell each serial number; one in two trees counts once."""
    every = {name_of(node): node for top in tops for node in tree(top)}.values()
    return Counter(_serial(n.get("serial")) for n in every if n.get("type") == "disk")


def _disk(
    node: Node, name: str, facts: Mapping[str, str], page_83: tuple[str, ...]
) -> Disk:
    parts = [one for one in node.get("children") or () if one.get("type") == "part"]
    uuids = [_text(one, key) for one in (node, *parts) for key in ("uuid", "ptuuid")]
    serial, serials = _serials(node, facts)
    wwn, wwns = _wwns(node, facts, page_83)
    size, diskseq = int(node.get("size") or 0), int(facts["diskseq"] or 0)
    return Disk(
        path=node_path(name),
        name=name,
        type=_text(node, "type"),
        identity=DiskIdentity(serial, wwn, size, diskseq, number_of(node)),
        model=_model(node, facts),
        transport=_text(node, "tran"),
        read_only=node.get("ro") in (True, 1, "1"),
        backing=facts["backing"],
        partitions=tuple(str(part["kname"]) for part in parts),
        serials=serials,
        wwns=wwns,
        uuids=_each(uuids),
    )


def _text(node: Node, key: str) -> str:
    """Get what lsblk tells; what it does not know is null."""
    return str(node.get(key) or "")


def _serials(node: Node, facts: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """Get the serial number of a disk, and every one that it or the kernel tells."""
    page_80 = facts["page 80"][4:] if facts["page 80"].startswith("\0") else ""
    # lsblk has it from udev; without it the kernel's own files tell, and VPD page 0x80
    # behind its four bytes of header (SPC-4).
    own = (facts["serial"], facts["device serial"], page_80)
    serial = node.get("serial") or next(filter(None, own), "")
    # The serial number is the controller's, all its namespaces have it.
    space = f" namespace {facts['nsid']}" if facts["nsid"] else ""
    every = filter(None, map(_serial, (serial, *own)))
    return _serial(serial), _each(f"{one}{space}" for one in every)


def _wwns(
    node: Node, facts: Mapping[str, str], page_83: tuple[str, ...]
) -> tuple[str, tuple[str, ...]]:
    """Get the WWN of a disk, and every name of its logical unit that is told."""
    wwn = node.get("wwn") or facts["wwid"] or facts["own wwid"]
    if facts["uuid"].startswith("mpath-"):
        wwn = facts["uuid"].removeprefix("mpath-")
    unit = [wwn, node.get("wwn"), *page_83]
    unit += [facts[key] for key in ("wwid", "own wwid", "nguid", "eui", "nvme uuid")]
    if facts["nqn"] and facts["nsid"]:
        unit.append(f"{facts['nqn']} namespace {facts['nsid']}")
    return _clean(wwn), _each(map(_clean, unit))


def _model(node: Node, facts: Mapping[str, str]) -> str:
    """Get maker and model; a maker that is a PCI number ("0x144d") says nothing."""
    words = [str(node.get(key) or facts[key]) for key in ("vendor", "model")]
    return " ".join(
        _clean(word) for word in words if word and not word.startswith("0x")
    )


def _serial(text: object) -> str:
    """Make a serial number fit to be typed; a placeholder is none."""
    shown = _clean(text)
    plain = re.sub(r"[\s_-]", "", shown.casefold())
    return "" if _NO_SERIAL.fullmatch(plain) else shown


def _each(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({text for text in texts if text}))


def _pages(host: Host, names: list[str]) -> dict[str, tuple[str, ...]]:
    """Read what disks call their logical units, by the kernel's names."""
    paths = [f"/sys/class/block/{name}/device/vpd_pg83" for name in names]
    done = host.run(["sh", "-c", _PAGES, "sh", *paths], TIMEOUT_S)
    found = {}
    for line in done.stdout.splitlines():
        path, _, digits = line.partition(" ")
        with contextlib.suppress(ValueError, IndexError):  # no answer of ours
            found[path.split("/")[4]] = unit_names(bytes.fromhex(digits))
    return found


def _clean(text: object) -> str:
    """Make what a device says of itself one line that can be typed and shown."""
    shown = "".join(mark if mark.isprintable() else " " for mark in str(text or ""))
    return " ".join(shown.split())


def _links(host: Host) -> dict[str, tuple[str, ...]]:
    """Find the stable names of devices; a WWN or serial before anything else."""
    found: dict[str, list[str]] = {}
    for line in host.run(["sh", "-c", _LINKS], TIMEOUT_S).stdout.splitlines():
        link, _, target = line.partition(" ")
        found.setdefault(target.rpartition("/")[2], []).append(
            f"/dev/disk/by-id/{link}"
        )
    return {name: tuple(sorted(links, key=_rank)) for name, links in found.items()}


def _rank(link: str) -> tuple[bool, str]:
    return "/wwn-" in link or "/nvme-eui." in link or "/lvm-pv" in link, link


def _slots(host: Host) -> dict[str, str]:
    """Find the slots that the kernel's ses driver knows disks to be in."""
    found = {}
    for line in host.run(["sh", "-c", _SLOTS], TIMEOUT_S).stdout.splitlines():
        before, _, slot = line.partition("/device/enclosure_device:")
        found[before.rpartition("/")[2]] = f"slot {slot.strip()}"
    return found
