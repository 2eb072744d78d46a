"""A recorded WAV file, played back second by second as if it sounded now.

It never pretends to be live: its identity says that it is a recording.
"""

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from instruments.driver import Driver
from instruments.errors import SourceError
from instruments.files.foreign_text import home_path
from instruments.noise.sound_readings import OPTIONS, SoundSource, sound_reading
from instruments.reading import SECOND, Identity, Reading, Status
from instruments.settings import Kind, Option, Settings
from instruments.timebase import monotonic_ns

if TYPE_CHECKING:
    from instruments.noise.recording import Recording
    from instruments.noise.weighting import Floats

_SLOW_S = 4
"""Seconds until LAS is what it would be: four time constants, within 0.1 dB."""


class WavFile(SoundSource):
    """A recording as a source of section "noise".

    Its first second is that after the source was first opened; a source that was
    closed goes on where it would be by then. After its end there are only gaps.

    Args:
        settings: Name and options.
        clock: Gives monotonic nanoseconds.
        sleep: Waits for seconds.
    """

    driver = "wav"

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Callable[[], int] = monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(settings)
        self._file = home_path(settings.text("file"))
        self._where = f"{self.name} ({self._file})"
        self._start = settings.number("start")
        self._clock = clock
        self._sleep = sleep
        self._began: int | None = None
        self._next = 0
        self._heard = 0
        self._recording: Recording | None = None

    def open(self) -> Identity:
        """Read the file's head; see `Source.open`."""
        from instruments.noise.recording import Recording  # noqa: PLC0415  (scipy)

        self.close()
        recording = Recording(self._file, self._channel, self._where)
        self._prepare(recording.rate, self._where)
        self._recording = recording
        now = self._clock()
        if self._began is None:
            self._began = now
        self._next = (now - self._began) // SECOND
        self._heard = 0
        # What was played before is heard once more, so that LAS has settled by now.
        for number in range(self._next - _SLOW_S, self._next):
            sound = self._second(number)
            self._meter.settle(sound)
            self._heard += sound.size >= recording.rate
        return Identity(
            "",
            "WAV file, a recording and not live",
            "",
            self._sound.note,
            f"{self._file}, channel {self._channel}, {recording.rate} Hz",
            simulated=True,
        )

    def read(self) -> Reading:
        """Wait until the next second is over, and measure it; see `Source.read`."""
        if self._began is None or self._recording is None:
            raise SourceError("the source is not open", where=self._where)
        end = self._began + (self._next + 1) * SECOND
        left = (end - self._clock()) / SECOND
        if left > 0:
            self._sleep(min(left, 1.0))
        seconds = list(self._meter.feed(self._second(self._next)))
        self._next += 1
        if seconds:
            floor = self._sound.floor
            reading = sound_reading(self.channels, seconds[0], end, floor)
            self._heard += 1  # LAS is that at its end
            return reading if self._heard >= _SLOW_S else _without_slow(reading)
        gaps = [(math.nan, Status.ABSENT)] * len(self.channels)
        over = b"the recording is over"
        return Reading.of(self.channels, (end - SECOND, end), gaps, over)

    def close(self) -> None:
        """Let go of the file; may be called twice."""
        self._recording = None

    def _second(self, number: int) -> "Floats":
        assert self._recording is not None
        rate = self._recording.rate
        return self._recording.part(round(self._start * rate) + number * rate, rate)


def _without_slow(reading: Reading) -> Reading:
    """Leave LAS out while its filter still settles: it begins at silence."""
    slow = [channel.quantity == "LAS" for channel in reading.channels]
    if not any(slow):
        return reading
    pairs = zip(slow, reading.values, reading.statuses, strict=True)
    kept = [(math.nan, Status.NAN) if is_slow else (v, s) for is_slow, v, s in pairs]
    return replace(
        reading,
        values=tuple(value for value, _ in kept),
        statuses=tuple(status for _, status in kept),
        trouble=f"LAS settles in the first {_SLOW_S} s.",
    )


DRIVER = Driver(
    "noise",
    "wav",
    "WAV file, recorded with a calibrated microphone",
    (
        Option("file", "The recording.", required=True, example="~/fans.wav"),
        Option(
            "start",
            "Seconds skipped at its beginning.",
            Kind.NUMBER,
            0.0,
            low=0.0,
            unit="s",
        ),
        Option("channel", "Channel of the file.", Kind.INTEGER, 1, low=1, high=64),
        *OPTIONS,
    ),
    WavFile,
)
