import datetime
from pathlib import Path

import numpy as np
import pytest
from scipy.io import wavfile  # type: ignore[import-untyped]  # scipy has no types

from instruments.errors import BadInput
from instruments.noise.calibration import Calibration, calibrate, tone_of
from instruments.noise.levels import LevelMeter
from instruments.noise.recording import Recording
from instruments.noise.weighting import Floats
from tests.instruments.noise.sound import RATE, hiss, sine

_TODAY = datetime.date(2026, 3, 1)


def _calibrate(sound: Floats, **options: float) -> Calibration:
    return calibrate(sound, RATE, _TODAY, **options)


def test_the_gain_is_that_of_the_tone_without_the_noise() -> None:
    tone = sine(1003.0, 5.0, rms=0.05) + hiss(5.0, rms=0.004) + 0.01
    found = _calibrate(tone)
    assert found.gain == pytest.approx(94 + 26.02, abs=0.02)
    assert found.frequency == pytest.approx(1003.0, abs=0.1)
    assert found.residual == pytest.approx(-21.9, abs=0.5)
    assert found.spread < 0.1
    assert found.keys == {"calibration": 120.02, "calibrated": "2026-03-01"}


def test_a_meter_with_the_gain_reads_the_calibrators_level() -> None:
    tone = sine(1000.0, 5.0, rms=0.03)
    *_, last = LevelMeter(RATE, _calibrate(tone, tone=114.0).gain).feed(tone)
    assert last.levels["LAeq"] == pytest.approx(114.0, abs=0.01)


def _unsteady() -> Floats:
    tone = sine(1000.0, 5.0)
    return np.asarray(tone * np.linspace(1.0, 0.95, tone.size))


@pytest.mark.parametrize(
    ("sound", "reason"),
    [
        (sine(1000.0, 2.0), "only 2.0 s of the tone"),
        (sine(1000.0, 4.0, rms=0.8), "the tone is clipped"),
        (sine(250.0, 4.0), "at 250 Hz, not at 1000 Hz"),
        (sine(1000.0, 4.0) + hiss(4.0, rms=0.03), "beside the tone is only 10 dB"),
        (hiss(4.0), "not at 1000 Hz"),
        (np.zeros(4 * RATE), "delivered no sound"),
        (_unsteady(), "the tone changes by 0.4 dB"),
    ],
)
def test_a_wrong_tone_is_refused(sound: Floats, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        _calibrate(sound)


def test_a_gain_far_from_the_last_one_is_refused() -> None:
    tone = sine(1000.0, 4.0, rms=0.1)
    assert _calibrate(tone, expected=113.5).gain == pytest.approx(114.0, abs=0.01)
    with pytest.raises(BadInput, match=r"was 112\.0 dB last time"):
        _calibrate(tone, expected=112.0)


def test_a_recording_that_clips_anywhere_is_refused(tmp_path: Path) -> None:
    """Also beside the part that is measured: the gain was too high."""
    tone = sine(1000.0, 30.0, rms=0.1)
    tone[28 * RATE + 24_000] = 1.2
    whole = np.clip(tone * 2**15, -(2**15), 2**15 - 1).astype(np.int16)
    wavfile.write(tmp_path / "clip.wav", RATE, whole)
    recording = Recording(tmp_path / "clip.wav", 1, "clip.wav")
    with pytest.raises(BadInput, match=r"the recording is clipped at 28\.50 s"):
        tone_of(recording, 0, 5 * RATE)
    assert tone_of(recording, 29 * RATE).size == RATE
