"""A calibrated microphone on a sound input of this machine.

What is checked is the filters, not the microphone: a USB microphone is not a class 1
sound level meter, however well its sound is weighted.
"""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from instruments.base import Linked
from instruments.driver import Driver, Found
from instruments.errors import SourceError
from instruments.noise.sound_devices import AudioApi, audio_api, find_input, input_names
from instruments.noise.sound_input import SoundInput
from instruments.noise.sound_readings import OPTIONS, SoundSource, sound_reading
from instruments.reading import SECOND, Identity, Reading, Status
from instruments.settings import Kind, Option, Settings
from instruments.timebase import monotonic_ns
from instruments.tools.hosts import Host

if TYPE_CHECKING:
    from instruments.noise.levels import Second

_SETTLE_S = 0.5
_SETTLE_SLOW_S = 4.0  # four time constants of LAS, within 0.1 dB of what it will be
_CATCH_UP_S = 0.9  # the beat that takes a little more sound than there comes


class Microphone(SoundSource, Linked[SoundInput]):
    """A microphone as a source of section "noise".

    Args:
        settings: Name and options.
        api: Loads PortAudio; the argument is the source, for errors.
        timeout_s: Seconds in which a second of sound has to come.
        clock: Gives monotonic nanoseconds.
    """

    driver = "microphone"

    def __init__(
        self,
        settings: Settings,
        *,
        api: Callable[[str], AudioApi] = audio_api,
        timeout_s: float = 2.5,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        SoundSource.__init__(self, settings)
        self._device = settings.text("device")
        Linked.__init__(self, f"{self.name} ({self._device})")
        self._rate = settings.integer("rate")
        self._api = api
        self._settle_s = _SETTLE_SLOW_S if "LAS" in self._sound.also else _SETTLE_S
        self._timeout_s = timeout_s
        self._clock = clock
        self._ready: deque[tuple[Second, int]] = deque()

    def open(self) -> Identity:
        """Open the input and let the filters settle; see `Source.open`."""
        self.close()
        self._prepare(self._rate, self._where)
        api = self._api(self._where)
        number, name = find_input(api, self._device, self._where)
        setting = {"rate": self._rate, "channel": self._channel}
        sound = SoundInput(api, number, self._where, clock=self._clock, **setting)
        with self._opening(sound):
            settled, needed = 0, self._settle_s * self._rate
            while settled < needed:
                block = sound.take(self._timeout_s)
                self._meter.settle(block.samples)
                settled += block.samples.size
        address = f"{name}, channel {self._channel}, {self._rate} Hz"
        return Identity("", name, "", self._sound.note, address)

    def read(self) -> Reading:
        """Wait until the next second is full; see `Source.read`."""
        source = self._opened()
        end = self._clock() + round(self._timeout_s * SECOND)
        while not self._ready:
            left = (end - self._clock()) / SECOND
            if left <= 0:
                raise SourceError(
                    "sound arrives more slowly than in real time",
                    where=self._where,
                    way_out="Check the sampling rate of the input.",
                    status=Status.TIMEOUT,
                )
            block = source.take(left)
            if block.is_after_gap:
                self._meter.lose()
            for second in self._meter.feed(block.samples):
                self._ready.append((second, block.end_ns))
        measured, at = self._ready.popleft()
        # Where the sound card's clock runs ahead of ours, sound would pile up.
        is_behind = bool(self._ready) or source.backlog_s >= 1
        self.period_s = _CATCH_UP_S if is_behind else 1.0
        return sound_reading(self.channels, measured, at, self._sound.floor)

    def close(self) -> None:
        """Let go of the input; may be called twice."""
        self._ready.clear()
        super().close()


def _discover(host: Host) -> list[Found]:
    """List the sound inputs; each has to be calibrated before it measures."""
    if host.name:
        return []
    try:
        names = input_names(audio_api("microphone"))
    except SourceError:  # no PortAudio, no microphones
        return []
    return [Found(f"Sound input {name}", {"device": name}) for name in names]


DRIVER = Driver(
    "noise",
    "microphone",
    "Calibrated microphone on a sound input",
    (
        Option(
            "device",
            "Name of the sound input, or a part of it that only it has.",
            required=True,
            example="UMIK-1",
        ),
        Option(
            "rate",
            "Sampling rate.",
            Kind.INTEGER,
            48_000,
            low=44_100,
            high=192_000,
            unit="Hz",
        ),
        Option(
            "channel",
            "Channel of the input; 2 where it has no mono channel.",
            Kind.INTEGER,
            1,
            low=1,
            high=64,
        ),
        *OPTIONS,
    ),
    Microphone,
    _discover,
)
