"""The simulated bench without its sockets: physics, meter, enclosure, one clock."""

import math
import random
import threading
from collections import deque
from dataclasses import dataclass, field, replace
from pathlib import Path

from instruments.simulated.calibration import Calibration
from instruments.simulated.faults import FROZEN, NAN, REBOOT, Faults, Port
from instruments.simulated.lag import DelayLine, Lags
from instruments.simulated.load import LoadReader
from instruments.simulated.meters.acquisition import Acquisition
from instruments.simulated.meters.model import make_meter
from instruments.simulated.physics import IDLE, Electric, Enclosure

FAST_S = 0.125
"""The time constant "fast"."""

WINDOW_S = 1.0


class SoundMeter:
    """Keeps the last second of a sound.

    Args:
        seed: Makes the flicker of the level repeatable.
    """

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._fast = 0.0
        self._window: deque[tuple[float, float, float]] = deque()

    def hear(self, level: float, seconds: float) -> None:
        """Take a level in dB(A) that lasted for some seconds."""
        level += self._random.gauss(0.0, 0.25)
        energy = 10.0 ** (level / 10.0)
        if not self._window:
            self._fast = energy
        # Exponential averaging of the energy, as IEC 61672-1 has it.
        self._fast += (energy - self._fast) * (1.0 - math.exp(-seconds / FAST_S))
        self._window.append((seconds, energy, self._fast))
        while sum(item[0] for item in self._window) - self._window[0][0] >= WINDOW_S:
            self._window.popleft()

    @property
    def equivalent(self) -> float:
        """LAeq of the last second in dB: the mean of the energy."""
        total = sum(seconds for seconds, _, _ in self._window)
        energy = sum(seconds * energy for seconds, energy, _ in self._window)
        return 10.0 * math.log10(energy / total)

    @property
    def maximum(self) -> float:
        """LAFmax of the last second in dB."""
        return 10.0 * math.log10(max(fast for _, _, fast in self._window))


STEP_S = 0.05
"""The physics moves in steps of at most this; the meter averages two of them."""

# A machine that slept, or stood still, does not catch up on hours of physics.
LONGEST_LAG_S = 5.0


@dataclass(frozen=True, slots=True)
class BenchConfig:
    """How a simulated bench is set up.

    Attributes:
        speedup: How much faster than life drives warm and cool.
        seed: Makes the noise of the measurement repeatable.
        target: The file or device whose load is followed; None follows all disks.
        faults: Faults from the start, such as "drop" or "silence,10,meter".
        meter: Which model of power meter there is.
        lags: How late its instruments are.
    """

    speedup: float = 1.0
    seed: int = 1
    target: Path | None = None
    faults: tuple[str, ...] = ()
    meter: str = "hmc8015"
    lags: Lags = field(default_factory=Lags)


class BenchModel:
    """All that is simulated; hold `lock` while using any of it.

    Attributes:
        lock: Guards everything else here.
        enclosure: The physics.
        meter: The power analyser.
        sound: The sound level meter.
        calibration: What makes rates into load.
        reader: What reads the real load.
        faults: What goes wrong at the ports.
        slot_faults: Status by slot that is shown instead of a temperature.
        lags: How late the instruments are.
        rest_s: For this many seconds to come nobody uses the drives, whatever the disks
            of this machine do.
    """

    def __init__(self, config: BenchConfig) -> None:
        self.lock = threading.RLock()
        self.enclosure = Enclosure(config.speedup, config.seed)
        self.acquisition = Acquisition()
        self.meter = make_meter(config.meter, self.acquisition)
        self.sound = SoundMeter(config.seed)
        self.calibration = Calibration()
        self.reader = LoadReader(config.target)
        self.lags = replace(config.lags)
        self.faults = Faults(lags=self.lags)
        self.slot_faults: dict[int, str] = {}
        self.rest_s = 0.0
        self._seen = DelayLine[Electric]()
        self._heard = DelayLine[float]()
        self._load = IDLE
        self._rebooting = False
        # Both meters have something to show from the first question on.
        self._step(STEP_S)
        self._step(STEP_S)

    def follow(self, target: Path | None) -> None:
        """Follow the load on another file or device."""
        self.reader = LoadReader(target)

    def advance(self, seconds: float) -> None:
        """Let real time pass, in even steps; what lies too far back is excluded."""
        self._fail()
        left = min(seconds, LONGEST_LAG_S)
        load = self.calibration.load(self.reader.rates(seconds), seconds)
        self._load = IDLE if self.rest_s else load
        self.rest_s = max(0.0, self.rest_s - seconds)
        while left > 1e-9:
            step = min(left, STEP_S)
            self._step(step)
            left -= step

    def _fail(self) -> None:
        """Let the meter suffer from the fault there is."""
        fault = self.faults.at(Port.METER)
        self.acquisition.frozen = fault == FROZEN
        self.acquisition.bursts = fault == NAN
        if self._rebooting and fault != REBOOT:
            self.meter.power_on()
        self._rebooting = fault == REBOOT

    def _step(self, seconds: float) -> None:
        self.enclosure.advance(seconds, self._load)
        now, lags = self.enclosure.electric(), self.lags
        seen = self._seen.pass_on(now, seconds, lags.power)
        self.acquisition.add(seen, seconds)
        heard = self._heard.pass_on(self.enclosure.noise, seconds, lags.sound)
        self.sound.hear(heard, seconds)
