"""A 60-bay enclosure as equations: what a load makes of power, heat, fans and noise.

Nothing here knows of clocks, sockets or disks: `advance` takes how much time has
passed and how hard the drives work. The figures lie in the region of published
reports on such enclosures: 15 W in standby, 580 W idle, about 700 W writing in
sequence, 780 W reading at random, drives from 30 to 46 degC at 26 degC ambient, 54 dB
idle and 90 dB with the fans at full speed.
"""

import math
import random
from dataclasses import dataclass
from enum import StrEnum

from instruments.simulated import staggered
from instruments.simulated.drives import IDLE_W, Drives, State

# Power factor at idle; supplies come nearer to 1 the more they deliver.
IDLE_LAMBDA = 0.975
MAINS_V = 230.0
MAINS_HZ = 50.0


@dataclass(frozen=True, slots=True)
class Electric:
    """What the mains see at one moment: W, VA, var, V, A, Hz."""

    active: float
    apparent: float
    reactive: float
    voltage: float
    current: float
    frequency: float


def measure_mains(watts: float, load_watts: float, noise: random.Random) -> Electric:
    """Measure once.

    Args:
        watts: Active power without noise.
        load_watts: The part of it that a load makes, which is less steady.
        noise: Gives the noise.
    """
    active = watts * (1.0 + noise.gauss(0.0, 0.0015))
    active += noise.gauss(0.0, 0.02) * load_watts
    factor = 1.0 - (1.0 - IDLE_LAMBDA) * (580.0 / max(active, 1.0)) ** 0.8
    apparent = active / max(factor, 0.3)
    voltage = MAINS_V + noise.gauss(0.0, 0.15)
    return Electric(
        active=active,
        apparent=apparent,
        reactive=math.sqrt(max(0.0, apparent**2 - active**2)),
        voltage=voltage,
        current=apparent / voltage,
        frequency=MAINS_HZ + noise.gauss(0.0, 0.004),
    )


# Watts on top of idle at full load of one kind, for all 60 drives.
SEQUENTIAL_WRITE_W = 120.0
SEQUENTIAL_READ_W = 110.0
RANDOM_WRITE_W = 20.0
RANDOM_READ_W = 200.0
MIXED_W = 55.0
"""Heads that go back and forth between reads and writes."""

MOST_W = 210.0
"""What a load adds at most, whatever it is made of."""


@dataclass(frozen=True, slots=True)
class Load:
    """How hard the drives work, each as a fraction of what they can do, 0 to 1."""

    sequential_read: float = 0.0
    sequential_write: float = 0.0
    random_read: float = 0.0
    random_write: float = 0.0

    @property
    def watts(self) -> float:
        """What the load adds to the idle power, in W."""
        each_alone = (
            self.sequential_write * SEQUENTIAL_WRITE_W
            + self.sequential_read * SEQUENTIAL_READ_W
            + self.random_write * RANDOM_WRITE_W
            + self.random_read * RANDOM_READ_W
        )
        reads = min(1.0, self.sequential_read + self.random_read)
        writes = min(1.0, self.sequential_write + self.random_write)
        both = min(1.0, 2.0 * min(reads, writes))
        return min(each_alone + both * MIXED_W, MOST_W)


IDLE = Load()


ROWS = 4
COLUMNS = 15
SLOTS = ROWS * COLUMNS
FANS = 6

OFF_W = 0.4
"""What the mains filter draws where everything else is off."""

STANDBY_W = 15.0
BASE_W = 140.0
"""The enclosure without drives, its fans at idle speed."""

# The worst moment of a start in which all drives turn up group by group.
SPIN_UP_W = 1300.0
SPIN_UP_S = 8.0
LOUD_START_S = 12.0

AMBIENT_C = 26.0
# A drive warms within some ten minutes; a fan gains speed within seconds.
DRIVE_TIME_CONSTANT_S = 600.0
FAN_TIME_CONSTANT_S = 1.5
IDLE_RPM = 2400.0
FULL_RPM = 13000.0
FAN_W_AT_IDLE = 20.0
FANS_MOST_W = 260.0
HOT_C = 42.0
"""Where the fans begin to speed up; they calm down `HYSTERESIS_K` below."""

