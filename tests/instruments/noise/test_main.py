from pathlib import Path

import numpy as np
import pytest
from scipy.io import wavfile  # type: ignore[import-untyped]  # scipy has no types

from instruments.noise.__main__ import main
from instruments.noise.wav import DRIVER
from instruments.noise.weighting_table import table_text
from instruments.settings import complete
from tests.instruments.noise.sound import RATE, sine


def _run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["noise", *arguments])
    return main()


def test_the_lines_it_prints_are_keys_of_a_bench(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tone = sine(1000.0, 4.0, rms=0.1).astype(np.float32)
    wavfile.write(tmp_path / "tone.wav", RATE, tone)
    code = _run(monkeypatch, "calibrate", "--file", str(tmp_path / "tone.wav"))
    assert code == 0
    gain, day, note = capsys.readouterr().out.splitlines()
    assert gain == "calibration = 114.0"
    assert note.startswith("# 1000.0 Hz, steady to 0.00 dB")
    found = {"file": "a", "calibration": 114.0, "calibrated": day.split('"')[1]}
    assert complete(DRIVER.options, found)["calibration"] == 114.0


def test_a_wrong_tone_is_one_sentence_and_no_calibration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wavfile.write(tmp_path / "tone.wav", RATE, sine(440.0, 4.0).astype(np.float32))
    code = _run(monkeypatch, "calibrate", "--file", str(tmp_path / "tone.wav"))
    assert code == 2
    shown = capsys.readouterr()
    assert "at 440 Hz, not at 1000 Hz" in shown.err
    assert shown.out == ""


def test_it_prints_the_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(monkeypatch, "table") == 0
    assert capsys.readouterr().out.strip() == table_text()
