"""What [step.mkfs] and [step.zpool] may say, and what of it is refused."""

import itertools
import re
import shlex
from collections.abc import Mapping, Sequence

from instruments.errors import OptionError, plain_words
from instruments.settings import Kind, Option, Settings, read_step

# mkfs.xfs and mkfs.ext4 take options that name other disks (an external log), read or
# write files (a prototype, an undo file) or start programs (badblocks). A plan may set
# what shapes the new file system alone, and what is not in this table is closed. It is
# that of mkfs.xfs(8) of xfsprogs 6.1 and mke2fs(8) of e2fsprogs 1.47.
Letters = Mapping[str, frozenset[str] | None]

_PLAIN = re.compile(r"[A-Za-z0-9_.^+,-]*")


def _keys(text: str) -> frozenset[str]:
    return frozenset(text.split())


_XFS: Letters = {
    "b": _keys("size log"),
    "m": _keys("crc finobt reflink rmapbt bigtime inobtcount"),
    "d": _keys(
        "agcount agsize size su sw sunit swidth noalign sectsize sectlog extszinherit "
        "cowextsize rtinherit projinherit concurrency"
    ),
    "i": _keys("size log perblock maxpct align attr projid32bit sparse nrext64"),
    "l": _keys("size agnum internal version sunit su lazy-count sectsize concurrency"),
    "n": _keys("size log version ftype"),
    "s": _keys("size log"),
    "L": None,
}
_EXT4: Letters = {
    "b": None,
    "C": None,
    "E": _keys(
        "lazy_itable_init lazy_journal_init stride stripe_width stripe-width discard "
        "nodiscard packed_meta_blocks num_backup_sb resize hash_seed "
        "assume_storage_prezeroed mmp_update_interval quotatype"
    ),
    "g": None,
    "G": None,
    "i": None,
    "I": None,
    "J": _keys("size fast_commit_size"),
    "L": None,
    "m": None,
    "N": None,
    "r": None,
    "T": None,
    "O": None,
}
# Letters without a value.
_FLAGS: Mapping[str, str] = {"xfs": "K", "ext4": "jD"}
_VALUES: Mapping[str, Letters] = {"xfs": _XFS, "ext4": _EXT4}
# Why letters are closed that a reader of mkfs(8) might want.
_OURS: Mapping[tuple[str, str], str] = {
    ("xfs", "f"): "Bayscope sets it where the data there may be overwritten",
    ("ext4", "F"): "Bayscope sets it where the data there may be overwritten",
    ("ext4", "U"): "Bayscope gives the file system its UUID, to know it again",
    ("xfs", "N"): "nothing would be made",
    ("ext4", "n"): "nothing would be made",
    ("ext4", "c"): "it starts badblocks, which takes days",
    ("ext4", "z"): "it writes to another file",
    ("ext4", "l"): "it reads another file",
    ("ext4", "d"): "it reads other files",
    ("xfs", "p"): "it reads another file",
    ("xfs", "c"): "it reads another file",
    ("xfs", "r"): "it names another disk",
}
# Keys that reach beyond the one disk, whatever the letter before them.
_REACHES = _keys("name file logdev rtdev device root-directory journal_dev")


def mkfs_words(kind: str, text: str) -> list[str]:
    """Read the options of mkfs as its words, each letter with its value after it.

    Raises:
        OptionError: One is closed, unknown, or no option at all.
    """
    try:
        given = shlex.split(text)
    except ValueError as error:
        raise _closed(kind, text, f"cannot be read ({plain_words(error)})") from None
    words: list[str] = []
    rest = iter(given)
    for word in rest:
        if len(word) < 2 or word[0] != "-":
            raise _closed(kind, word, "is not an option; the disk is named in disks")
        letter, value = word[1], word[2:]
        if letter in _FLAGS[kind]:
            # Several of them may share one dash: -jD.
            for flag in word[1:]:
                if flag not in _FLAGS[kind]:
                    raise _closed(kind, f"-{flag}", _why(kind, flag))
                words.append(f"-{flag}")
            continue
        if letter not in _VALUES[kind]:
            raise _closed(kind, f"-{letter}", _why(kind, letter))
        value = value or next(rest, "")
        _check_value(kind, letter, value)
        words += [f"-{letter}", value]
    return words


def _check_value(kind: str, letter: str, value: str) -> None:
    keys, shown = _VALUES[kind][letter], f"-{letter} {value}"
    parts = [part.partition("=") for part in value.split(",")]
    for key, _, _ in parts:
        if key.lstrip("^") in _REACHES:
            raise _closed(kind, shown, "is closed: it reaches another disk or file")
        if keys is not None and key not in keys:
            raise _closed(
                kind,
                shown,
                f'is closed: "{key}" is not one of {", ".join(sorted(keys))}',
            )
    plain = value if keys is None else "".join(after for _, _, after in parts)
    if not value or not _PLAIN.fullmatch(plain):
        raise _closed(kind, shown, "is closed: expected a plain value")


def _why(kind: str, letter: str) -> str:
    return f"is closed: {_OURS.get((kind, letter), 'it is not known to be harmless')}"


def _closed(kind: str, shown: str, why: str) -> OptionError:
    letters = " ".join(f"-{letter}" for letter in (*_VALUES[kind], *_FLAGS[kind]))
    return OptionError(
        "options", f'mkfs.{kind}: "{shown}" {why}', f"Open here: {letters}."
    )


KINDS = {"mirror": 2, "raidz": 2, "raidz1": 2, "raidz2": 3, "raidz3": 4}
"""Kinds of groups, and how many disks each has at least (zpoolconcepts(7))."""