HYSTERESIS_K = 1.0
IDLE_DB = 54.0
ROOM_DB = 32.0

_AIR_W_PER_K = 72.0  # what the air carries away at idle speed
_FRONT_K_PER_W = 0.55  # drive above the air around it, first row
_ROW_FACTOR = 0.45  # each row further back is cooled that much worse


class Power(StrEnum):
    """Whether the enclosure is on; in standby its BMC alone is."""

    OFF = "off"
    STANDBY = "standby"
    STARTING = "starting"
    ON = "on"


class Enclosure:
    """The state of the enclosure, moved on by `advance`.

    Args:
        speedup: How much faster than life drives warm and cool.
        seed: Makes the noise of the measurement repeatable.
    """

    def __init__(self, speedup: float = 1.0, seed: int = 1) -> None:
        self.speedup = speedup
        self.ambient = AMBIENT_C
        self.power = Power.ON
        self.load = IDLE
        self.bays = Drives(SLOTS)
        self._random = random.Random(seed)
        self._spread = [self._random.uniform(-0.06, 0.06) for _ in range(SLOTS)]
        self._since_start = math.inf
        self._staggered = False
        self._wanted_rpm = IDLE_RPM
        self._boosting = False
        self.rpm = IDLE_RPM
        self.drives = [0.0] * SLOTS
        self.drives = self._settled()

    def switch(self, on: bool) -> None:
        """Switch on, which is a cold start with loud fans, or off to standby."""
        if not on:
            self.power = Power.STANDBY
        elif self.power in (Power.OFF, Power.STANDBY):
            self.power = Power.STARTING
            self._since_start = 0.0
            self._staggered = False
            self.bays.restart()

    def cut(self) -> None:
        """Take the mains away."""
        self.power = Power.OFF

    def start(self) -> None:
        """Switch on with a staggered spin-up, whose every step is known.

        The fans are at full speed at once, and until all drives are ready.
        """
        if self.power in (Power.OFF, Power.STANDBY):
            self.switch(True)
            self._staggered = True
            self.rpm = FULL_RPM

    def settle(self) -> None:
        """Be on as if it had been for long: drives are ready and the fans calm."""
        self.switch(False)
        self.switch(True)
        self.power = Power.ON
        self._since_start = math.inf
        self.rpm = self._wanted_rpm = IDLE_RPM

    def answers(self, slot: int) -> bool:
        """Tell whether the drive in a slot is there and awake to answer."""
        if self.bays.states[slot] in (State.OUT, State.WAKING):
            return False
        if self.power is Power.STARTING and self._staggered:
            return staggered.is_ready(_group(slot), self._since_start)
        return self.power not in (Power.OFF, Power.STANDBY)

    def advance(self, seconds: float, load: Load = IDLE) -> None:
        """Let time pass under a load.

        Args:
            seconds: Real time; heat moves `speedup` times as far.
            load: How hard the drives work meanwhile.
        """
        self._since_start += seconds
        if self.power is Power.ON:
            self.bays.advance(seconds)
        if self.power is Power.STARTING and self._since_start > self._start_s:
            self.power = Power.ON
        self.load = load if self.power is Power.ON else IDLE
        share = 1.0 - math.exp(-seconds / FAN_TIME_CONSTANT_S)
        self.rpm += (self._fan_target(seconds) - self.rpm) * share
        share = 1.0 - math.exp(-seconds * self.speedup / DRIVE_TIME_CONSTANT_S)
        self.drives = [
            now + (end - now) * share
            for now, end in zip(self.drives, self._settled(), strict=True)
        ]

    @property
    def hottest(self) -> float:
        """Temperature of the hottest drive in degC."""
        return max(self.drives)

    @property
    def exhaust(self) -> float:
        """Temperature of the air that leaves, in degC."""
        return self.ambient + self._heat() / self._air()

    @property
    def watts(self) -> float:
        """Active power without the noise of the measurement, in W."""
        if self.power is Power.OFF:
            return OFF_W
        if self.power is Power.STANDBY:
            return STANDBY_W
        # The power of a fan grows with the cube of its speed (affinity laws).
        fans = FAN_W_AT_IDLE * ((self.rpm / IDLE_RPM) ** 3 - 1.0)
        base = BASE_W + min(fans, FANS_MOST_W)
        if self.power is Power.STARTING and self._staggered:
            return base + sum(
                staggered.drive_w(_group(slot), self._since_start, IDLE_W)
                for slot, state in enumerate(self.bays.states)
                if state is not State.OUT
            )
        if self.power is Power.STARTING and self._since_start < SPIN_UP_S:
            # Groups of drives spin up one after another; one moment is the worst.
            phase = self._since_start / SPIN_UP_S
            most = (SPIN_UP_W - base) * self.bays.present
            return base + most * math.sqrt(math.sin(math.pi * phase))
        return base + self._heat()

    @property
    def noise(self) -> float:
        """Sound level at 1 m in dB(A): fans by the fifth power law, and seeking."""
        levels = [ROOM_DB]
        if self.rpm > 100.0:
            levels.append(IDLE_DB + 50.0 * math.log10(self.rpm / IDLE_RPM))
        seeking = self.load.random_read + 0.5 * self.load.random_write
        if seeking > 0.01:
            levels.append(48.0 + 10.0 * math.log10(seeking))
        return 10.0 * math.log10(sum(10.0 ** (level / 10.0) for level in levels))

    def electric(self) -> Electric:
        """Measure the mains once, with the noise of a real line and a real load."""
        return measure_mains(self.watts, self._load_w, self._random)

    def fan_speeds(self) -> list[float]:
        """Get the speed of each fan in 1/min; no two run quite alike."""
        return [self.rpm * (1.0 + 0.004 * (fan - 2.5)) for fan in range(FANS)]

    @property
    def _start_s(self) -> float:
        """How long a cold start takes."""
        return staggered.READY_S if self._staggered else LOUD_START_S

    def _heat(self) -> float:
        """What all drives turn into heat, in W."""
        return sum(self._drives_w())

    @property
    def _load_w(self) -> float:
        """What the load adds, in W; drives that rest or are out take no part."""
        return self.load.watts * self.bays.active

    def _drives_w(self) -> list[float]:
        """What each drive turns into heat, in W."""
        if self.power in (Power.OFF, Power.STANDBY):
            return [0.0] * SLOTS
        share = self.load.watts / SLOTS
        return [
            idle_w + (share if state is State.ACTIVE else 0.0)
            for idle_w, state in zip(self.bays.watts, self.bays.states, strict=True)
        ]

    def _air(self) -> float:
        """What the air carries away, in W/K; still air carries a little."""
        return _AIR_W_PER_K * max(self.rpm / IDLE_RPM, 0.1)

    def _settled(self) -> list[float]:
        """Where each drive would end under the present load and fan speed."""
        each = self._drives_w()
        heat = sum(each)
        air = self._air()
        cooling = max(self.rpm / IDLE_RPM, 0.1) ** 0.6
        temperatures = []
        for slot in range(SLOTS):
            row = slot // COLUMNS
            around = self.ambient + heat * row / ROWS / air
            above = each[slot] * _FRONT_K_PER_W * (1.0 + _ROW_FACTOR * row) / cooling
            temperatures.append(around + above * (1.0 + self._spread[slot]))
        return temperatures

    def _fan_target(self, seconds: float) -> float:
        """Proportional and integral on the hottest drive, with hysteresis."""
        if self.power in (Power.OFF, Power.STANDBY):
            return 0.0
        if self._since_start < self._start_s:
            return FULL_RPM
        error = self.hottest - HOT_C
        if error > 0.0:
            self._boosting = True
        elif error < -HYSTERESIS_K:
            self._boosting = False
        if not self._boosting:
            self._wanted_rpm = IDLE_RPM
            return IDLE_RPM
        # The fans live in the drives' time, so the controller is sped up with them.
        self._wanted_rpm += 2.0 * error * seconds * self.speedup
        self._wanted_rpm = min(max(self._wanted_rpm, IDLE_RPM), FULL_RPM)
        return min(max(self._wanted_rpm + 150.0 * error, IDLE_RPM), FULL_RPM)


def _group(slot: int) -> int:
    """Get the group of drives that a slot spins up with."""
    return slot * staggered.GROUPS // SLOTS
