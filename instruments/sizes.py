"""Sizes as fio writes them: "4k" is 4096 bytes, "1G" is 2**30."""

import re
from collections.abc import Sequence

_SIZE = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*([kmgtp]?)(i?)(b?)\s*$", re.IGNORECASE)
# A text is matched with a regular expression: an endless one is not looked at.
_LONGEST = 40
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}


def parse_size(text: str | int) -> int:
    """Read a size in bytes.

    fio's default (kb_base=1024) makes "k", "kb" and "kib" alike powers of 1024.

    Raises:
        ValueError: The text is not a size.
    """
    written = str(text)
    match = _SIZE.match(written) if len(written) <= _LONGEST else None
    if not match or isinstance(text, bool):
        raise ValueError(f"not a size: {written[:_LONGEST]!r}")
    size = int(float(match[1]) * 1024 ** _POWERS[match[2].lower()])
    if not 0 < size < 2**63:  # no file system counts more bytes
        raise ValueError(f"not a size: {text!r}")
    return size


def counted(count: int, noun: str) -> str:
    """Write how many there are of something: "1 note", "2 notes"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(parts: Sequence[str], most: int = 24) -> str:
    """List the first of some parts of a sentence, and how many more there are."""
    more = len(parts) - most
    return ", ".join(parts[:most]) + (f" and {more} more" if more > 0 else "")


def format_size(size: int) -> str:
    """Write a size the way fio reads it, such as "4k" or "1536m"."""
    for power, letter in ((4, "t"), (3, "g"), (2, "m"), (1, "k")):
        unit = 1024**power
        if size >= unit and size % unit == 0:
            return f"{size // unit}{letter}"
    return str(size)


def describe_size(size: float) -> str:
    """Write a size for people in powers of 1024, such as "1.5 GiB"."""
    for power, name in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if size >= 1024**power:
            value = size / 1024**power
            return f"{value:.0f} {name}" if value >= 100 else f"{value:.3g} {name}"
    return f"{size:.0f} B"
