"""What the enclosure does under load, in a few milliseconds of real time."""

import itertools

import pytest

from instruments.simulated import staggered
from instruments.simulated.physics import (
    COLUMNS,
    FULL_RPM,
    HOT_C,
    IDLE,
    IDLE_RPM,
    ROWS,
    SLOTS,
    STANDBY_W,
    Enclosure,
    Load,
    Power,
)

RANDOM_READ = Load(random_read=1.0)


def after(
    seconds: float,
    load: Load,
    enclosure: Enclosure | None = None,
    *,
    step_s: float = 0.1,
) -> Enclosure:
    enclosure = enclosure or Enclosure(speedup=20)
    for _ in range(round(seconds / step_s)):
        enclosure.advance(step_s, load)
    return enclosure


@pytest.mark.parametrize(
    ("load", "watts"),
    [
        (IDLE, 580),
        (Load(sequential_write=1.0), 700),
        (Load(sequential_read=1.0), 690),
        (Load(random_write=1.0), 600),
        (RANDOM_READ, 780),
        (Load(sequential_read=0.5, sequential_write=0.5), 750),
        (Load(1.0, 1.0, 1.0, 1.0), 790),
    ],
)
def test_power_is_that_of_the_published_report(load: Load, watts: float) -> None:
    assert after(1.0, load).watts == pytest.approx(watts, abs=5)


def test_power_follows_the_load_at_once_and_in_proportion() -> None:
    half = after(0.1, Load(sequential_write=0.5)).watts
    assert half == pytest.approx(640, abs=1)


def test_the_settled_enclosure_stays_as_it_is() -> None:
    enclosure = Enclosure(speedup=20)
    before = list(enclosure.drives)
    after(60, IDLE, enclosure)
    assert enclosure.drives == pytest.approx(before, abs=0.01)
    assert enclosure.rpm == pytest.approx(IDLE_RPM)
    assert enclosure.noise == pytest.approx(54, abs=0.1)
    assert min(before) == pytest.approx(30, abs=1)


def test_rear_rows_are_warmer() -> None:
    drives = Enclosure().drives
    rows = [drives[row * COLUMNS : (row + 1) * COLUMNS] for row in range(ROWS)]
    means = [sum(row) / COLUMNS for row in rows]
    assert means == sorted(means)
    assert means[-1] - means[0] > 5


def test_a_load_heats_first_order() -> None:
    # At life speed the fans have not reacted within one time constant.
    enclosure = Enclosure(speedup=1)
    start, end = enclosure.drives[50], None
    load = Load(sequential_write=0.2)
    temperatures = []
    for _ in range(3):
        after(600, load, enclosure, step_s=1.0)
        temperatures.append(enclosure.drives[50])
    after(6000, load, enclosure, step_s=1.0)
    end = enclosure.drives[50]
    gone = [(t - start) / (end - start) for t in temperatures]
    assert gone == pytest.approx([0.632, 0.865, 0.950], abs=0.005)


def test_speedup_is_that_of_heat() -> None:
    slow, fast = Enclosure(speedup=1), Enclosure(speedup=20)
    load = Load(sequential_write=0.2)
    after(200, load, slow, step_s=1.0)
    after(10, load, fast)
    assert fast.drives == pytest.approx(slow.drives, abs=0.02)


def test_fans_react_to_the_hottest_drive_and_calm_down() -> None:
    enclosure = after(60, RANDOM_READ)
    assert HOT_C - 1 < enclosure.hottest < 46
    assert enclosure.rpm > IDLE_RPM * 1.1
    assert enclosure.noise > 56
    after(120, IDLE, enclosure)
    assert enclosure.rpm == pytest.approx(IDLE_RPM, rel=0.02)
    assert enclosure.hottest < HOT_C - 1
    assert enclosure.noise == pytest.approx(54, abs=0.3)


