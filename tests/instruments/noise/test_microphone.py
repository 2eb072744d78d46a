from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from instruments.errors import SourceError
from instruments.noise.microphone import DRIVER, Microphone
from instruments.noise.sound_devices import audio_api, find_input
from instruments.noise.weighting import Floats
from instruments.reading import Status
from instruments.tools.hosts import LocalHost
from tests.instruments.given import given
from tests.instruments.noise.sound import RATE, sine

_BLOCK = RATE // 20


@dataclass
class Flags:
    input_overflow: bool = False


class FakeStream:
    """Gives all its sound at once when it is started, as fast as it is taken."""

    def __init__(self, sound: Floats, callback: Callable[..., None]) -> None:
        self.sound = sound
        self.callback = callback
        self.active = True
        self.closed = False

    def start(self) -> None:
        if not self.sound.size:
            raise RuntimeError("Device unavailable [PaErrorCode -9985]")
        self.give(self.sound)

    def give(self, sound: Floats, *, overflow: bool = False) -> None:
        for at in range(0, sound.size, _BLOCK):
            block = sound[at : at + _BLOCK].astype(np.float32)[:, np.newaxis]
            self.callback(block, len(block), None, Flags(overflow))
            overflow = False

    def close(self) -> None:
        self.closed = True


class FakeAudio:
    """PortAudio without a sound card."""

    def __init__(self, sound: Floats, *names: str) -> None:
        self.sound = sound
        self.names = names or ("UMIK-1: USB Audio (hw:1,0)",)
        self.streams: list[FakeStream] = []
        self.options: dict[str, Any] = {}

    def query_devices(self) -> Sequence[Mapping[str, Any]]:
        speaker = {"name": "Speaker", "max_input_channels": 0}
        return [speaker, *({"name": n, "max_input_channels": 2} for n in self.names)]

    def InputStream(self, **options: Any) -> FakeStream:
        self.options = options
        if options["samplerate"] == 96_000:
            raise RuntimeError("Invalid sample rate [PaErrorCode -9997]")
        self.streams.append(FakeStream(self.sound, options["callback"]))
        return self.streams[-1]


def _microphone(
    audio: FakeAudio, device: str = "umik", timeout_s: float = 60.0, **more: Any
) -> Microphone:
    keys = {"device": device, "calibration": 114.0, "floor": 20.0, **more}
    parameters = given(DRIVER, "mic", **keys)
    return Microphone(parameters, api=lambda _: audio, timeout_s=timeout_s)


def test_seconds_follow_each_other_after_the_filters_settled() -> None:
    audio = FakeAudio(sine(1000.0, 2.6) + 0.05)
    source = _microphone(audio)
    identity = source.open()
    assert identity.model == "UMIK-1: USB Audio (hw:1,0)"
    assert identity.address.endswith("channel 1, 48000 Hz")
    assert not identity.simulated
    assert (audio.options["device"], audio.options["blocksize"]) == (1, _BLOCK)
    for _ in range(2):
        reading = source.read()
        assert reading.values == pytest.approx((94.0, 94.0), abs=0.05)
        assert reading.end_ns - reading.start_ns == 1_000_000_000
    source.close()
    assert audio.streams[0].closed


def test_the_slow_level_has_settled_before_its_first_second() -> None:
    audio = FakeAudio(sine(1000.0, 5.1))
    source = _microphone(audio, also=("LAS",))
    source.open()
    reading = source.read()
    assert reading.channels[2].name == "mic.LAS"
    assert reading.values[2] == pytest.approx(94.0, abs=0.05)
    source.close()


def test_it_reads_sooner_while_sound_piles_up() -> None:
    source = _microphone(FakeAudio(sine(1000.0, 3.5)))
    source.open()
    assert source.period_s == 1.0
    source.read()
    assert source.period_s < 1.0
    source.read()
    source.read()
    assert source.period_s == 1.0
    source.close()


