"""What hand-held meters share: channels, and one second made of several readings."""

import math
from collections.abc import Sequence

from instruments.reading import SECOND, Channel, Status
from instruments.settings import Kind, Option

PERIOD_S = 1.0

FAST_S = 0.125
SLOW_S = 1.0
"""Time constants of IEC 61672-1."""

WEIGHTING = Option(
    "weighting", "Frequency weighting.", Kind.CHOICE, "A", choices=("A", "C")
)

LATENCY_NS = round(FAST_S * SECOND)
"""The fast time weighting shows a step 125 ms late, to 63 %."""

FROZEN_NS = 30 * SECOND
"""A live meter shows another tenth of a dB long before; a held display does not."""


def level_channels(name: str, weighting: str) -> tuple[Channel, ...]:
    """Make the channels of a meter: level over a second, and highest fast level.

    Args:
        name: Name of the source.
        weighting: "A" or "C".
    """
    return tuple(
        Channel(name, quantity, "dB", "", SECOND, LATENCY_NS, SECOND)
        for quantity in (f"L{weighting}eq", f"L{weighting}Fmax")
    )


def one_second(
    levels: Sequence[float], statuses: Sequence[Status]
) -> tuple[tuple[float, float], tuple[Status, Status]]:
    """Make the mean by energy and the highest of the fast levels of a second.

    A fast level that is none spoils both, since nobody knows how loud it was. For
    noise that lasts, such as that of fans, the mean of fast levels is LAeq; the highest
    of a few levels a second may miss the top of a short peak.

    Args:
        levels: Fast levels in dB, at least one.
        statuses: A status for each.
    """
    spoilt = next((status for status in statuses if not status.is_value), None)
    if spoilt is not None:
        return (math.nan, math.nan), (spoilt, spoilt)
    worst = next((s for s in statuses if s is not Status.OK), Status.OK)
    mean = sum(10 ** (level / 10) for level in levels) / len(levels)
    return (10 * math.log10(mean), max(levels)), (worst, worst)


class FrozenWatch:
    """Tells when a meter has shown the very same level for too long."""

    def __init__(self) -> None:
        self._level = math.nan
        self._since = 0

    def is_frozen(self, level: float, now_ns: int) -> bool:
        """Look at the next level.

        Args:
            level: In dB, as the meter has it.
            now_ns: Monotonic time.
        """
        if level != self._level:
            self._level, self._since = level, now_ns
        return now_ns - self._since > FROZEN_NS
