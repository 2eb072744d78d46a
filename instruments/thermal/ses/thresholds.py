"""Reads the threshold page from its bytes, which every sg_ses prints alike.

sg_ses 1.49 leaves out the bytes of types without thresholds when it decodes this
page, so that what it says of the other types may be wrong (read in its source, not
tried).
"""

import math

from instruments.thermal.ses.element import Configuration, Key, Kind, Thresholds

_PAGE_CODE = 0x05
_HEAD = 8


def thresholds(text: str, known: Configuration) -> dict[Key, Thresholds]:
    """Read the limits of temperatures (`-p th -HHHH`).

    Limits of voltages and currents are shares of a nominal value that no page tells;
    their elements carry bits for these instead.

    Args:
        text: The page in hexadecimal.
        known: The configuration, which says what stands where.

    Raises:
        ValueError: It is no threshold page, or one of another configuration.
    """
    words = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    page = bytes.fromhex(" ".join(words))
    if len(page) < _HEAD or page[0] != _PAGE_CODE:
        raise ValueError("no threshold page")
    if int.from_bytes(page[4:8], "big") != known.generation:
        raise ValueError("it is of another configuration")
    found: dict[Key, Thresholds] = {}
    place = _HEAD
    for header, group in enumerate(known.groups):
        place += 4  # the overall descriptor
        for number in range(group.count):
            limits = page[place : place + 4]
            place += 4
            if group.kind is Kind.TEMPERATURE and len(limits) == 4:
                found[header, number] = _limits(limits)
    return found


def _limits(limits: bytes) -> Thresholds:
    high_critical, high_warning, low_warning, low_critical = (
        float(byte - 20) if byte else math.nan for byte in limits
    )
    return Thresholds(low_critical, low_warning, high_warning, high_critical)