def test_an_overflow_is_a_gap_with_its_reason() -> None:
    audio = FakeAudio(sine(1000.0, 1.5))
    source = _microphone(audio)
    source.open()
    assert source.read().statuses[0] is Status.OK
    audio.streams[0].give(sine(1000.0, 2.0), overflow=True)
    lost = source.read()
    assert lost.statuses == (Status.ERROR, Status.ERROR)
    assert lost.raw.endswith(b"broken")
    assert source.read().statuses[0] is Status.OK
    source.close()


def test_more_sound_than_is_taken_is_a_gap_too() -> None:
    audio = FakeAudio(sine(1000.0, 31.0))
    source = _microphone(audio)
    source.open()
    for _ in range(29):
        assert source.read().statuses[0] is Status.OK
    audio.streams[0].give(sine(1000.0, 1.0))
    assert source.read().statuses[0] is Status.ERROR
    source.close()


def test_unplugged_silent_and_back() -> None:
    audio = FakeAudio(sine(1000.0, 1.7))
    source = _microphone(audio, timeout_s=2.0)
    source.open()
    source.read()
    with pytest.raises(SourceError, match="no sound comes") as caught:
        source.read()
    assert caught.value.status is Status.TIMEOUT
    audio.streams[0].active = False
    with pytest.raises(SourceError, match="has stopped") as caught:
        source.read()
    assert caught.value.status is Status.ABSENT
    source.close()
    source.open()
    assert source.read().statuses[0] is Status.OK
    source.close()


def test_a_muted_microphone_is_stale() -> None:
    source = _microphone(FakeAudio(np.zeros(2 * RATE)))
    source.open()
    assert source.read().statuses == (Status.STALE, Status.STALE)
    source.close()


def test_an_input_that_does_not_open_says_why() -> None:
    source = _microphone(FakeAudio(sine(1000.0, 1.0)), rate=96_000)
    with pytest.raises(SourceError, match="Invalid sample rate"):
        source.open()
    source.close()
    audio = FakeAudio(np.zeros(0))
    with pytest.raises(SourceError, match="Device unavailable"):
        _microphone(audio).open()
    assert audio.streams[0].closed


@pytest.mark.parametrize(
    ("names", "wanted", "reason"),
    [
        (["Webcam"], "UMIK", 'no sound input is called "UMIK". There are "Webcam"'),
        (["Mic A", "Mic B"], "mic", "2 sound inputs have"),
    ],
)
def test_an_input_is_found_by_one_name_only(
    names: list[str], wanted: str, reason: str
) -> None:
    with pytest.raises(SourceError) as caught:
        find_input(FakeAudio(np.zeros(0), *names), wanted, "mic")
    assert reason in str(caught.value)
    assert find_input(FakeAudio(np.zeros(0), "Mic", "Mic B"), "Mic", "") == (1, "Mic")


def test_without_a_sound_card_or_portaudio_the_driver_says_so() -> None:
    host = LocalHost()
    given = {"device": "no such microphone", "calibration": 114.0}
    source = DRIVER.build(DRIVER.settings("mic", given, host))
    with pytest.raises(SourceError, match=r"PortAudio is not installed|no sound input"):
        source.open()
    assert all(found.values["device"] for found in DRIVER.discover(host))


def test_portaudio_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "sounddevice":
                raise OSError("PortAudio library not found")

    monkeypatch.delitem(__import__("sys").modules, "sounddevice", raising=False)
    monkeypatch.setattr("sys.meta_path", [Missing()])
    with pytest.raises(SourceError, match="libportaudio2"):
        audio_api("mic")


def test_portaudio_that_fails_is_a_sentence() -> None:
    class Broken(FakeAudio):
        def query_devices(self) -> list[dict[str, Any]]:
            raise RuntimeError("Error querying host API")

    with pytest.raises(SourceError, match=r"cannot be listed \(Error querying"):
        find_input(Broken(np.zeros(0), "Mic"), "Mic", "mic")
