"""One input of the simulated meter: its ranges, and what does not fit them."""

from dataclasses import dataclass

GAP_AFTER_CHANGE = 3
"""Refreshes without a value after a change of range, seen in logs of the real meter;
and after a change of functions, where the real one is waited for longer."""

FULL_SCALE = 1.1
"""RMS over range from which on there is no value any more; assumed."""

VOLTAGES = (5.0, 15.0, 30.0, 60.0, 150.0, 300.0, 600.0)
CURRENTS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)


@dataclass
class Input:
    """One input of the meter, voltage or current.

    Attributes:
        ranges: What can be chosen.
        range: What is chosen.
        automatic: Whether the meter chooses by itself.
        crest_factor: The greatest peak, as a multiple of the range.
        gap: Refreshes still to come without a value.
    """

    ranges: tuple[float, ...]
    range: float
    automatic: bool = False
    crest_factor: int = 3
    gap: int = 0

    def choose(self, wanted: float) -> None:
        """Take a range; a change costs some refreshes."""
        if wanted != self.range:
            self.range = wanted
            self.gap = GAP_AFTER_CHANGE

    def follow(self, rms: float) -> None:
        """Take the range that fits a value, where the meter chooses by itself."""
        if self.automatic:
            fitting = [each for each in self.ranges if each >= rms * 1.05]
            self.choose(fitting[0] if fitting else self.ranges[-1])

    @property
    def peak(self) -> float:
        """The greatest peak that is not clipped."""
        return self.range * self.crest_factor

    def overflows(self, rms: float) -> bool:
        """Whether a value is too great to be shown."""
        return rms > self.range * FULL_SCALE
