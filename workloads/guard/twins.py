"""Whether two nodes are one disk: by all that they tell, then by what is on them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import Enum

from instruments.hosts import Host
from workloads.guard.content import Content, compare, read_blocks
from workloads.guard.disk import Disk
from workloads.guard.nodes import Node, node_path, tree
from workloads.guard.probe import try_device
from workloads.guard.survey import Survey

_MOST_PATHS = 8
"""A serial number or WWN on more nodes than this is a maker's and no disk's."""

_ONE_PORT = ("usb", "sata", "ata", "mmc", "spi")
"""Transports without a second path: two nodes there seldom are one disk."""

_WWN_HEAD = re.compile(r"^(0x|naa\.|eui\.|uuid\.|nvme\.|wwn-)+")


class Likeness(Enum):
    """What two nodes tell of themselves."""

    ONE = "one disk"
    LIKELY = "one disk until their contents show the opposite"
    CLAIMED = "one disk by one mark, two by another"
    OPEN = "it may be one disk or two"
    APART = "two disks, unless their contents are equal"


def find_twins(
    host: Host, disk: Disk, seen: Survey
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Find other ways to the disks that a device stands on.

    Disks that nothing needs to be known of are not read: it would wake them.

    Returns:
        Names of those that are the same disk, and those that may be and must not be
        written to, each with its reason.
    """
    known = {one.name: one for one in seen.disks} | {disk.name: disk}
    under = [n for n in seen.nodes if disk.name in (str(c["kname"]) for c in tree(n))]
    own = [known.get(str(node["kname"]), disk) for node in under] or [disk]
    names = {one.name for one in own}
    others = [
        (node, known[str(node["kname"])])
        for node in seen.nodes
        if str(node["kname"]) not in names and str(node["kname"]) in known
    ]
    sure, maybe = set(), []
    marks = _Marks([*own, *(other for _, other in others)], seen)
    for one in own:
        for node, other in others:
            like = marks.compare(one, other, node)
            use = _use(node, seen)
            if like is Likeness.ONE:
                sure.add(other.name)
            elif like is not Likeness.APART or use or set(one.uuids) & {*other.uuids}:
                maybe.append((one, other, like, use))
    paths = {d.path for one, other, *_ in maybe for d in (one, other)}
    blocks = read_blocks(host, sorted(paths))
    alike = {}
    for one, other, like, use in maybe:
        content = compare(blocks.get(one.path, {}), blocks.get(other.path, {}))
        if content is Content.DIFFERENT or other.name in sure:
            continue
        has_mark = like in (Likeness.LIKELY, Likeness.CLAIMED)
        if has_mark and content is Content.EQUAL:
            sure.add(other.name)
        elif like is Likeness.LIKELY:
            alike[other.name] = "nothing on them tells them apart"
        elif (like is not Likeness.APART or content is Content.EQUAL) and (
            reason := use or _claimed(host, other, seen)
        ):
            alike[other.name] = reason
    told = [f"{name} ({why})" for name, why in alike.items() if name not in sure]
    return tuple(sorted(sure)), tuple(sorted(told))


class _Marks:
    """Compares what disks tell of themselves; what too many of them tell is nothing."""

    def __init__(self, disks: list[Disk], seen: Survey) -> None:
        self._files = {loop.name: loop for loop in seen.loops}
        self._serials = _rare(set(_serials(disk)) for disk in disks)
        self._wwns = _rare(set(_wwns(disk)) for disk in disks)

    def compare(self, one: Disk, other: Disk, node: Node) -> Likeness:
        mine, its = self._files.get(one.name), self._files.get(other.name)
        if mine or its:
            numbers = {str(part.get("maj:min") or "").strip() for part in tree(node)}
            on_it = mine is not None and mine.number in numbers - {""}
            same = mine is not None and its is not None and mine.file == its.file
            return Likeness.ONE if on_it or same else Likeness.APART
        serial = _common(_serials(one), _serials(other), self._serials)
        wwn = _common(_wwns(one), _wwns(other), self._wwns)
        size = one.identity.size == other.identity.size
        same = size and one.model.casefold() == other.model.casefold()
        several = not {one.transport, other.transport} & {*_ONE_PORT}
        if serial and several and (wwn or same):
            return Likeness.ONE if wwn else Likeness.LIKELY
        if wwn and serial is None:
            return Likeness.LIKELY
        if serial or wwn:
            return Likeness.CLAIMED if several else Likeness.OPEN
        # WWNs may be of ports, and so tell nothing where they differ.
        return Likeness.OPEN if same and serial is None else Likeness.APART


def _rare(told: Iterable[set[str]]) -> frozenset[str]:
    counts = Counter(mark for marks in told for mark in marks)
    return frozenset(mark for mark, count in counts.items() if count <= _MOST_PATHS)


def _common(
    one: Iterable[str], other: Iterable[str], rare: frozenset[str]
) -> bool | None:
    """Tell whether two have a mark in common; None where one of them has none."""
    mine, its = rare & set(one), rare & set(other)
    return bool(mine & its) if mine and its else None


def _serials(disk: Disk) -> Iterator[str]:
    for text in disk.serials:
        yield re.sub(r"[\s_-]", "", text.casefold())


def _wwns(disk: Disk) -> Iterator[str]:
    for text in disk.wwns:
        plain = _WWN_HEAD.sub("", text.casefold())
        plain = re.sub(r"[\s-]", "", plain)
        # "t10." repeats maker, model and serial number, and is no name of its own.
        is_name = len(plain.replace("0", "")) > 3 and len(set(plain)) > 2
        if is_name and not text.startswith("t10."):
            yield plain


def _use(node: Node, seen: Survey) -> str:
    """Say what uses a disk or anything on it, "" where nothing is seen to."""
    return next(_uses(node, seen), "")


def _uses(node: Node, seen: Survey) -> Iterator[str]:
    family = list(tree(node))
    numbers = {str(one.get("maj:min") or "").strip() for one in family} - {""}
    paths = {p for one in family for p in (one["path"], node_path(str(one["kname"])))}
    for mount in seen.mounts:
        if mount.number in numbers or mount.source in paths:
            yield f"mounted at {mount.place}"
    for number in numbers & {*seen.swaps}:
        yield f"{seen.swaps[number]} is swap space"
    for path in paths & {*seen.pools}:
        yield f"in the ZFS pool {seen.pools[path]}"
    above = [str(one["kname"]) for one in family[1:] if one.get("type") != "part"]
    above += [loop.name for loop in seen.loops if loop.number in numbers]
    for name in above:
        yield f"{name} is built on it"
    for number, who in seen.writers:
        if number in numbers - seen.held:  # a load of ours may
            yield f"{who} has it open for writing"
    if node["kname"] in seen.system:
        yield "the running system stands on it"


def _claimed(host: Host, disk: Disk, seen: Survey) -> str:
    """Say that something has a disk for itself, "" where nothing has, or we."""
    if disk.identity.number in seen.held:
        return ""
    busy, _ = try_device(host, disk.path, held=False)
    return f"something has it in use, {busy}" if busy else ""
