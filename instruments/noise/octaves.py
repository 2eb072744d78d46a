"""Third-octave bands of sampled sound, block by block.

Mid frequencies are the exact ones of IEC 61260-1 in base ten. Each band is a
Butterworth band-pass; near half the sampling rate the bilinear transform stretches its
lower flank, so each band takes the lowest order that keeps the class 1 limits there.
"""

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import signal  # type: ignore[import-untyped]  # scipy has no types

from instruments.noise.weighting import Floats, response

# The octave ratio of IEC 61260-1, base ten.
_G = 10 ** (3 / 10)
_NOMINAL = (
    *(20.0, 25.0, 31.5, 40.0, 50.0, 63.0, 80.0, 100.0, 125.0, 160.0, 200.0),
    *(250.0, 315.0, 400.0, 500.0, 630.0, 800.0, 1000.0, 1250.0, 1600.0, 2000.0),
    *(2500.0, 3150.0, 4000.0, 5000.0, 6300.0, 8000.0, 10000.0, 12500.0),
    *(16000.0, 20000.0),
)
_LOWEST_NUMBER = -17  # of 20 Hz: 1000 x 10^(-17/10) is 19.95 Hz
_ORDERS = (3, 4, 5, 6, 7, 8)

_LIMITS = (
    (0.0, -0.4, 0.4),
    (0.125, -0.4, 0.5),
    (0.25, -0.4, 0.7),
    (0.375, -0.4, 1.4),
    (0.5, -0.4, 5.3),
)
"""Octave-band break-points inside the band: exponent of G, least and most dB lost."""

_STOP = ((0.5, 1.2), (1.0, 16.6), (2.0, 40.5), (3.0, 60.0), (4.0, 70.0))
"""Break-points outside the band: exponent of G, least dB lost."""


@dataclass(frozen=True, slots=True)
class Band:
    """A third-octave band.

    Attributes:
        nominal: Its name in Hz.
        exact: Mid frequency in Hz, 1000 x 10^(n/10).
        order: Order of its Butterworth low-pass prototype.
    """

    nominal: float
    exact: float
    order: int

    @property
    def edges(self) -> tuple[float, float]:
        """The frequencies in Hz where the band begins and ends."""
        half = _G ** (1 / 6)
        return self.exact / half, self.exact * half

    @property
    def location(self) -> str:
        """Its name in a channel, such as "1000Hz", or "31_5Hz" for 31.5 Hz."""
        return f"{self.nominal:g}Hz".replace(".", "_")


@functools.cache
def bands(rate: int) -> tuple[Band, ...]:
    """List the bands from 20 Hz to 20 kHz that fit below half the sampling rate.

    At 44.1 kHz the band of 20 kHz, which ends at 22.4 kHz, does not exist.

    Args:
        rate: Sampling rate in Hz.
    """
    bands = []
    for number, nominal in enumerate(_NOMINAL, _LOWEST_NUMBER):
        exact = 1000.0 * 10 ** (number / 10)
        for order in _ORDERS:
            band = Band(nominal, exact, order)
            if band.edges[1] >= rate / 2:
                break
            if worst_margin(band, rate) >= 0:
                bands.append(band)
                break
    return tuple(bands)


def band_filter(band: Band, rate: int) -> Floats:
    """Design a band as second-order sections.

    Args:
        band: The band.
        rate: Sampling rate in Hz.
    """
    sections: Floats = signal.butter(
        band.order, band.edges, btype="bandpass", output="sos", fs=rate
    )
    return sections


def worst_margin(band: Band, rate: int) -> float:
    """Measure how far a band stays from the class 1 limits of relative attenuation.

    The limits are those of table 1 of IEC 61260-1:2014, taken from public programs
    that check filters and not from the standard's own text. Below half the sampling
    rate the magnitude is computed at 600 frequencies.

    Returns:
        The smallest distance in dB; negative where a limit is passed.
    """
    ratios = np.concatenate([np.geomspace(1 / 60, 1, 300), np.geomspace(1, 60, 300)])
    # At half the rate itself the bilinear transform lets nothing through.
    ratios = ratios[ratios * band.exact < 0.499 * rate]
    sections = band_filter(band, rate)
    with np.errstate(divide="ignore"):
        attenuation = -response(sections, ratios * band.exact, rate)
    least, most = limits(ratios)
    return float(np.minimum(attenuation - least, most - attenuation).min())


def limits(ratios: ArrayLike) -> tuple[Floats, Floats]:
    """Compute the class 1 limits of relative attenuation of a third-octave band.

    Between break-points the limits go in a straight line over the logarithm of the
    frequency; octave break-points are mapped to thirds as IEC 61260-1 has it.

    Args:
        ratios: Frequency over mid frequency.

    Returns:
        The least and the most dB that may be lost there.
    """
    # Symmetric about the mid frequency on a logarithmic scale.
    away = np.abs(np.log(np.asarray(ratios, dtype=np.float64)))
    inside = [np.log(_third(power)) for power, _, _ in _LIMITS]
    outside = [np.log(_third(power)) for power, _ in _STOP]
    is_inside = away < inside[-1]
    least = np.where(is_inside, -0.4, np.interp(away, outside, [m for _, m in _STOP]))
    most = np.interp(away, inside, [most for _, _, most in _LIMITS])
    return least, np.where(is_inside, most, np.inf)


def _third(power: float) -> float:
    """Map the octave break-point G^power to that of a third octave."""
    scale = (_G ** (1 / 6) - 1) / (_G**0.5 - 1)
    return float(1 + scale * (_G**power - 1))
