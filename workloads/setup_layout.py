"""How the disks of a pool stand together: "raidz2 10 x 6", or vdevs as zpool has."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workloads.fio_job import OptionError

_KINDS = ("mirror", "raidz", "raidz1", "raidz2", "raidz3")
_CLASSES = ("log", "spare", "cache", "special", "dedup")
_LAYOUT = re.compile(r"(\w+)\s+(\d+)(?:\s*[x*]\s*(\d+))?")
_FEWEST = {"mirror": 2, "raidz": 2, "raidz1": 2, "raidz2": 3, "raidz3": 4}


@dataclass(frozen=True, slots=True)
class Vdevs:
    """The words that `zpool create` is given after the name, and the disks in them."""

    words: tuple[str, ...]
    disks: tuple[str, ...]


def from_layout(text: str, disks: Sequence[str]) -> Vdevs:
    """Put disks together in their order: "raidz2 10 x 6" is six groups of ten.

    "stripe 60" is 60 disks without redundancy.

    Raises:
        OptionError: It is no layout, or does not take just these disks.
    """
    match = _LAYOUT.fullmatch(text.strip())
    kind = match[1] if match else ""
    if match is None or kind not in (*_KINDS, "stripe"):
        raise OptionError(
            "layout",
            f'layout is "{text}"',
            'Expected "raidz2 10 x 6": kind, disks in a group, number of groups.',
        )
    each, groups = int(match[2]), int(match[3] or 1)
    if each * groups != len(disks):
        raise OptionError(
            "layout",
            f"{text} are {each * groups} disks, and disks names {len(disks)}",
            "Name as many disks as the layout takes.",
        )
    if each < _FEWEST.get(kind, 1):
        raise OptionError(
            "layout",
            f"a group of {kind} has {_FEWEST[kind]} disks or more, not {each}",
            "Give larger groups.",
        )
    if kind == "stripe":
        return Vdevs(tuple(disks), tuple(disks))
    words: list[str] = []
    for first in range(0, len(disks), each):
        words += [kind, *disks[first : first + each]]
    return Vdevs(tuple(words), tuple(disks))


def from_vdevs(words: Sequence[str]) -> Vdevs:
    """Read vdevs as zpool takes them: "raidz2 A B C D log mirror E F spare G".

    Raises:
        OptionError: A word is neither one of zpool's nor the path of a disk.
    """
    disks: list[str] = []
    for word in words:
        if word in (*_KINDS, *_CLASSES):
            continue
        if not word.startswith("/dev/"):
            raise OptionError(
                "vdevs",
                f'"{word}" is neither a word of zpool nor the path of a disk',
                f"Expected {', '.join((*_KINDS, *_CLASSES))}, or a path below "
                "/dev/disk/by-id.",
            )
        disks.append(word)
    return Vdevs(tuple(words), tuple(disks))