def test_fans_hold_the_hottest_drive_without_hunting() -> None:
    enclosure = after(300, RANDOM_READ)
    speeds, hottest = [], []
    for _ in range(300):
        after(0.1, RANDOM_READ, enclosure)
        speeds.append(enclosure.rpm)
        hottest.append(enclosure.hottest)
    assert max(speeds) - min(speeds) < 300
    assert hottest == pytest.approx([HOT_C] * 300, abs=0.5)


def test_a_hot_room_makes_all_hotter_and_louder() -> None:
    enclosure = Enclosure(speedup=20)
    enclosure.ambient = 35.0
    after(100, IDLE, enclosure)
    assert min(enclosure.drives) > 35
    assert enclosure.rpm > IDLE_RPM
    assert enclosure.exhaust > 36


def test_standby_and_a_loud_start() -> None:
    enclosure = Enclosure(speedup=20)
    enclosure.switch(False)
    after(20, RANDOM_READ, enclosure)
    assert enclosure.watts == 15
    assert enclosure.noise < 35
    assert enclosure.exhaust == pytest.approx(26)
    assert enclosure.load == IDLE  # drives that do not turn do not work
    enclosure.switch(True)
    enclosure.switch(True)
    powers, noises = [], []
    for _ in range(100):
        enclosure.advance(0.1, RANDOM_READ)
        powers.append(enclosure.watts)
        noises.append(enclosure.noise)
    assert powers[-1] > 700  # the fans are still loud
    assert max(powers) == pytest.approx(1300, abs=5)
    assert max(noises) > 90
    assert enclosure.rpm == pytest.approx(FULL_RPM, rel=0.02)
    after(30, IDLE, enclosure)
    assert enclosure.watts == pytest.approx(580, abs=5)
    assert after(1, RANDOM_READ, enclosure).load == RANDOM_READ


def test_the_mains_are_consistent_and_noisy() -> None:
    enclosure = Enclosure(seed=3)
    shots = [enclosure.electric() for _ in range(500)]
    mean = sum(shot.active for shot in shots) / len(shots)
    assert mean == pytest.approx(580, abs=1)
    assert len({shot.active for shot in shots}) == len(shots)
    for shot in shots:
        assert shot.apparent**2 == pytest.approx(shot.active**2 + shot.reactive**2)
        assert shot.current * shot.voltage == pytest.approx(shot.apparent)
        assert shot.active / shot.apparent == pytest.approx(0.975, abs=0.002)


def test_a_seed_repeats_the_noise() -> None:
    first, same, other = Enclosure(seed=1), Enclosure(seed=1), Enclosure(seed=2)
    assert first.electric() == same.electric()
    assert first.electric() != other.electric()
    assert first.drives == same.drives


def test_standby_has_a_poor_power_factor() -> None:
    enclosure = Enclosure()
    enclosure.switch(False)
    shot = enclosure.electric()
    assert 0.3 <= shot.active / shot.apparent < 0.8


def test_a_staggered_start_shows_its_groups_one_after_the_other() -> None:
    enclosure = Enclosure()
    enclosure.cut()
    assert enclosure.watts < 1.0
    assert not enclosure.answers(0)
    enclosure.start()
    enclosure.start()  # it is starting already
    seen: list[float] = []
    ready: list[float | None] = [None] * SLOTS
    for number in range(200):
        for slot in range(SLOTS):
            if ready[slot] is None and enclosure.answers(slot):
                ready[slot] = number * 0.1
        seen.append(enclosure.watts)
        enclosure.advance(0.1)
    rises = [b - a for a, b in itertools.pairwise(seen) if b - a > 100]
    assert len(rises) == staggered.GROUPS
    assert rises[0] == pytest.approx(SLOTS / staggered.GROUPS * staggered.SPIN_W)
    assert len(set(ready)) == staggered.GROUPS
    assert ready[-1] == pytest.approx(staggered.READY_S, abs=0.11)
    assert enclosure.power is Power.ON


def test_a_bmc_alone_draws_what_standby_draws() -> None:
    enclosure = Enclosure()
    enclosure.cut()
    enclosure.switch(False)
    assert enclosure.watts == STANDBY_W
    enclosure.start()
    assert enclosure.power is Power.STARTING
