"""A and C frequency weighting of sampled sound, block by block.

The poles are those of IEC 61672-1. The low ones go through the bilinear transform,
each at its own frequency. The double pole at 12.2 kHz lies too near half the sampling
rate for that (2.7 dB are missing at 12.5 kHz), so three real poles and zeros are fitted
to its magnitude; no oversampling is needed, and a block of any size can be next.
"""

import functools
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, signal  # type: ignore[import-untyped]  # scipy has no types

from instruments.errors import BadInput

Floats = NDArray[np.float64]

LOWEST_RATE = 44_100
"""Hz; below it the recording lacks the highest bands, and a level would be too low."""

HIGHEST_RATE = 192_000
"""Hz; the highest rate that the weighting was measured at."""

POLES_HZ = _F1, _F2, _F3, _F4 = 20.598997, 107.652649, 737.862231, 12194.217148
"""Hz; pole frequencies of IEC 61672-1 annex E, by its formulas and not rounded."""

# Each is matched by a zero at 0 Hz.
_LOW_POLES = {"A": (_F1, _F1, _F2, _F3), "C": (_F1, _F1)}
# Weightings are 0 dB at 1 kHz (IEC 61672-1).
_REFERENCE_HZ = 1000.0
_FITTED = 3  # poles and zeros


class Curve(StrEnum):
    """A frequency weighting."""

    A = "A"
    C = "C"


def weighting_filter(curve: Curve, rate: int) -> Floats:
    """Design a weighting as second-order sections.

    Args:
        curve: The weighting.
        rate: Sampling rate in Hz.

    Raises:
        BadInput: The rate is outside `LOWEST_RATE` to `HIGHEST_RATE`.
    """
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise BadInput(
            f"a sampling rate of {rate} Hz cannot be weighted",
            where="rate",
            way_out=f"Use one from {LOWEST_RATE} to {HIGHEST_RATE} Hz, such as 48000.",
        )
    fitted_zeros, fitted_poles = _high_poles(rate)
    # Prewarped, each pole stays at its own frequency through the bilinear transform.
    warped = np.tan(np.pi * np.array(_LOW_POLES[curve]) / rate)
    poles = np.concatenate([(1 - warped) / (1 + warped), fitted_poles])
    zeros = np.concatenate([np.ones_like(warped), fitted_zeros])
    sections: Floats = signal.zpk2sos(zeros, poles, 1.0)
    sections[0, :3] /= 10 ** (response(sections, _REFERENCE_HZ, rate) / 20)
    return sections


def response(sections: Floats, frequencies: ArrayLike, rate: int) -> Floats:
    """Compute the magnitude of second-order sections in dB.

    Args:
        sections: As `weighting_filter` makes them.
        frequencies: In Hz, up to half the sampling rate.
        rate: Sampling rate in Hz.
    """
    points = np.atleast_1d(np.asarray(frequencies, dtype=np.float64))
    _, gains = signal.sosfreqz(sections, worN=points, fs=rate)
    levels: Floats = 20 * np.log10(np.abs(gains))
    return levels.reshape(np.shape(frequencies))


class Sections:
    """Second-order sections that keep their state from block to block.

    Args:
        sections: As scipy has them.
    """

    def __init__(self, sections: Floats) -> None:
        self._sections = sections
        self._state = np.zeros((len(sections), 2))

    def apply(self, block: Floats) -> Floats:
        """Filter the next block; where it is cut from the sound makes no difference."""
        if not block.size:
            return block
        filtered, self._state = signal.sosfilt(self._sections, block, zi=self._state)
        result: Floats = filtered
        return result


def weighting(curve: Curve, rate: int) -> Sections:
    """Make a weighting that is applied block by block; see `weighting_filter`."""
    return Sections(weighting_filter(curve, rate))


@functools.cache
def _high_poles(rate: int) -> tuple[Floats, Floats]:
    """Fit real zeros and poles to the double pole at 12.2 kHz, up to 20 kHz.

    All stay within the unit circle, since they are hyperbolic tangents of what is
    fitted; the start is fixed, so a rate has the same filter each time.
    """
    points = np.linspace(200.0, min(20_000.0, 0.46 * rate), 400)
    delay = np.exp(-2j * np.pi * points / rate)[:, np.newaxis]
    target = -20 * np.log10(1 + (points / _F4) ** 2)

    def misfit(values: Floats) -> Floats:
        zeros, poles = np.tanh(values).reshape(2, _FITTED)
        gain = (1 - zeros * delay) / (1 - zeros) * (1 - poles) / (1 - poles * delay)
        difference: Floats = 20 * np.log10(np.abs(gain.prod(axis=1))) - target
        return difference

    # It starts at the poles of the matched z-transform. A little apart: with equal ones
    # the derivatives are equal, too, and they would never part.
    matched = np.arctanh(np.exp(-2 * np.pi * _F4 / rate))
    spread = 0.02 * np.arange(_FITTED)
    start = np.concatenate([-0.2 + spread, matched - spread])
    fit = optimize.least_squares(misfit, start)
    zeros, poles = np.tanh(fit.x).reshape(2, _FITTED)
    return zeros, poles
