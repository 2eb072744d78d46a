"""Which fixed range fits what was seen: a ranging pass, and the plan it gives."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

HEADROOM = 1.25
"""How much greater than anything seen a range has to be; judged."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What one input saw during a ranging pass.

    Attributes:
        rms: Greatest RMS value, in V or A.
        peak: Greatest peak without its sign; where the input overflowed, the least
            that it can have been.
        samples: Samples that had a value.
    """

    rms: float = 0.0
    peak: float = 0.0
    samples: int = 0

    def with_sample(self, rms: float, peaks: Sequence[float]) -> "Observed":
        """Add a sample; a value that is NaN is excluded."""
        highest = max((abs(p) for p in peaks if not math.isnan(p)), default=0.0)
        return Observed(
            max(self.rms, 0.0 if math.isnan(rms) else abs(rms)),
            max(self.peak, highest),
            self.samples + (not math.isnan(rms)),
        )

    def with_overflow(self, most: float) -> "Observed":
        """Note that the peak was greater than the range could take, in V or A."""
        return replace(self, peak=max(self.peak, most))

    @property
    def crest_factor(self) -> float:
        """Peak over RMS of the greatest values; 0 where nothing was seen."""
        return self.peak / self.rms if self.rms else 0.0


@dataclass(frozen=True, slots=True)
class Choice:
    """One input's range.

    Attributes:
        range: The range in V or A.
        seen: What it was chosen for.
        suffices: Whether it holds all that was seen, with the head-room.
    """

    range: float
    seen: Observed
    suffices: bool


@dataclass(frozen=True, slots=True)
class RangePlan:
    """The fixed ranges of one step.

    Attributes:
        voltage: The voltage input.
        current: The current input.
        crest_factor: The meter's setting the ranges were chosen for.
    """

    voltage: Choice
    current: Choice
    crest_factor: float

    @property
    def text(self) -> str:
        """Say it in a few words, for the journal."""
        parts = [
            f"{choice.range:g} {unit} for {choice.seen.rms:.3g} {unit} RMS and "
            f"{choice.seen.peak:.3g} {unit} peak"
            + ("" if choice.suffices else " (the greatest range, and too small)")
            for choice, unit in ((self.voltage, "V"), (self.current, "A"))
        ]
        return "; ".join(parts)


def choose_range(
    seen: Observed, ranges: Sequence[float], crest_factor: float
) -> Choice:
    """Choose the smallest range that holds what was seen, with head-room.

    A range holds RMS values up to itself and peaks up to the crest factor times
    itself, as R&S describes for the HMC8015.

    Args:
        seen: RMS value and peak.
        ranges: The meter's ranges, rising.
        crest_factor: The meter's setting, 3 or 6.
    """
    wanted = HEADROOM * max(seen.rms, seen.peak / crest_factor)
    for each in ranges:
        if each >= wanted:
            return Choice(each, seen, suffices=True)
    # The greatest that there is: clipped values are marked, and the journal has it.
    return Choice(ranges[-1], seen, suffices=False)


def plan_ranges(
    voltage: Observed,
    current: Observed,
    *,
    voltage_ranges: Sequence[float],
    current_ranges: Sequence[float],
    crest_factor: float,
) -> RangePlan:
    """Choose both ranges; see `choose_range`."""
    return RangePlan(
        choose_range(voltage, voltage_ranges, crest_factor),
        choose_range(current, current_ranges, crest_factor),
        crest_factor,
    )


@runtime_checkable
class Ranging(Protocol):
    """A meter that can find fixed ranges for a step by looking at a short try of it.

    The owner's thread calls `begin_ranging`, goes on reading on its beat while the
    step's load is tried, and calls `end_ranging`. Every later `begin_step` of that
    label takes the plan's ranges.
    """

    def begin_ranging(self) -> None:
        """Let the meter choose its ranges and watch peaks; raises SourceError."""
        ...

    def end_ranging(self, label: str) -> RangePlan:
        """Fix the ranges again and keep the plan for a step's label.

        Raises:
            SourceError: Nothing was seen, or a setting was not taken.
        """
        ...


@runtime_checkable
class Capturing(Protocol):
    """A meter that can catch a start-up at its fastest rate.

    Between the two calls `read` waits for the meter's next refresh, so that none is
    missed and none is read twice, and delivers fewer channels.
    """

    def begin_capture(self) -> None:
        """Measure as little as is needed, as fast as it goes; raises SourceError."""
        ...

    def end_capture(self) -> None:
        """Measure all functions again; raises SourceError."""
        ...
