"""The bursts of an alignment step: how long the load is on and off, and what it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from app.plan.order import split_mix

BURSTS = 5
SHORTEST_S, LONGEST_S = 1.5, 3.5

OPTIONS: Mapping[str, str] = {
    "rw": "randread",
    "bs": "4k",
    "ioengine": "libaio",
    "iodepth": "32",
    "numjobs": "2",
    "norandommap": "1",
    "randrepeat": "0",
}
"""What fio does in a burst. It only reads: random writes may draw no more than idle."""

_UNIT_S = 0.001


@dataclass(frozen=True, slots=True)
class Beat:
    """One burst and the pause after it, in seconds."""

    burst_s: float
    pause_s: float


def beats(count: int = BURSTS, seed: int = 1) -> tuple[Beat, ...]:
    """Make a pattern of unequal bursts and pauses, the same for the same seed.

    Equal ones would look alike again after one of their periods, and lie at the same
    phase of a meter's readings; so each length is a whole number of milliseconds that
    is drawn evenly.
    """
    span = round((LONGEST_S - SHORTEST_S) / _UNIT_S) + 1
    lengths = [
        round(SHORTEST_S + (number % span) * _UNIT_S, 3)
        for number in islice(split_mix(seed), 2 * count)
    ]
    pairs = zip(lengths[::2], lengths[1::2], strict=True)
    return tuple(Beat(burst, pause) for burst, pause in pairs)


def duration_s(pattern: tuple[Beat, ...]) -> float:
    """Get how long a pattern lasts in seconds."""
    return sum(beat.burst_s + beat.pause_s for beat in pattern)
