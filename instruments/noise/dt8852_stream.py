"""What a DT-8852 sends all the time: A5 and a token, some with data after it.

Facts of the protocol are those that public projects found by listening; no meter was at
hand. That a display or bar-graph mark comes after its level is assumed from them.
"""

import math
from dataclasses import dataclass, field
from enum import StrEnum

_START = 0xA5
_LEVEL = 0x0D
_TIME = 0x06
_BARGRAPH = 0x0C
# Bytes after a token: four digits of a level; hour, minute and second.
_DATA = {_LEVEL: 2, _TIME: 3}
_HIGHEST = 150.0  # dB; its display ends at 130
# Memory full, recording, display, and the ends of the first two.
_WITHOUT_MEANING = (0x09, 0x0A, 0x0B, 0x19, 0x1A)


class Mode(StrEnum):
    """A setting that the meter sends."""

    WEIGHTING = "weighting"
    SPEED = "speed"
    HOLD = "hold"
    RANGE = "range"
    LIMIT = "limit"
    BATTERY = "battery"


MODES: dict[int, tuple[Mode, str]] = {
    0x02: (Mode.SPEED, "fast"),
    0x03: (Mode.SPEED, "slow"),
    0x04: (Mode.HOLD, "MAX"),
    0x05: (Mode.HOLD, "MIN"),
    0x0E: (Mode.HOLD, "live"),
    0x07: (Mode.LIMIT, "over"),
    0x08: (Mode.LIMIT, "under"),
    0x11: (Mode.LIMIT, "in"),
    0x0F: (Mode.BATTERY, "low"),
    0x1F: (Mode.BATTERY, "good"),
    0x1B: (Mode.WEIGHTING, "A"),
    0x1C: (Mode.WEIGHTING, "C"),
    0x30: (Mode.RANGE, "30-80"),
    0x4B: (Mode.RANGE, "50-100"),
    0x4C: (Mode.RANGE, "80-130"),
    0x40: (Mode.RANGE, "30-130"),
}
"""The setting and the value of each token."""


@dataclass(slots=True)
class Heard:
    """What a stretch of the stream said.

    Attributes:
        levels: Levels of the display in dB, in order.
        modes: Every value of each setting that was sent, in order.
        garbage: Number of bytes that made no sense.
        raw: The bytes as they came.
    """

    levels: list[float] = field(default_factory=list)
    modes: list[tuple[Mode, str]] = field(default_factory=list)
    garbage: int = 0
    raw: bytes = b""

    def add(self, more: "Heard") -> None:
        """Append what was heard next."""
        self.levels += more.levels
        self.modes += more.modes
        self.garbage += more.garbage
        self.raw += more.raw


class Dt8852Stream:
    """Takes the stream apart, in pieces of any size."""

    def __init__(self) -> None:
        self._rest = b""
        self._pending: float | None = None

    def feed(self, data: bytes) -> Heard:
        """Take the next bytes; a frame that is not complete waits for the rest."""
        heard = Heard(raw=data)
        buffer = self._rest + data
        while True:
            start = buffer.find(_START)
            if start < 0:
                heard.garbage += len(buffer)
                buffer = b""
                break
            heard.garbage += start
            buffer = buffer[start:]
            if len(buffer) < 2:
                break
            length = 2 + _DATA.get(buffer[1], 0)
            # Cut short: data are decimal digits, two a byte, and A5 is not such a byte.
            if _START in buffer[1:length]:
                heard.garbage += 1
                buffer = buffer[1:]
                continue
            if len(buffer) < length:
                break
            self._take(buffer[1], buffer[2:length], heard)
            buffer = buffer[length:]
        self._rest = buffer
        return heard

    def _take(self, token: int, data: bytes, heard: Heard) -> None:
        # The display is worth more than the bar-graph, which lives its own life.
        if self._pending is not None and token != _BARGRAPH:
            heard.levels.append(self._pending)
        self._pending = None
        if token == _LEVEL:
            self._pending = _bcd(data)
            if self._pending is None:
                heard.garbage += 4
        elif token in MODES:
            heard.modes.append(MODES[token])
        elif token not in (_TIME, _BARGRAPH, *_WITHOUT_MEANING):
            heard.garbage += 2


def _bcd(data: bytes) -> float | None:
    """Read four decimal digits as tenths of a dB; None where they cannot be a level."""
    digits = data.hex()
    level = int(digits) / 10 if digits.isdecimal() else math.inf
    return level if level <= _HIGHEST else None
