"""Whether two nodes are one disk: by all that they tell, then by what is on them."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product

from instruments.tools.hosts import Host
from workloads.guard.contents import Content, compare, read_blocks
from workloads.guard.disk import Disk
from workloads.guard.nodes import Node, name_of, node_path, number_of, tree
from workloads.guard.probe import claimed
from workloads.guard.survey import Survey

_MOST_DISKS = 8
"""A serial number that more disks than this tell is a maker's; so is a WWN.

A disk may have many paths: nodes with one serial number and one WWN count once.
"""

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
    TWO = "two disks for certain"


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two disks that may be one: of which device, and what is known of them."""

    name: str  # the device that was asked about, which stands on the first disk
    one: Disk
    other: Disk
    like: Likeness  # what they tell of themselves
    use: str  # what uses the second one, "" where nothing is seen to

    @property
    def is_open(self) -> bool:
        """Whether it has to be looked at what is on them; reading wakes a disk."""
        shared = bool({*self.one.uuids} & {*self.other.uuids})
        is_apart = self.like is Likeness.APART and not (self.use or shared)
        return not is_apart and self.like not in (Likeness.ONE, Likeness.TWO)

    @property
    def paths(self) -> tuple[str, str]:
        """Where the two are."""
        return self.one.path, self.other.path

    def is_one(self, content: Content) -> bool:
        """Tell whether both are the same disk for certain."""
        has_mark = self.like in (Likeness.LIKELY, Likeness.CLAIMED)
        is_shown = has_mark and content is Content.EQUAL
        return self.like is Likeness.ONE or is_shown

    def danger(self, content: Content, use: str) -> str:
        """Say why the first must not be written to, should both be one; "" for none.

        Args:
            content: How what stands on them compares.
            use: What a claim of the second one met, where nothing else was seen.
        """
        if content is Content.DIFFERENT:
            return ""
        if self.like is Likeness.LIKELY:
            return "nothing on them tells them apart"
        is_told = self.like is not Likeness.APART or content is Content.EQUAL
        return (self.use or use) if is_told else ""


@dataclass(frozen=True, slots=True)
class Twins:
    """Other ways to the disk that a device stands on.

    Attributes:
        same: Names of what is the same disk.
        alike: Names of what may be it and must not be written to, each with its reason.
    """

    same: tuple[str, ...]
    alike: Mapping[str, str]

    def but(self, names: Container[str]) -> "Twins":
        """Exclude disks, such as those of the same load."""
        alike = {name: why for name, why in self.alike.items() if name not in names}
        return Twins(tuple(name for name in self.same if name not in names), alike)


def find_twins(
    host: Host,
    disks: Sequence[Disk],
    seen: Survey,
    among: Container[str] | None = None,
) -> dict[str, Twins]:
    """Find other ways to the disks that devices stand on.

    Disks that nothing needs to be known of are not read: it would wake them. All that
    are read or tried are so at once, by two programs, however many they are.

    Args:
        host: The machine.
        disks: The devices, whole disks or what stands on them.
        seen: What the machine has in use.
        among: Names of the disks that may be other ways; all where it is None.

    Returns:
        For each device by name those that are the same disk, and those that may be
        and must not be written to.
    """
    pairs = list(_pairs(disks, seen, among))
    contents = _contents(host, pairs)
    busy = claimed(host, sorted(_unseen(pairs, contents, seen)))
    sure: dict[str, set[str]] = {disk.name: set() for disk in disks}
    alike: dict[str, dict[str, str]] = {disk.name: {} for disk in disks}
    for pair in pairs:
        content = contents.get(pair.paths, Content.DIFFERENT)
        if pair.is_one(content):
            sure[pair.name].add(pair.other.name)
        elif why := pair.danger(content, busy.get(pair.other.path, "")):
            alike[pair.name][pair.other.name] = why
    return {
        name: Twins(
            tuple(sorted(sure[name])),
            {o: why for o, why in sorted(alike[name].items()) if o not in sure[name]},
        )
        for name in sure
    }


def _contents(host: Host, pairs: Sequence[_Pair]) -> dict[tuple[str, str], Content]:
    """Compare what is on the disks of pairs that may be one, by their paths."""
    paths = {pair.paths for pair in pairs if pair.is_open}
    blocks = read_blocks(host, sorted({path for both in paths for path in both}))
    return {
        (one, other): compare(blocks.get(one, {}), blocks.get(other, {}))
        for one, other in paths
    }


def _unseen(
    pairs: Sequence[_Pair], contents: Mapping[tuple[str, str], Content], seen: Survey
) -> set[str]:
    """Find the disks that have to be claimed, to see whether something uses them."""
    return {
        pair.other.path
        for pair in pairs
        if pair.is_open
        and not pair.use
        and pair.like is not Likeness.LIKELY
        and pair.other.identity.number not in seen.held
        and contents[pair.paths] is not Content.DIFFERENT
    }


def _pairs(
    disks: Sequence[Disk], seen: Survey, among: Container[str] | None
) -> Iterator[_Pair]:
    """Pair the disks that devices stand on with all others."""
    by_name = {one.name: one for one in (*disks, *seen.disks)}
    tops = [(by_name[name], n) for n in seen.nodes if (name := name_of(n)) in by_name]
    marks = _Marks(by_name.values(), seen)
    used = uses(seen)
    for disk in disks:
        own = [one for one, n in tops if disk.name in map(name_of, tree(n))]
        names = {one.name for one in own}
        others = [
            (other, node)
            for other, node in tops
            if other.name not in names and (among is None or other.name in among)
        ]
        for one, (other, node) in product(own or [disk], others):
            like = marks.compare(one, other, node)
            use = min(used[other.name], default="")
            yield _Pair(disk.name, one, other, like, use)


