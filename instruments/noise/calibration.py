"""Calibration of a microphone with a source of 94 dB at 1 kHz.

The gain is that of the tone alone, so noise beside it does not count; a tone that is
wrong, unsteady, noisy or clipped is refused.
"""

import datetime
import math
from dataclasses import dataclass

import numpy as np
from scipy import signal  # type: ignore[import-untyped]  # scipy has no types

from instruments.errors import BadInput
from instruments.noise.levels import FULL_SCALE
from instruments.noise.recording import Recording
from instruments.noise.weighting import Floats

TONE_DB = 94.0
"""dB of a usual calibrator; 1 Pa RMS is 93.98 dB re 20 uPa."""

# Sound calibrators play 1 kHz (IEC 60942).
TONE_HZ = 1000.0
SHORTEST_S = 3.0  # twelve pieces, by which a tone is judged to be steady
_WIDEST_OFF = 0.02
"""Relative; what IEC 60942 leaves a class 2 calibrator, from knowledge of it."""

# What is 20 dB below the tone would add 0.04 dB to it: 10 lg(1 + 0.01).
_STEADIEST_DB = 0.2
_NOISIEST_DB = -20.0
_PIECE_S = 0.25  # 250 waves of 1 kHz
# Bins to each side that the main lobe of a Blackman-Harris window of four terms covers.
_LOBES = 4


@dataclass(frozen=True, slots=True)
class Calibration:
    """The gain of a microphone, as bench.toml keeps it.

    Attributes:
        gain: dB of a sound whose RMS is 1.0 of full scale.
        date: The day it was measured.
        frequency: Of the tone in Hz.
        spread: Largest less smallest level of its quarter seconds in dB.
        residual: What is beside the tone, relative to it in dB.
    """

    gain: float
    date: datetime.date
    frequency: float
    spread: float
    residual: float

    @property
    def keys(self) -> dict[str, float | str]:
        """The keys of bench.toml that hold it."""
        return {"calibration": round(self.gain, 2), "calibrated": self.date.isoformat()}


def calibrate(
    samples: Floats,
    rate: int,
    today: datetime.date,
    *,
    tone: float = TONE_DB,
    expected: float | None = None,
) -> Calibration:
    """Measure the gain from a recording of the calibrator's tone.

    Args:
        samples: At least three seconds, 1.0 is full scale.
        rate: Sampling rate in Hz.
        today: The day to note.
        tone: Level of the calibrator in dB, such as 94 or 114.
        expected: The last gain in dB; a change of more than 1 dB is refused.

    Raises:
        BadInput: The tone is too short, clipped, not there, at another frequency,
            unsteady or noisy, or the gain is far from the last one.
    """
    _check_samples(samples, rate)
    samples = samples - samples.mean()  # sound cards add an offset, which is no sound
    frequency, residual = _spectrum(samples, rate)
    if abs(frequency / TONE_HZ - 1) > _WIDEST_OFF:
        raise _refuse(f"the loudest tone is at {frequency:.0f} Hz, not at 1000 Hz")
    if residual > _NOISIEST_DB:
        raise _refuse(
            f"the noise beside the tone is only {-residual:.0f} dB below it",
            "Press the calibrator onto the microphone, and keep the room quiet.",
        )
    squares = [_tone_square(piece, frequency, rate) for piece in _pieces(samples, rate)]
    spread = 10 * math.log10(max(squares) / min(squares))
    if spread > _STEADIEST_DB:
        raise _refuse(
            f"the tone changes by {spread:.1f} dB",
            "Hold it still, and turn off automatic gain and noise suppression.",
        )
    gain = tone - 10 * math.log10(float(np.mean(squares)))
    if expected is not None and abs(gain - expected) > 1.0:
        raise _refuse(
            f"the gain is {gain:.1f} dB, and was {expected:.1f} dB last time",
            "Was the input gain changed? If so, discard the last calibration.",
        )
    return Calibration(gain, today, frequency, spread, residual)


def _check_samples(samples: Floats, rate: int) -> None:
    """Refuse what no tone can be measured in; raises BadInput."""
    if samples.size < SHORTEST_S * rate:
        raise _refuse(f"only {samples.size / rate:.1f} s of the tone were recorded")
    if not np.isfinite(samples).all() or np.ptp(samples) == 0:
        raise _refuse("the microphone delivered no sound")
    if np.abs(samples).max() >= FULL_SCALE:
        raise _refuse("the tone is clipped", "Turn the input gain down.")


def tone_of(recording: Recording, first: int = 0, count: int | None = None) -> Floats:
    """Take the tone out of a recording of it.

    Args:
        recording: The recording; it may be longer than the part that is measured.
        first: Number of the first sample.
        count: How many; None for all that follow.

    Raises:
        BadInput: It is clipped somewhere from there on: the gain was too high.
    """
    clipped = recording.first_at(FULL_SCALE, first)
    if clipped is not None:
        raise _refuse(
            f"the recording is clipped at {clipped / recording.rate:.2f} s",
            "Turn the input gain down, and record the tone again.",
        )
    return recording.part(first, len(recording) if count is None else count)


def _refuse(
    what: str, way_out: str = "Check that it is the calibrator that sounds."
) -> BadInput:
    return BadInput(what, where="calibration", way_out=way_out)


def _spectrum(samples: Floats, rate: int) -> tuple[float, float]:
    """Find the loudest tone in Hz, and all beside it relative to it in dB."""
    # Its side lobes lie 92 dB down, so that the tone does not count as its own noise.
    window = signal.windows.blackmanharris(samples.size, sym=False)
    power = np.square(np.abs(np.fft.rfft(samples * window)))
    power[: math.ceil(20 * samples.size / rate)] = 0  # below hearing
    top = int(power.argmax())
    lobe = slice(max(0, top - _LOBES), top + _LOBES + 1)
    total, tone = power.sum(), power[lobe].sum()
    near = np.arange(power.size)[lobe]
    frequency = float(np.average(near, weights=power[lobe])) * rate / samples.size
    residual = max(float(total - tone), 1e-30 * float(total))  # never the log of 0
    return frequency, 10 * math.log10(residual / float(tone))


def _pieces(samples: Floats, rate: int) -> list[Floats]:
    length = round(_PIECE_S * rate)
    count = samples.size // length
    return [samples[i * length : (i + 1) * length] for i in range(count)]


def _tone_square(piece: Floats, frequency: float, rate: int) -> float:
    """Fit a sine of that frequency and get its mean square.

    The mean square of the samples would count noise; of a sine it is half the square
    of its amplitude.
    """
    phase = 2 * np.pi * frequency / rate * np.arange(piece.size)
    base = np.column_stack([np.cos(phase), np.sin(phase), np.ones_like(phase)])
    (cosine, sine, _), *_ = np.linalg.lstsq(base, piece, rcond=None)
    return max(float(cosine**2 + sine**2) / 2, 1e-30)
