"""A bench as large as a real one: 67 sources, 400 channels, 370 samples a second."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from app.record.store import SessionInfo
from instruments.reading import SECOND, Channel, Reading, Status

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_Row = tuple[str, str, float, float, float, float]
"""Quantity, unit, level, swing, noise and resolution of a channel."""

START = 5_000 * SECOND
INFO = SessionInfo(
    "benchmark", "", "", "bench", "0", True, "sixty drives", "boot", START, 0
)


@dataclass(frozen=True)
class Stream:
    """Channels read together, and how their values move.

    Attributes:
        channels: The channels.
        level: Mean of each channel.
        swing: Size of the slow movement of each.
        noise: Size of the noise of each.
        step: Resolution of the instrument for each.
    """

    channels: tuple[Channel, ...]
    level: Floats
    swing: Floats
    noise: Floats
    step: Floats

    @property
    def period_ns(self) -> int:
        """Time between two readings."""
        return self.channels[0].period_ns

    def readings(
        self, rng: np.random.Generator, start_s: float, end_s: float
    ) -> tuple[Ints, Ints, Floats]:
        """Make starts, ends and values of the readings between two times."""
        period = self.period_ns
        first = round(start_s * SECOND) // period
        last = round(end_s * SECOND) // period
        beats = np.arange(first, last, dtype=np.int64) * period
        starts = START + beats + rng.gamma(2, 40_000, beats.size).astype(np.int64)
        ends = starts + 2_000_000 + rng.gamma(2, 150_000, beats.size).astype(np.int64)
        hours = (beats / SECOND / 3600)[:, None]
        phase = np.arange(len(self.channels))
        slow = self.swing * np.sin(2 * np.pi * (hours * 1.7 + phase / 7))
        noise = self.noise * rng.standard_normal((beats.size, len(self.channels)))
        values = self.level + slow + noise
        return starts, ends, np.round(values / self.step) * self.step

    def beside_itself(self, times: int) -> "Stream":
        """Get so many of it that are read together, as channels of one source."""
        channels = tuple(
            replace(channel, location=f"n{number:02}")
            for number in range(times)
            for channel in self.channels
        )
        each = (self.level, self.swing, self.noise, self.step)
        level, swing, noise, step = (np.tile(one, times) for one in each)
        return Stream(channels, level, swing, noise, step)


def streams() -> list[Stream]:
    """Make the 67 sources of the reference bench."""
    made = []
    for drive in range(60):
        source = f"drive{drive:02}"
        made.append(
            _stream(
                source,
                SECOND,
                [
                    ("read_iops", "1/s", 180, 60, 25, 0.1),
                    ("write_iops", "1/s", 150, 60, 25, 0.1),
                    ("read_lat", "s", 0.012, 0.004, 0.002, 1e-6),
                ],
            )
        )
    power: list[_Row] = [("P", "W", 620, 80, 6, 0.01), ("S", "VA", 650, 80, 6, 0.01)]
    power += [("Q", "var", 190, 20, 4, 0.01), ("lambda", "", 0.95, 0.01, 0.001, 1e-4)]
    power += [("U", "V", 230, 2, 0.2, 0.01), ("I", "A", 2.8, 0.4, 0.03, 1e-4)]
    power += [("f", "Hz", 50, 0.01, 0.004, 1e-3), ("Wh", "Wh", 900, 90, 0.01, 1e-3)]
    power += [("Upp", "V", 650, 5, 1, 0.1), ("Ipp", "A", 9, 1, 0.2, 1e-3)]
    made.append(_stream("mains", SECOND // 10, power))
    for shelf in range(5):
        warm: list[_Row] = [("temperature", "degC", 38, 6, 0.3, 1.0)] * 24
        fans: list[_Row] = [("fan", "1/min", 6000, 1500, 40, 60.0)] * 6
        made.append(_stream(f"ses{shelf}", 5 * SECOND, warm + fans))
    made.append(_stream("noise", SECOND, [("L", "dB", 45, 6, 1.2, 0.1)] * 60))
    return made


def _stream(source: str, period: int, rows: Sequence[_Row]) -> Stream:
    names = [row[0] for row in rows]
    channels = tuple(
        Channel(
            source,
            row[0],
            row[1],
            "" if names.count(row[0]) == 1 else f"n{place:02}",
            period,
        )
        for place, row in enumerate(rows)
    )
    level, swing, noise, step = np.array([row[2:] for row in rows], dtype=np.float64).T
    return Stream(channels, level, swing, noise, step)


def seconds_of_readings(
    made: list[Stream], seconds: int, *, reply: bytes = b""
) -> Iterator[list[Reading]]:
    """Give the readings of all streams, half a second of the bench at a time."""
    rng = np.random.default_rng(1)
    block = 60
    for minute in range(0, seconds, block):
        batches: list[list[Reading]] = [[] for _ in range(2 * block)]
        for stream in made:
            fine = (Status.OK,) * len(stream.channels)
            starts, ends, values = stream.readings(rng, minute, minute + block)
            places = (starts - START) * 2 // SECOND - 2 * minute
            for place, start, end, row in zip(
                places.tolist(),
                starts.tolist(),
                ends.tolist(),
                values.tolist(),
                strict=True,
            ):
                reading = Reading(stream.channels, start, end, tuple(row), fine, reply)
                batches[min(place, 2 * block - 1)].append(reading)
        yield from batches
