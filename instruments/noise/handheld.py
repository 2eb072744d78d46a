"""What hand-held meters share: their keys, channels, and one second of levels."""

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from instruments.base import Link, Linked
from instruments.reading import SECOND, Channel, Status
from instruments.settings import Kind, Option, Settings
from instruments.timebase import monotonic_ns

# Time constant F of IEC 61672-1.
FAST_S = 0.125
SLOW_S = 1.0
"""Time constants of IEC 61672-1."""

WEIGHTING = Option(
    "weighting", "Frequency weighting.", Kind.CHOICE, "A", choices=("A", "C")
)

LATENCY_NS = round(FAST_S * SECOND)
"""The fast time weighting shows a step 125 ms late, to 63 %."""

STUCK_NS = 30 * SECOND
"""A live meter shows another tenth of a dB long before; a held display does not."""

L = TypeVar("L", bound=Link)


def serial_device(example: str) -> Option:
    """Make the option for the serial port of a meter."""
    return Option("device", "Serial port of the meter.", required=True, example=example)


def level_range(names: Sequence[str], text: str = "Range of levels.") -> Option:
    """Make the option for the range of levels, of which the widest is the default."""
    return Option("range", text, Kind.CHOICE, "30-130", choices=tuple(names), unit="dB")


class Handheld(Linked[L]):
    """A meter as a source of section "noise": level over a second, highest fast level.

    Args:
        settings: Name and options: where the meter is, and its weighting, "A" or "C",
            to which it is set.
        clock: Gives monotonic nanoseconds.
    """

    section = "noise"
    period_s = 1.0

    def __init__(
        self, settings: Settings, clock: Callable[[], int] = monotonic_ns
    ) -> None:
        self.name = settings.name
        self._device = settings.text("device")
        self._weighting = settings.text("weighting")
        super().__init__(f"{self.name} ({self._device})" if self._device else self.name)
        self._clock = clock
        self._level, self._level_since = math.nan, 0
        self.channels = tuple(
            Channel(self.name, quantity, "dB", "", SECOND, LATENCY_NS, SECOND)
            for quantity in (f"L{self._weighting}eq", f"L{self._weighting}Fmax")
        )

    def close(self) -> None:
        """Let go of the meter; see `Source.close`."""
        self._level = math.nan
        super().close()

    def _is_stuck(self, level: float) -> bool:
        """Take the next level in dB; tell whether it has been the same for too long."""
        now = self._clock()
        if level != self._level:
            self._level, self._level_since = level, now
        return now - self._level_since > STUCK_NS


def one_second(
    levels: Sequence[float], statuses: Sequence[Status]
) -> tuple[tuple[float, float], tuple[Status, Status]]:
    """Make the mean by energy and the highest of the fast levels of a second.

    A fast level that is missing spoils both, since nobody knows how loud it was. For
    noise that lasts, such as that of fans, the mean of fast levels is LAeq; the highest
    of a few levels a second may miss the top of a short peak.

    Args:
        levels: Fast levels in dB, at least one.
        statuses: A status for each.
    """
    spoilt = next((status for status in statuses if not status.is_value), None)
    if spoilt is not None:
        return (math.nan, math.nan), (spoilt, spoilt)
    # All are values here, OK or a warning, and there is one kind of warning.
    worst = next((s for s in statuses if s is not Status.OK), Status.OK)
    mean = sum(10 ** (level / 10) for level in levels) / len(levels)
    return (10 * math.log10(mean), max(levels)), (worst, worst)
