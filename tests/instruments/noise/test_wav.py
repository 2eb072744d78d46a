import math
from pathlib import Path

import numpy as np
import pytest
from scipy.io import wavfile  # type: ignore[import-untyped]  # scipy has no types

from instruments.errors import BadInput, SourceError
from instruments.noise.wav import DRIVER, WavFile
from instruments.noise.weighting import Floats
from instruments.reading import SECOND, Status
from instruments.settings import Value
from instruments.tools.hosts import LocalHost
from tests.instruments.given import given
from tests.instruments.noise.sound import RATE, sine


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 7 * SECOND

    def __call__(self) -> int:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += round(seconds * SECOND)


def _write(file: Path, sound: Floats, kind: str = "int16", rate: int = RATE) -> Path:
    if kind == "float32":
        data = sound.astype(np.float32)
    elif kind == "uint8":
        data = np.round(sound * 128 + 128).astype(np.uint8)
    else:
        data = np.round(sound * np.iinfo(kind).max).astype(kind)
    wavfile.write(file, rate, data)
    return file


def _source(file: Path, clock: Clock, **options: Value) -> WavFile:
    keys: dict[str, Value] = {"file": str(file), "calibration": 114.0, **options}
    return WavFile(given(DRIVER, "rec", **keys), clock=clock, sleep=clock.sleep)


@pytest.mark.parametrize("kind", ["uint8", "int16", "int32", "float32"])
def test_a_tone_has_its_level_in_every_format(tmp_path: Path, kind: str) -> None:
    clock = Clock()
    source = _source(_write(tmp_path / "a.wav", sine(1000.0, 2.5), kind), clock)
    identity = source.open()
    assert "not live" in identity.model
    assert identity.simulated
    assert identity.firmware == "calibration 114.00 dB of an unknown day"
    source.read()
    second = source.read()
    assert second.values == pytest.approx((94.0, 94.0), abs=0.1)
    assert second.statuses == (Status.OK, Status.OK)


def test_24_bits_are_read_though_they_cannot_be_mapped(tmp_path: Path) -> None:
    samples = np.round(sine(1000.0, 1.5) * (2**23 - 1)).astype("<i4")
    packed = samples.view(np.uint8).reshape(-1, 4)[:, :3].tobytes()
    file = tmp_path / "a.wav"
    head = (
        b"RIFF" + (36 + len(packed)).to_bytes(4, "little") + b"WAVEfmt "
        b"\x10\0\0\0\x01\0\x01\0" + RATE.to_bytes(4, "little")
    )
    head += (3 * RATE).to_bytes(4, "little") + b"\x03\0\x18\0data"
    file.write_bytes(head + len(packed).to_bytes(4, "little") + packed)
    source = _source(file, Clock())
    source.open()
    assert source.read().values[0] == pytest.approx(94.0, abs=0.05)


def test_it_plays_on_its_own_time_and_ends_in_gaps(tmp_path: Path) -> None:
    loudness = np.repeat([0.1, 0.01, 0.1], RATE)
    sound = sine(1000.0, 3.0, rms=1.0) * loudness
    clock = Clock()
    source = _source(_write(tmp_path / "a.wav", np.append(sound, sound[:100])), clock)
    source.open()
    began = clock.now
    readings = [source.read() for _ in range(5)]
    assert [(r.start_ns - began) / SECOND for r in readings] == [0, 1, 2, 3, 4]
    assert all(r.end_ns - r.start_ns == SECOND for r in readings)
    levels = [reading.values[0] for reading in readings]
    assert levels[:3] == pytest.approx([94.0, 74.0, 94.0], abs=0.1)
    assert [r.statuses[0] for r in readings[3:]] == [Status.ABSENT] * 2
    assert math.isnan(levels[3])
    assert readings[4].raw == b"the recording is over"


def test_closed_and_opened_again_it_goes_on_by_the_clock(tmp_path: Path) -> None:
    sound = sine(1000.0, 4.0, rms=1.0) * np.repeat([0.1, 0.1, 0.1, 0.01], RATE)
    clock = Clock()
    source = _source(_write(tmp_path / "a.wav", sound), clock)
    source.open()
    source.read()
    source.close()
    with pytest.raises(SourceError, match="not open"):
        source.read()
    clock.sleep(2.0)
    source.open()
    assert source.read().values[0] == pytest.approx(74.0, abs=0.1)


