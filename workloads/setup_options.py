"""What [step.mkfs] and [step.zpool] may say, and what of it is refused."""

import re
from collections.abc import Mapping

from workloads.engine_options import EngineOption, OptionKind, Options
from workloads.fio_job import OptionError
from workloads.setup_layout import Vdevs, from_layout, from_vdevs
from workloads.setup_rules import mkfs_words

MOUNTS = "/mnt/"
"""Below which file systems are mounted, and nowhere else."""

TYPES = ("xfs", "ext4")

_KEEP = EngineOption(
    "keep", OptionKind.FLAG, "0", "leave it mounted or imported after the run"
)
MKFS = (
    EngineOption(
        "disks",
        OptionKind.TEXT,
        help="paths of the disks, {1..60} and {a,b} as in a shell",
        required=True,
    ),
    EngineOption("type", OptionKind.CHOICE, help="kind", choices=TYPES, required=True),
    EngineOption("options", OptionKind.TEXT, "", "options as mkfs takes them"),
    EngineOption("mount", OptionKind.TEXT, "", "where to mount: /mnt/bay{n}"),
    _KEEP,
)
"""What [step.mkfs] may say."""

ZPOOL = (
    EngineOption("name", OptionKind.TEXT, help="the pool's name", required=True),
    EngineOption("disks", OptionKind.TEXT, "", "paths of the disks, for layout"),
    EngineOption("layout", OptionKind.TEXT, "", 'such as "raidz2 10 x 6"'),
    EngineOption("vdevs", OptionKind.TEXT, "", "vdevs as zpool takes them"),
    EngineOption(
        "properties", OptionKind.TEXT, "", "such as ashift=12 compression=lz4"
    ),
    EngineOption("mount", OptionKind.TEXT, "", "where to mount it: /mnt/pool"),
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
_RANGE = re.compile(r"\{(\d+)\.\.(\d+)\}")
_LIST = re.compile(r"\{([^{},]*(?:,[^{},]*)+)\}")
MOST_DISKS = 1000


def check_mkfs(options: Mapping[str, str]) -> Options:
    """Check the options of a mkfs step; raises OptionError."""
    found = Options("mkfs", MKFS, options)
    disks = disks_of("disks", found.text("disks"))
    mkfs_words(found.text("type"), found.text("options"))
    place = found.text("mount")
    if place:
        check_place(place.replace("{n}", "1"))
        if len(disks) > 1 and "{n}" not in place:
            raise OptionError(
                "mount",
                f"{len(disks)} disks cannot all be mounted at {place}",
                "Let the place have {n}, the number of the disk: /mnt/bay{n}.",
            )
    return found


def check_zpool(options: Mapping[str, str]) -> Options:
    """Check the options of a zpool step; raises OptionError."""
    found = Options("zpool", ZPOOL, options)
    name = found.text("name")
    reserved = name.startswith(_RESERVED) or re.match(r"c\d", name)
    if not _NAME.fullmatch(name) or reserved:
        raise OptionError(
            "name",
            f'"{name}" is no name of a pool',
            "Expected letters, digits, _ - and ., and no word of zpool's own.",
        )
    vdevs_of(found)
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


def vdevs_of(options: Options) -> Vdevs:
    """Get the vdevs of a zpool step; raises OptionError."""
    if bool(options.text("layout")) == bool(options.text("vdevs")):
        raise OptionError(
            "layout", "just one of layout and vdevs is needed", "Give one of them."
        )
    if options.text("layout"):
        disks = disks_of("disks", options.text("disks"))
        return from_layout(options.text("layout"), disks)
    if options.text("disks"):
        raise OptionError(
            "disks", "vdevs names the disks already", "Remove disks, or give layout."
        )
    vdevs = from_vdevs(_expanded("vdevs", options.text("vdevs")))
    _check_disks("vdevs", list(vdevs.disks))
    return vdevs


def properties_of(options: Options) -> list[str]:
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


def disks_of(key: str, text: str) -> list[str]:
    """Read paths of disks, with {1..60} and {a,b} written out; raises OptionError."""
    return _check_disks(key, _expanded(key, text))


def _check_disks(key: str, disks: list[str]) -> list[str]:
    for path in disks:
        if not path.startswith("/dev/") or "/../" in path:
            raise OptionError(
                key,
                f'"{path}" is no path of a disk',
                "Expected paths below /dev/disk/by-id, as bayscope targets shows.",
            )
    twice = sorted({path for path in disks if disks.count(path) > 1})
    if twice:
        raise OptionError(key, f"{twice[0]} is named twice", "Name each disk once.")
    if not disks:
        raise OptionError(key, "no disk is named", "Name at least one.")
    return disks


def _expanded(key: str, text: str) -> list[str]:
    """Write out what a shell would: {2..61} counts, {a,b} chooses."""
    waiting, done = text.split(), []
    while waiting:
        word = waiting.pop(0)
        if match := _RANGE.search(word):
            low, high = int(match[1]), int(match[2])
            # Leading zeros are kept, as a shell keeps them.
            width = len(match[1]) if match[1].startswith("0") else 0
            parts = [f"{n:0{width}d}" for n in range(low, min(high, low + 2000) + 1)]
        elif match := _LIST.search(word):
            parts = match[1].split(",")
        else:
            done.append(word)
            continue
        waiting[:0] = [word[: match.start()] + p + word[match.end() :] for p in parts]
        if len(waiting) + len(done) > MOST_DISKS:
            raise OptionError(
                key, f"{text} are more than {MOST_DISKS} disks", "Name fewer."
            )
    return done