class _Marks:
    """Compares what disks tell of themselves; what too many of them tell is nothing."""

    def __init__(self, disks: Iterable[Disk], seen: Survey) -> None:
        self._files = {loop.name: loop for loop in seen.loops}
        serials = {disk.name: frozenset(_serials(disk)) for disk in disks}
        wwns = {disk.name: frozenset(_wwns(disk)) for disk in disks}
        self._serials = _rare(serials, wwns, has_others=False)
        self._wwns = _rare(wwns, serials, has_others=True)

    def compare(self, one: Disk, other: Disk, node: Node) -> Likeness:
        if by_file := self._of_files(one, other, node):
            return by_file
        serial = _common(self._serials[one.name], self._serials[other.name])
        wwn = _common(self._wwns[one.name], self._wwns[other.name])
        size = one.identity.size == other.identity.size
        same = size and one.model.casefold() == other.model.casefold()
        several = not {one.transport, other.transport} & {*_ONE_PORT}
        if serial and several and (wwn or (same and wwn is None)):
            return Likeness.ONE if wwn else Likeness.LIKELY
        if wwn and serial is None:
            return Likeness.LIKELY
        if serial or wwn:
            return Likeness.CLAIMED if several else Likeness.OPEN
        # WWNs may be of ports, and so tell nothing where they differ.
        return Likeness.OPEN if same and serial is None else Likeness.APART

    def _of_files(self, one: Disk, other: Disk, node: Node) -> Likeness | None:
        """Compare disks by what is behind them, where one is a loop device.

        Two files of one file system are two. The same file may show up in another one,
        of a server or an overlay, as another file; and a disk has several nodes.
        """
        mine, its = self._files.get(one.name), self._files.get(other.name)
        numbers = {number_of(part) for part in tree(node)}
        if mine is not None and mine.number in numbers - {""}:
            return Likeness.ONE
        if mine is None or its is None:
            return Likeness.APART if mine or its else None
        if mine.file == its.file:
            return Likeness.ONE
        are_files = not mine.number and not its.number
        is_one_system = mine.file[0] == its.file[0]
        return Likeness.TWO if are_files and is_one_system else Likeness.APART


def _rare(
    marks: Mapping[str, frozenset[str]],
    others: Mapping[str, frozenset[str]],
    *,
    has_others: bool,
) -> dict[str, frozenset[str]]:
    """Exclude the marks that more disks tell than one disk may have nodes.

    Args:
        marks: Of each node, by its name.
        others: Marks of the other kind; nodes with one of these in common count once.
        has_others: Whether nodes without any of the other kind count once, too: a WWN
            names one disk by definition, a serial number alone may be an enclosure's.
    """
    counts: dict[str, set[object]] = {}
    for name, own in marks.items():
        # One of them is enough: paths to one disk tell the same.
        other = min(others[name], default="" if has_others else (name,))
        for mark in own:
            counts.setdefault(mark, set()).add(other)
    return {
        name: frozenset(mark for mark in own if len(counts[mark]) <= _MOST_DISKS)
        for name, own in marks.items()
    }


def _common(mine: frozenset[str], its: frozenset[str]) -> bool | None:
    """Tell whether two have a mark in common; None where one of them has none."""
    return bool(mine & its) if mine and its else None


def _serials(disk: Disk) -> Iterator[str]:
    for text in disk.serials:
        yield re.sub(r"[\s_-]", "", text.casefold())


def _wwns(disk: Disk) -> Iterator[str]:
    for text in disk.wwns:
        plain = _WWN_HEAD.sub("", text.casefold())
        plain = re.sub(r"[\s-]", "", plain)
        # "t10." repeats maker, model and serial number, and is not a unique name.
        is_name = len(plain.replace("0", "")) > 3 and len(set(plain)) > 2
        if is_name and not text.startswith("t10."):
            yield plain


def uses(seen: Survey) -> dict[str, frozenset[str]]:
    """Say what uses each disk or anything on it, by the disk's name."""
    return {name_of(node): frozenset(_uses(node, seen)) for node in seen.nodes}


def _uses(node: Node, seen: Survey) -> Iterator[str]:
    family = list(tree(node))
    numbers = {number_of(one) for one in family} - {""}
    yield from _data_in_use(family, numbers, seen)
    above = [name_of(one) for one in family[1:] if one.get("type") != "part"]
    above += [loop.name for loop in seen.loops if loop.number in numbers]
    for name in above:
        yield f"{name} is built on it"
    for number, who in seen.writers:
        if number in numbers - seen.held:  # a load of ours may
            yield f"{who} has it open for writing"
    if name_of(node) in seen.system:
        yield "the running system stands on it"


def _data_in_use(
    family: Sequence[Node], numbers: Container[str], seen: Survey
) -> Iterator[str]:
    """Say what is mounted of a device and all that stands on it, or is swap or pool."""
    paths = {p for one in family for p in (one["path"], node_path(name_of(one)))}
    for mount in seen.mounts:
        if mount.number in numbers or mount.source in paths:
            yield f"mounted at {mount.place}"
    for number, name in seen.swaps.items():
        if number in numbers:
            yield f"{name} is swap space"
    for path, pool in seen.pools.items():
        if path in paths:
            yield f"in the ZFS pool {pool}"
