"""Drives of the simulated enclosure: in, out, and in each power condition."""

import pytest

from instruments.simulated.drives import IDLE_W, SHARES, WAKE_S, Drives, State
from instruments.simulated.physics import BASE_W, SLOTS, Enclosure, Power
from instruments.simulated.staggered import SPIN_W

LOWEST_FIRST = (
    State.OUT,
    State.STANDBY_Z,
    State.STANDBY_Y,
    State.IDLE_C,
    State.IDLE_B,
    State.IDLE_A,
    State.ACTIVE,
)


def test_a_lower_condition_draws_no_more_than_a_higher_one() -> None:
    shares = [SHARES[state] for state in LOWEST_FIRST]
    assert shares == sorted(shares)
    assert shares[0] == 0.0


def test_an_enclosure_without_drives_draws_its_base() -> None:
    enclosure = Enclosure()
    for slot in range(SLOTS):
        enclosure.bays.remove(slot)
    assert enclosure.watts == pytest.approx(BASE_W)
    assert not enclosure.answers(0)


def test_an_enclosure_whose_start_is_over_is_calm_at_once() -> None:
    enclosure = Enclosure()
    enclosure.switch(False)
    enclosure.advance(10.0)
    for slot in range(SLOTS):
        enclosure.bays.remove(slot)
    enclosure.settle()
    assert enclosure.watts == pytest.approx(BASE_W)
    enclosure.advance(0.1)
    assert enclosure.power is Power.ON
    assert enclosure.noise < 55.0


def test_a_cold_start_without_drives_has_no_spin_up() -> None:
    enclosure = Enclosure()
    for slot in range(SLOTS):
        enclosure.bays.remove(slot)
    enclosure.switch(False)
    enclosure.start()
    seen = []
    while enclosure.power is Power.STARTING:
        enclosure.advance(0.1)
        seen.append(enclosure.watts)
    assert max(seen) < BASE_W + 300.0


@pytest.mark.parametrize("state", [s for s in LOWEST_FIRST if s in WAKE_S])
def test_waking_takes_its_time(state: State) -> None:
    drives = Drives(2)
    if state is State.OUT:
        drives.remove(1)
    else:
        drives.order(1, state)
    assert drives.watts == [IDLE_W, pytest.approx(IDLE_W * SHARES[state])]
    assert drives.active == 0.5
    if state is State.OUT:
        drives.insert(1)
    else:
        drives.order(1, State.ACTIVE)
    seen = [drives.states[1]]
    if state in (State.STANDBY_Z, State.OUT):
        assert drives.watts[1] == SPIN_W
    for share in (0.9, 0.2):
        drives.advance(WAKE_S[state] * share)
        seen.append(drives.states[1])
    assert seen == [State.WAKING, State.WAKING, State.ACTIVE]


def test_what_cannot_be_ordered() -> None:
    drives = Drives(2)
    drives.remove(0)
    with pytest.raises(ValueError, match="no drive in slot 0"):
        drives.order(0, State.IDLE_A)
    with pytest.raises(ValueError, match="waking is not a power condition"):
        drives.order(1, State.WAKING)
    drives.insert(1)
    assert drives.states == [State.OUT, State.ACTIVE]


def test_a_cold_start_ends_power_conditions_and_leaves_what_is_out() -> None:
    drives = Drives(2)
    drives.remove(0)
    drives.order(1, State.STANDBY_Z)
    drives.restart()
    assert drives.states == [State.OUT, State.ACTIVE]
    assert drives.present == 0.5