def test_the_start_is_left_out_and_a_channel_chosen(tmp_path: Path) -> None:
    left = sine(1000.0, 3.0, rms=1.0) * np.repeat([0.1, 0.01, 0.01], RATE)
    file = _write(tmp_path / "a.wav", np.column_stack([left, left / 2]))
    source = _source(file, Clock(), channel=2, start=1.0)
    source.open()
    source.read()
    assert source.read().values[0] == pytest.approx(74.0 - 6.02, abs=0.05)
    with pytest.raises(SourceError, match=r"no channel 3\. It has 2"):
        _source(file, Clock(), channel=3).open()


def test_clipping_silence_and_the_floor_are_marked(tmp_path: Path) -> None:
    sound = np.concatenate([sine(1000.0, 1.0, rms=0.9), np.zeros(RATE)])
    clipped = np.concatenate([np.clip(sound, -1, 1), sine(1000.0, 2.0, rms=1e-3)])
    source = _source(_write(tmp_path / "a.wav", clipped), Clock(), floor=60.0)
    source.open()
    readings = [source.read() for _ in range(4)]
    assert [r.statuses[0] for r in readings] == [
        Status.OVERRANGE,
        Status.STALE,
        Status.UNDERRANGE,
        Status.UNDERRANGE,
    ]
    assert all(math.isnan(r.values[0]) for r in readings)
    assert b"LAeq 54." in readings[3].raw  # what it was is still to be found


def test_bands_and_other_levels_are_channels_where_asked_for(tmp_path: Path) -> None:
    clock = Clock()
    file = _write(tmp_path / "a.wav", sine(1000.0, 2.0), rate=48_000)
    source = _source(file, clock, also=("bands", "LCeq", "LAF"))
    assert [channel.name for channel in source.channels] == ["rec.LAeq", "rec.LAFmax"]
    source.open()
    source.read()
    reading = source.read()
    values = {c.name: v for c, v in zip(reading.channels, reading.values, strict=True)}
    assert len(values) == 4 + 31
    assert list(values)[:3] == ["rec.LAeq", "rec.LAFmax", "rec.LCeq"]
    assert values["rec.L_band.1000Hz"] == pytest.approx(94.0, abs=0.05)
    assert values["rec.L_band.2000Hz"] < 60
    before = source.channels
    source.open()
    assert source.channels is before


def test_las_is_a_gap_while_its_filter_settles(tmp_path: Path) -> None:
    def levels(start: float) -> list[tuple[float, Status]]:
        clock = Clock()
        source = _source(file, clock, start=start, also=("LAS",))
        source.open()
        at = [c.quantity for c in source.channels].index("LAS")
        readings = [source.read() for _ in range(5)]
        assert all(r.statuses[0] is Status.OK for r in readings), "LAeq is there"
        return [(r.values[at], r.statuses[at]) for r in readings]

    file = _write(tmp_path / "a.wav", sine(1000.0, 12.0))
    begun = levels(0.0)
    assert [status for _, status in begun] == [*[Status.NAN] * 3, *[Status.OK] * 2]
    assert begun[3][0] == pytest.approx(94.0, abs=0.1)
    later = levels(4.0)
    assert {status for _, status in later} == {Status.OK}
    assert later[0][0] == pytest.approx(94.0, abs=0.1)


def test_what_cannot_be_played_is_said(tmp_path: Path) -> None:
    text = tmp_path / "text.wav"
    text.write_text("no sound")
    cut = tmp_path / "cut.wav"
    cut.write_bytes(b"RIFF\x00")
    empty = _write(tmp_path / "empty.wav", sine(440.0, 1.0)[:0])
    slow = _write(tmp_path / "slow.wav", sine(440.0, 1.0, rate=8000), rate=8000)
    for file, reason in [
        (tmp_path / "none.wav", "there is no such file"),
        (text, "this is not a WAV file"),
        (cut, "this is not a WAV file"),
        (empty, "there is no sound in the file"),
        (slow, "a sampling rate of 8000 Hz cannot be weighted"),
    ]:
        with pytest.raises(SourceError, match=reason):
            _source(file, Clock()).open()


def test_the_driver_takes_the_benches_keys() -> None:
    host = LocalHost()
    given = {"file": "a.wav", "calibration": 114, "calibrated": "2026-03-01"}
    source = DRIVER.build(DRIVER.settings("rec", given | {"also": ["LAS"]}, host))
    assert [channel.quantity for channel in source.channels] == ["LAeq", "LAFmax"]
    with pytest.raises(BadInput, match="calibrated is"):
        DRIVER.build(DRIVER.settings("rec", given | {"calibrated": "May"}, host))
    with pytest.raises(BadInput, match="calibration is missing"):
        DRIVER.settings("rec", {"file": "a.wav"}, host)
