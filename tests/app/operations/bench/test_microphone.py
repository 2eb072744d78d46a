"""Calibrating a source of a bench: a tone in a WAV file, and what is written."""

from pathlib import Path

import numpy as np
import pytest
from scipy.io import wavfile  # type: ignore[import-untyped]  # scipy has no types

from app.bench.file import load_bench
from app.operations.bench.microphone import calibrate_source
from instruments.errors import BadInput

RATE = 48_000
BENCH = """# of our lab
name = "Fans"

[dut]
name = "x"
target = "{folder}/x"

[[noise]]
name = "quiet"
driver = "wav"
file = "{folder}/fans.wav"  # recorded in May
calibration = {last}
"""


@pytest.fixture
def tone(tmp_path: Path) -> Path:
    """A tone of 1 kHz whose RMS is 0.1 of full scale."""
    phase = 2 * np.pi * 1000 / RATE * np.arange(5 * RATE)
    file = tmp_path / "tone.wav"
    wavfile.write(file, RATE, (np.sqrt(0.02) * np.sin(phase)).astype(np.float32))
    return file


def bench(folder: Path, last: float) -> Path:
    file = folder / "bench.toml"
    file.write_text(BENCH.format(folder=folder, last=last))
    return file


def test_the_gain_is_written_and_comments_stay(tmp_path: Path, tone: Path) -> None:
    file = bench(tmp_path, 113.5)
    found = calibrate_source(file, "quiet", tone=tone)
    assert found.gain == pytest.approx(94.0 + 20.0, abs=0.01)
    text = file.read_text()
    assert "# of our lab" in text
    assert "# recorded in May" in text
    [source] = load_bench(file).sources
    assert source.keys["calibration"] == pytest.approx(114.0, abs=0.01)
    assert source.calibrated == found.date


def test_a_gain_that_jumped_is_refused_unless_it_is_meant(
    tmp_path: Path, tone: Path
) -> None:
    file = bench(tmp_path, 100.0)
    before = file.read_text()
    with pytest.raises(BadInput, match="the gain is"):
        calibrate_source(file, "quiet", tone=tone)
    assert file.read_text() == before
    assert calibrate_source(file, "quiet", tone=tone, anew=True).gain > 113


def test_only_microphones_can_be_calibrated(tmp_path: Path, tone: Path) -> None:
    with pytest.raises(BadInput, match='no microphone "mains"'):
        calibrate_source(bench(tmp_path, 114.0), "mains", tone=tone)
