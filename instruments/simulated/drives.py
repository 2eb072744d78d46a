"""The drives of the simulated enclosure: in or out, and in which power condition."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from instruments.simulated.staggered import SPIN_W

IDLE_W = 440.0 / 60
"""What a drive that turns draws at the mains, in W."""

SPEED_UP_W = 10.0
"""What it draws while it gains speed from a lower one: no more than a busy drive."""


class State(StrEnum):
    """Power conditions of EPC (SPC-4), and what a slot may be beside them."""

    ACTIVE = "active"
    IDLE_A = "idle_a"
    IDLE_B = "idle_b"
    IDLE_C = "idle_c"
    STANDBY_Y = "standby_y"
    STANDBY_Z = "standby_z"
    WAKING = "waking"
    OUT = "out"


SHARES = {
    State.ACTIVE: 1.0,
    State.IDLE_A: 0.92,
    State.IDLE_B: 0.77,
    State.IDLE_C: 0.53,
    State.STANDBY_Y: 0.53,
    State.STANDBY_Z: 0.21,
    State.OUT: 0.0,
}
"""Share of the idle power.

From the currents at 5 V and 12 V in the Seagate Constellation ES.2 SAS product manual,
revision G, table 3: idle 6.98 W, idle_a 6.44 W, idle_b 5.38 W, idle_c and standby_y
3.70 W, standby_z 1.47 W. That the ratio is the same at the mains is assumed.
"""

WAKE_S = {
    State.IDLE_A: 0.01,
    State.IDLE_B: 0.65,
    State.IDLE_C: 5.0,
    State.STANDBY_Y: 5.0,
    State.STANDBY_Z: 10.0,
    State.OUT: 10.0,
}
"""Seconds until it answers again, the last one also after it was pushed in.

From the HGST Ultrastar 7K2 technical reference manual: idle_a below 10 ms, idle_b below
650 ms, idle_c and standby_y 3 to 15 s, standby_z like a start. Real drives take longer
than 10 s to start.
"""

# From these the spindle starts from rest.
_SPINS_UP = (State.STANDBY_Z, State.OUT)


@dataclass(slots=True)
class _Drive:
    state: State = State.ACTIVE
    left_s: float = 0.0
    waking_w: float = 0.0

    @property
    def watts(self) -> float:
        if self.state is State.WAKING:
            return self.waking_w
        return IDLE_W * SHARES[self.state]


class Drives:
    """All drives; time passes by `advance`.

    No load wakes a drive here, as real ones would be woken: what is followed is a disk
    of this machine, whose other programs would let none of them rest.

    Args:
        slots: How many there are.
    """

    def __init__(self, slots: int) -> None:
        self._drives = [_Drive() for _ in range(slots)]

    @property
    def states(self) -> list[State]:
        """State of each slot."""
        return [drive.state for drive in self._drives]

    @property
    def watts(self) -> list[float]:
        """What each drive draws without a load, in W."""
        return [drive.watts for drive in self._drives]

    @property
    def active(self) -> float:
        """Share of the slots whose drive takes a load."""
        return self._share(lambda state: state is State.ACTIVE)

    @property
    def present(self) -> float:
        """Share of the slots that have a drive."""
        return self._share(lambda state: state is not State.OUT)

    def insert(self, slot: int) -> None:
        """Push a drive in; it spins up."""
        if self._drives[slot].state is State.OUT:
            self._wake(self._drives[slot])

    def remove(self, slot: int) -> None:
        """Pull a drive out."""
        self._drives[slot].state = State.OUT

    def order(self, slot: int, state: State) -> None:
        """Bring a drive to a power condition; to be active it wakes first.

        Raises:
            ValueError: There is no drive in the slot, or that is not a power condition.
        """
        drive = self._drives[slot]
        if state in (State.WAKING, State.OUT):
            raise ValueError(f"{state} is not a power condition")
        if drive.state is State.OUT:
            raise ValueError(f"there is no drive in slot {slot}")
        if state is State.ACTIVE:
            self._wake(drive)
        else:
            drive.state = state

    def restart(self) -> None:
        """Take the conditions away, as a cold start does."""
        for drive in self._inserted():
            drive.state = State.ACTIVE

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        for drive in self._inserted():
            if drive.state is State.WAKING:
                drive.left_s -= seconds
                if drive.left_s <= 0.0:
                    drive.state = State.ACTIVE

    def _wake(self, drive: _Drive) -> None:
        # A second order changes nothing.
        if drive.state in (State.ACTIVE, State.WAKING):
            return
        drive.waking_w = SPIN_W if drive.state in _SPINS_UP else SPEED_UP_W
        drive.left_s = WAKE_S[drive.state]
        drive.state = State.WAKING

    def _inserted(self) -> Iterator[_Drive]:
        return (drive for drive in self._drives if drive.state is not State.OUT)

    def _share(self, counts: Callable[[State], bool]) -> float:
        return sum(counts(drive.state) for drive in self._drives) / len(self._drives)
