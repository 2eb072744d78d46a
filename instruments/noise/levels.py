"""Sound levels of one second after another, from blocks of samples of any size."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy import signal  # type: ignore[import-untyped]  # scipy has no types

from instruments.noise.handheld import FAST_S, SLOW_S
from instruments.noise.octaves import Band, band_filter, bands
from instruments.noise.weighting import Curve, Floats, Sections, weighting

FULL_SCALE = 0.9999
"""A sample of this size counts as clipped; 16 bits end at 0.99997."""

SETTLE_S = 0.5
"""Seconds that are not believed after a gap, while filters settle."""


@dataclass(frozen=True, slots=True)
class Second:
    """What one second of sound was.

    Attributes:
        levels: dB by name: LAeq, LCeq, LAF and LAS (at its end), LAFmax and the
            location of each band; minus infinity for digital silence.
        samples: Number of samples up to its end, since the start.
        peak: Largest sample, 1.0 is full scale.
        is_clipped: Whether a sample reached full scale.
        is_frozen: Whether all samples are the same, as of a muted microphone.
        is_broken: Whether samples are missing in it, or filters still settle.
    """

    levels: Mapping[str, float]
    samples: int
    peak: float
    is_clipped: bool
    is_frozen: bool
    is_broken: bool


class TimeWeighting:
    """Exponential averaging of squared sound, with its state kept.

    Args:
        rate: Sampling rate in Hz.
        seconds: Time constant, `FAST_S` or `SLOW_S`.
    """

    def __init__(self, rate: int, seconds: float) -> None:
        # One pole: exp(-t / tau) sampled, as IEC 61672-1 defines F and S.
        self._decay = math.exp(-1 / (rate * seconds))
        self._state = np.zeros(1)

    def apply(self, squares: Floats) -> Floats:
        """Average the next block of squares."""
        averaged, self._state = signal.lfilter(
            [1 - self._decay], [1, -self._decay], squares, zi=self._state
        )
        result: Floats = averaged
        return result


class LevelMeter:
    """Turns samples into levels, second by second.

    Args:
        rate: Sampling rate in Hz.
        calibration: dB of a sound whose RMS is 1.0 of full scale.
        with_bands: Whether to filter into third-octave bands (of unweighted sound).

    Raises:
        BadInput: The rate is too low or too high to be weighted.
    """

    def __init__(
        self, rate: int, calibration: float, *, with_bands: bool = False
    ) -> None:
        self.rate = rate
        self._calibration = calibration
        self._a = weighting(Curve.A, rate)
        self._c = weighting(Curve.C, rate)
        self._fast = TimeWeighting(rate, FAST_S)
        self._slow = TimeWeighting(rate, SLOW_S)
        chosen: tuple[Band, ...] = bands(rate) if with_bands else ()
        self._bands = {b.location: Sections(band_filter(b, rate)) for b in chosen}
        self._samples = 0
        self._sound_again = 0
        self._sums = _Sums()

    def feed(self, block: Floats) -> Iterator[Second]:
        """Take the next samples and give each second that is complete with them.

        Args:
            block: Samples, 1.0 is full scale.
        """
        while block.size:
            left = self.rate - self._samples % self.rate
            part, block = block[:left], block[left:]
            self._add(part)
            if part.size == left:
                yield self._finish()

    def settle(self, block: Floats) -> None:
        """Let the filters hear sound that is not measured, before the first second.

        Args:
            block: Samples, `SETTLE_S` of them or more.
        """
        if block.size:
            self._add(block)
        self._sums, self._samples = _Sums(), 0

    def lose(self) -> None:
        """Note that samples are missing before the next block."""
        self._sums.is_broken = True
        self._sound_again = self._samples + round(SETTLE_S * self.rate)

    def _add(self, part: Floats) -> None:
        sums = self._sums
        if self._samples < self._sound_again:
            sums.is_broken = True
        sums.smallest = min(sums.smallest, float(part.min()))
        sums.largest = max(sums.largest, float(part.max()))
        weighted = np.square(self._a.apply(part))
        fast = self._fast.apply(weighted)
        sums.fast_end, sums.fast_max = (
            float(fast[-1]),
            max(sums.fast_max, float(fast.max())),
        )
        sums.slow_end = float(self._slow.apply(weighted)[-1])
        sums.add("LAeq", weighted)
        sums.add("LCeq", np.square(self._c.apply(part)))
        for location, sections in self._bands.items():
            sums.add(location, np.square(sections.apply(part)))
        self._samples += part.size

    def _finish(self) -> Second:
        sums, self._sums = self._sums, _Sums()
        squares = {name: total / self.rate for name, total in sums.energy.items()}
        squares |= {"LAF": sums.fast_end, "LAFmax": sums.fast_max, "LAS": sums.slow_end}
        peak = max(abs(sums.smallest), abs(sums.largest))
        return Second(
            {name: self._level(square) for name, square in squares.items()},
            self._samples,
            peak,
            is_clipped=peak >= FULL_SCALE,
            # A microphone that is alive has noise of its own even in silence.
            is_frozen=sums.smallest == sums.largest,
            is_broken=sums.is_broken,
        )

    def _level(self, square: float) -> float:
        if square <= 0:
            return -math.inf
        return 10 * math.log10(square) + self._calibration


@dataclass(slots=True)
class _Sums:
    """What has been added up of the second that is not over."""

    energy: dict[str, float] = field(default_factory=dict)
    smallest: float = math.inf
    largest: float = -math.inf
    fast_max: float = 0.0
    fast_end: float = 0.0
    slow_end: float = 0.0
    is_broken: bool = False

    def add(self, name: str, squares: Floats) -> None:
        self.energy[name] = self.energy.get(name, 0.0) + float(squares.sum())
