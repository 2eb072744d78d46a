"""A made-up alignment step whose true offset is known: bursts, I/O and power."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.analysis.align.bursts import Burst
from app.analysis.samples import Floats, Times
from instruments.reading import SECOND, Channel

START = 1_000 * SECOND
_FINE = 1_000_000
_SPARE_S = 8.0


@dataclass(frozen=True)
class Clap:
    """One made-up step.

    Attributes:
        late_s: How much later than the load power is shown: minus the true offset.
        period_s: Of the power readings.
        window_s: Each of them is the mean over this long.
        lag_s: Time constant with which power follows the load.
        noise_w: Of each power reading.
        step_w: What the load adds.
        seed: Of noise, phases and lengths.
    """

    late_s: float = 0.1
    period_s: float = 0.1
    window_s: float = 0.1
    lag_s: float = 0.0
    noise_w: float = 4.0
    step_w: float = 200.0
    seed: int = 1
    bursts_n: int = 5

    @property
    def random(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    @property
    def channel(self) -> Channel:
        return Channel(
            "mains",
            "P",
            "W",
            period_ns=round(self.period_s * SECOND),
            window_ns=round(self.window_s * SECOND),
        )

    @property
    def bursts(self) -> tuple[Burst, ...]:
        lengths = self.random.uniform(2.0, 3.5, (self.bursts_n, 2)) * SECOND
        found, at = [], START + 3 * SECOND
        for burst, pause in lengths.astype(int).tolist():
            found.append(Burst(at, at + burst))
            at += burst + pause
        return tuple(found)

    @property
    def end(self) -> int:
        return self.bursts[-1].end_ns + 3 * SECOND

    def power(self) -> tuple[Times, Floats]:
        """Means over windows, read at another phase than the load's."""
        random = self.random
        fine, load = self._load()
        if self.lag_s:
            # It takes seconds to import, in each process of tests.
            from scipy import signal  # type: ignore[import-untyped]  # noqa: PLC0415

            share = 1 - np.exp(-_FINE / SECOND / self.lag_s)
            load = signal.lfilter([share], [1, share - 1], load)
        period = self.period_s * SECOND
        times = np.arange(START + random.uniform(0, period), self.end, period)
        shown = _means(fine, load, times - self.late_s * SECOND, self.window_s)
        values = 580 + self.step_w * shown + random.normal(0, self.noise_w, times.size)
        return times.astype(np.int64), values

    def io(self, *, goes_on: bool = False) -> tuple[Times, Floats]:
        """Rates at 2 Hz: fio's from each start on, or ones that go on with zeros."""
        random = self.random
        fine, load = self._load()
        half = SECOND // 4
        if goes_on:
            first = START + int(random.uniform(0, 2 * half))
            times = np.arange(first, self.end, 2 * half)
        else:
            times = np.concatenate(
                [
                    np.arange(b.start_ns + half, b.end_ns - half, 2 * half)
                    for b in self.bursts
                ]
            )
        rates = 500e6 * _means(fine, load, times, 0.5)
        return times, rates * (1 + random.normal(0, 0.02, times.size))

    def _load(self) -> tuple[Times, Floats]:
        spare = round(_SPARE_S * SECOND)
        fine = np.arange(START - spare, self.end + spare, _FINE)
        load = np.zeros(fine.size)
        for burst in self.bursts:
            load[(fine >= burst.start_ns) & (fine < burst.end_ns)] = 1.0
        return fine, load


def _means(
    fine: Times, load: Floats, times: npt.NDArray[np.generic], window_s: float
) -> Floats:
    integral = np.concatenate(([0.0], np.cumsum(load[:-1])))
    half = window_s * SECOND / 2
    centres = times.astype(np.float64)
    until = np.interp(centres + half, fine, integral)
    since = np.interp(centres - half, fine, integral)
    means: Floats = (until - since) * _FINE / (2 * half)
    return means
