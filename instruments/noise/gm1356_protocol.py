"""Reports of eight bytes to and from a GM1356.

From two projects that listened to it, pvachon/gm1356 and dobra-noc/gm1356. They agree
but for range 1, which ends at 80 dB by the first and at 60 dB by the second; here it is
believed up to 60 dB only.
"""

import secrets
from dataclasses import dataclass

from instruments.reading import Status

SIZE = 8
RANGES = {
    "30-130": (0, 30.0, 130.0),
    "30-60": (1, 30.0, 60.0),
    "50-100": (2, 50.0, 100.0),
    "60-110": (3, 60.0, 110.0),
    "80-130": (4, 80.0, 130.0),
}
"""Number, lowest and highest dB of each range."""

_BY_NUMBER = {number: (low, high) for number, low, high in RANGES.values()}
# First byte of a request, flags of the third byte of an answer, and the first byte of
# an acknowledgement, as both projects found them.
_READ = 0xB3
_CONFIGURE = 0x56
_FAST = 0x40
_MAX_HOLD = 0x20
_C = 0x10
_ACK = 0xC4
_HIGHEST = 150.0  # dB; its ranges end at 130, and noise on the bus may say anything


@dataclass(frozen=True, slots=True)
class Report:
    """What a meter answered.

    Attributes:
        level: In dB.
        is_fast: Whether the fast time weighting was on.
        is_held: Whether it is the highest level since a key was pressed.
        weighting: "A" or "C".
        range_number: 0 to 4.
    """

    level: float
    is_fast: bool
    is_held: bool
    weighting: str
    range_number: int

    @property
    def status(self) -> Status:
        """Whether the level is within its range; at an end it may be beyond."""
        low, high = _BY_NUMBER[self.range_number]
        if self.level >= high:
            return Status.OVERRANGE
        return Status.UNDERRANGE if self.level <= low else Status.OK


def parse_report(data: bytes) -> Report | None:
    """Read a report; None where it is not one.

    Args:
        data: Eight bytes: tenths of a dB big-endian, flags and range, five unknown.
    """
    if len(data) != SIZE:
        return None
    level = int.from_bytes(data[:2], "big") / 10
    flags = data[2]
    # Nobody has found a meaning of bit 7: such bytes are not believed.
    if level > _HIGHEST or flags & 0x80 or flags & 0x0F not in _BY_NUMBER:
        return None
    weighting = "C" if flags & _C else "A"
    is_fast, is_held = bool(flags & _FAST), bool(flags & _MAX_HOLD)
    return Report(level, is_fast, is_held, weighting, flags & 0x0F)


def read_request() -> bytes:
    """Make a request for the level.

    Three of its bytes are random: one project found that a request which was heard
    before in another session gets no answer, the other always sends zeros.
    """
    return bytes([_READ, *secrets.token_bytes(3), 0, 0, 0, 0])


def configuration(weighting: str, level_range: str) -> bytes:
    """Make a request for fast, no MAX hold, and these settings.

    Args:
        weighting: "A" or "C".
        level_range: One of `RANGES`.
    """
    flags = _FAST | (_C if weighting == "C" else 0)
    return bytes([_CONFIGURE, flags | RANGES[level_range][0], *bytes(6)])


def is_acknowledgement(data: bytes) -> bool:
    """Whether a report acknowledges a configuration."""
    return data[:1] == bytes([_ACK])
