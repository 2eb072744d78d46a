"""Which options of mkfs a plan may set: those that shape the new file system alone.

mkfs.xfs and mkfs.ext4 take options that name other disks (an external log), read or
write files (a prototype, an undo file) or start programs (badblocks). What is not in
this table is closed. It is that of mkfs.xfs(8) of xfsprogs 6.1 and mke2fs(8) of
e2fsprogs 1.47.
"""

import re
import shlex
from collections.abc import Mapping

from instruments.errors import OptionError, plain_words

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
_FLAGS: Mapping[str, str] = {"xfs": "K", "ext4": "jD"}
_VALUES: Mapping[str, Letters] = {"xfs": _XFS, "ext4": _EXT4}
_OURS: Mapping[tuple[str, str], str] = {
    ("xfs", "f"): "Bayscope forces where data was named that may go",
    ("ext4", "F"): "Bayscope forces where data was named that may go",
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
_REACHES = _keys("name file logdev rtdev device root-directory journal_dev")


def mkfs_words(kind: str, text: str) -> list[str]:
    """Read the options of mkfs as its words, each letter with its value after it.

    Args:
        kind: "xfs" or "ext4".
        text: Options as mkfs takes them, such as "-m reflink=0 -K".

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
            raise _closed(kind, word, "is no option; the disk is named in disks")
        letter, value = word[1], word[2:]
        if letter in _FLAGS[kind]:
            for one in word[1:]:
                if one not in _FLAGS[kind]:
                    raise _closed(kind, f"-{one}", _why(kind, one))
                words.append(f"-{one}")
            continue
        if letter not in _VALUES[kind]:
            raise _closed(kind, f"-{letter}", _why(kind, letter))
        value = value or next(rest, "")
        _check_value(kind, letter, value)
        words += [f"-{letter}", value]
    return words


def _check_value(kind: str, letter: str, value: str) -> None:
    known, shown = _VALUES[kind][letter], f"-{letter} {value}"
    parts = [part.partition("=") for part in value.split(",")]
    for key, _, _ in parts:
        if key.lstrip("^") in _REACHES:
            raise _closed(kind, shown, "is closed: it reaches another disk or file")
        if known is not None and key not in known:
            raise _closed(
                kind,
                shown,
                f'is closed: "{key}" is none of {", ".join(sorted(known))}',
            )
    plain = value if known is None else "".join(after for _, _, after in parts)
    if not value or not _PLAIN.fullmatch(plain):
        raise _closed(kind, shown, "is closed: expected a plain value")


def _why(kind: str, letter: str) -> str:
    return f"is closed: {_OURS.get((kind, letter), 'it is not known to be harmless')}"


def _closed(kind: str, shown: str, why: str) -> OptionError:
    letters = " ".join(f"-{one}" for one in (*_VALUES[kind], *_FLAGS[kind]))
    return OptionError(
        "options",
        f'mkfs.{kind}: "{shown}" {why}',
        f"Open here: {letters}.",
    )
