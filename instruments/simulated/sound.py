"""A sound level meter: what it shows of a level that changes."""

import math
import random
from collections import deque

FAST_S = 0.125
"""The time constant "fast"."""

WINDOW_S = 1.0


class SoundMeter:
    """Keeps the last second of a sound.

    Args:
        seed: Makes the flicker of the level repeatable.
    """

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._fast = 0.0
        self._window: deque[tuple[float, float, float]] = deque()

    def hear(self, level: float, seconds: float) -> None:
        """Take a level in dB(A) that lasted for some seconds."""
        level += self._random.gauss(0.0, 0.25)
        energy = 10.0 ** (level / 10.0)
        if not self._window:
            self._fast = energy
        self._fast += (energy - self._fast) * (1.0 - math.exp(-seconds / FAST_S))
        self._window.append((seconds, energy, self._fast))
        while sum(item[0] for item in self._window) - self._window[0][0] >= WINDOW_S:
            self._window.popleft()

    @property
    def equivalent(self) -> float:
        """LAeq of the last second in dB: the mean of the energy."""
        total = sum(seconds for seconds, _, _ in self._window)
        energy = sum(seconds * energy for seconds, energy, _ in self._window)
        return 10.0 * math.log10(energy / total)

    @property
    def maximum(self) -> float:
        """LAFmax of the last second in dB."""
        return 10.0 * math.log10(max(fast for _, _, fast in self._window))
