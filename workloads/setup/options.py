"""What [step.mkfs] and [step.zpool] may say, and what of it is refused."""

import re
from collections.abc import Mapping

from instruments.errors import OptionError
from instruments.settings import Kind, Option, Settings, read_step
from workloads.setup.layout import check_layout
from workloads.setup.rules import mkfs_words

MOUNTS = "/mnt/"
"""Below which file systems are mounted, and nowhere else."""

TYPES = ("xfs", "ext4")

_KEEP = Option("keep", "leave it mounted or imported after the run", Kind.FLAG, False)
MKFS = (
    Option("type", "kind", Kind.CHOICE, required=True, choices=TYPES),
    Option("options", "options as mkfs takes them"),
    Option("mount", "where to mount: /mnt/bay{n}"),
    _KEEP,
)
"""What [step.mkfs] may say."""

ZPOOL = (
    Option("name", "the pool's name", required=True),
    Option("layout", 'such as "raidz2 10 x 6"', required=True),
    Option("properties", "such as ashift=12 compression=lz4"),
    Option("mount", "where to mount it: /mnt/pool"),
    _KEEP,
)
"""What [step.zpool] may say."""

POOL_PROPERTIES = ("ashift", "autoexpand", "autoreplace", "autotrim", "failmode")
FILE_SYSTEM_PROPERTIES = (
    "atime",
    "checksum",
    "compression",
    "copies",
    "dedup",
    "dnodesize",
    "logbias",
    "primarycache",
    "recordsize",
    "redundant_metadata",
    "relatime",
    "secondarycache",
    "special_small_blocks",
    "sync",
    "xattr",
)
"""Properties of zpoolprops(7) and zfsprops(7) that reach nothing but the pool."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,200}")
_RESERVED = ("mirror", "raidz", "draid", "spare", "log", "stripe")
_VALUE = re.compile(r"[A-Za-z0-9_.-]+")
_PLACE = re.compile(r"/mnt/[A-Za-z0-9_-][A-Za-z0-9_.-]*")


def check_mkfs(options: Mapping[str, str]) -> Settings:
    """Check the options of a mkfs step; raises OptionError."""
    found = read_step("mkfs", MKFS, options)
    mkfs_words(found.text("type"), found.text("options"))
    place = found.text("mount")
    if place:
        check_place(place.replace("{n}", "1"))
    return found


def check_zpool(options: Mapping[str, str]) -> Settings:
    """Check the options of a zpool step; raises OptionError."""
    found = read_step("zpool", ZPOOL, options)
    name = found.text("name")
    reserved = name.startswith(_RESERVED) or re.match(r"c\d", name)
    if not _NAME.fullmatch(name) or reserved:
        raise OptionError(
            "name",
            f'"{name}" is no name of a pool',
            "Expected letters, digits, _ - and ., and no word of zpool's own.",
        )
    check_layout(found.text("layout"))
    properties_of(found)
    if found.text("mount"):
        check_place(found.text("mount"))
    return found


def check_place(place: str) -> None:
    """Check where a file system is to be mounted; raises OptionError."""
    if not _PLACE.fullmatch(place):
        raise OptionError(
            "mount",
            f"{place} is no place to mount at here",
            f"Expected a folder right below {MOUNTS}, such as /mnt/bay{{n}}.",
        )


def properties_of(options: Settings) -> list[str]:
    """Get the words of zpool's properties: -o for the pool's, -O for the file system's.

    Raises:
        OptionError: One is closed or no property.
    """
    words: list[str] = []
    for one in options.text("properties").split():
        key, _, value = one.partition("=")
        if key in POOL_PROPERTIES:
            letter = "-o"
        elif key in FILE_SYSTEM_PROPERTIES:
            letter = "-O"
        else:
            known = ", ".join((*POOL_PROPERTIES, *FILE_SYSTEM_PROPERTIES))
            raise OptionError(
                "properties",
                f'"{key}" is closed: it is not known to reach nothing but the pool',
                f"Open here: {known}. Where it is mounted is said with mount.",
            )
        if not _VALUE.fullmatch(value):
            raise OptionError(
                "properties", f'"{one}" has no plain value', f"Expected {key}=VALUE."
            )
        words += [letter, one]
    return words
