"""How late the simulated instruments are: what they show, and what they answer."""

from collections import deque
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

MOST_S = 60.0
"""Longest lag."""

# Sums of steps of 50 ms miss a lag by rounding alone.
_NEARLY = 1e-9


@dataclass(slots=True)
class Lags:
    """How late each is, in seconds, on top of what it is by itself.

    By themselves they are late by up to a tenth of a second, in which the load is
    read, and by their averaging: the meter's mean of 100 ms, the sound meter's second.

    Attributes:
        power: What the power meter shows, after the load.
        sound: What the sound meter hears, after the load.
        answer: Each answer of the meter's port and the enclosure's.
    """

    power: float = 0.0
    sound: float = 0.0
    answer: float = 0.0


class DelayLine(Generic[T]):
    """Gives back what it was given some time ago; the oldest there is at first."""

    def __init__(self) -> None:
        self._held: deque[tuple[float, T]] = deque()
        self._time = 0.0

    def pass_on(self, value: T, seconds: float, lag_s: float) -> T:
        """Take what is there for some seconds; give what was there `lag_s` ago."""
        self._held.append((seconds, value))
        self._time += seconds
        while len(self._held) > 1 and self._time - self._held[0][0] > lag_s + _NEARLY:
            self._time -= self._held.popleft()[0]
        return self._held[0][1]