CLASSES = ("log", "spare", "cache", "special", "dedup")
"""What disks are for beside data; those after the word, up to the next one."""

# "raidz2 10 x 6", "log mirror 2", "60": use, kind, disks of a group, groups.
_GROUP = re.compile(
    rf"\s*(?:(?P<use>{'|'.join(CLASSES)})\s+)?(?:(?P<kind>[a-z]\w*)\s+)?"
    r"(?P<each>\d+)(?:\s*x\s*(?P<groups>\d+))?(?=\s|$)"
)
_EXPECTED = (
    'Expected "raidz2 10 x 6" (kind, disks in a group, groups), "mirror 2 x 30" or '
    '"60" without redundancy, and after it "log mirror 2", "spare 1", "cache 1".'
)


def check_layout(text: str) -> int:
    """Check a layout; return how many disks it takes.

    Raises:
        OptionError: It is not a layout.
    """
    return sum(each * groups for _, _, each, groups in _groups(text))


def vdevs(text: str, disks: Sequence[str]) -> list[str]:
    """Write the words for `zpool create`, with the disks in their order.

    Raises:
        OptionError: It is not a layout, or does not take just these disks.
    """
    if (count := check_layout(text)) != len(disks):
        raise OptionError(
            "layout",
            f'"{text}" are {count} disks, and the bench has {len(disks)}',
            "Name as many disks in [dut] target as the layout takes.",
        )
    words: list[str] = []
    rest = iter(disks)
    for use, kind, each, groups in _groups(text):
        words += [use] if use else []
        for _ in range(groups):
            words += [kind] if kind else []
            words += itertools.islice(rest, each)
    return words


def _groups(text: str) -> list[tuple[str, str, int, int]]:
    """Read a layout: what it is for, kind, disks in a group, number of groups."""
    groups: list[tuple[str, str, int, int]] = []
    at = 0
    while match := _GROUP.match(text, at):
        group = _group(match)
        use, kind, _, _ = group
        # Data stand first, and once; spares and caches are single (zpoolconcepts(7)).
        if (use in ("spare", "cache") and kind) or (not use and groups):
            raise OptionError("layout", f'layout is "{text}"', _EXPECTED)
        groups.append(group)
        at = match.end()
    if not groups or text[at:].strip() or groups[0][0]:
        raise OptionError("layout", f'layout is "{text}"', _EXPECTED)
    return groups


def _group(match: re.Match[str]) -> tuple[str, str, int, int]:
    use, kind = match["use"] or "", match["kind"] or ""
    each, count = int(match["each"]), int(match["groups"] or 1)
    if kind and kind not in KINDS:
        raise OptionError("layout", f'"{kind}" is not a kind of group', _EXPECTED)
    if each < KINDS.get(kind, 1) or not count:
        what = f"a group of {kind} has {KINDS.get(kind, 1)} disks or more"
        raise OptionError("layout", f"{what}, not {each}", "Give larger groups.")
    return use, kind, each, count


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

# ZFS takes 255 characters with those of data sets in it.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,200}")
# Names that zpool-create(8) refuses; c and a digit are a disk of Solaris.
_RESERVED = ("mirror", "raidz", "draid", "spare", "log", "stripe")
_VALUE = re.compile(r"[A-Za-z0-9_.-]+")
# Right below /mnt, so that no folder but root's own lies above it.
_PLACE = re.compile(r"/mnt/[A-Za-z0-9_-][A-Za-z0-9_.-]*")


def check_mkfs(options: Mapping[str, str]) -> Settings:
    """Check the options of a mkfs step; raises OptionError."""
    settings = read_step("mkfs", MKFS, options)
    mkfs_words(settings.text("type"), settings.text("options"))
    place = settings.text("mount")
    if place:
        check_place(place.replace("{n}", "1"))
    return settings


def check_zpool(options: Mapping[str, str]) -> Settings:
    """Check the options of a zpool step; raises OptionError."""
    settings = read_step("zpool", ZPOOL, options)
    name = settings.text("name")
    reserved = name.startswith(_RESERVED) or re.match(r"c\d", name)
    if not _NAME.fullmatch(name) or reserved:
        raise OptionError(
            "name",
            f'"{name}" is not a pool name',
            "Expected letters, digits, _, - and ., and none of zpool's own words.",
        )
    check_layout(settings.text("layout"))
    properties_of(settings)
    if settings.text("mount"):
        check_place(settings.text("mount"))
    return settings


def check_place(place: str) -> None:
    """Check where a file system is to be mounted; raises OptionError."""
    if not _PLACE.fullmatch(place):
        raise OptionError(
            "mount",
            f"{place} is not a mount point that is allowed here",
            f"Expected a folder right below {MOUNTS}, such as /mnt/bay{{n}}.",
        )


def properties_of(options: Settings) -> list[str]:
    """Get the words of zpool's properties: -o for the pool's, -O for the file system's.

    Raises:
        OptionError: One is closed or no property.
    """
    words: list[str] = []
    for text in options.text("properties").split():
        key, _, value = text.partition("=")
        if key in POOL_PROPERTIES:
            letter = "-o"
        elif key in FILE_SYSTEM_PROPERTIES:
            letter = "-O"
        else:
            open_ones = ", ".join((*POOL_PROPERTIES, *FILE_SYSTEM_PROPERTIES))
            raise OptionError(
                "properties",
                f'"{key}" is closed: it may reach beyond the pool',
                f"Open here: {open_ones}. Set mount for the mount point.",
            )
        if not _VALUE.fullmatch(value):
            raise OptionError(
                "properties", f'"{text}" has no plain value', f"Expected {key}=VALUE."
            )
        words += [letter, text]
    return words
