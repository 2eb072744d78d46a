"""Rates become fractions of what the target can do."""

from dataclasses import astuple

import pytest

from instruments.simulated.calibration import FLOOR, Calibration, FullScale, Origin
from instruments.simulated.load import Rates
from instruments.simulated.physics import IDLE, Load

FULL = FullScale(read_bps=1e9, write_bps=2e8, read_iops=50_000, write_iops=20_000)


def settled(calibration: Calibration, rates: Rates) -> Load:
    load = IDLE
    for _ in range(100):
        load = calibration.load(rates, 0.1)
    return load


def assert_load(found: Load, expected: Load) -> None:
    assert astuple(found) == pytest.approx(astuple(expected), abs=1e-6)


@pytest.mark.parametrize(
    ("rates", "load"),
    [
        (Rates(), IDLE),
        (Rates(write_iops=100, write_bps=1e8), Load(sequential_write=0.5)),
        (Rates(read_iops=1000, read_bps=1e9), Load(sequential_read=1.0)),
        (Rates(read_iops=5000, read_bps=5e9), Load(sequential_read=1.0)),
        (Rates(read_iops=25_000, read_bps=25_000 * 4096), Load(random_read=0.5)),
        (Rates(write_iops=5000, write_bps=5000 * 4096), Load(random_write=0.25)),
        (
            Rates(500, 100, 5e8, 5e7),
            Load(sequential_read=0.5, sequential_write=0.25),
        ),
    ],
)
def test_large_transfers_are_sequential_and_small_ones_random(
    rates: Rates, load: Load
) -> None:
    calibration = Calibration()
    calibration.set(FULL)
    assert_load(settled(calibration, rates), load)
    assert calibration.full == FULL


def test_sizes_between_the_two_are_some_of_both() -> None:
    calibration = Calibration()
    calibration.set(FULL)
    load = settled(calibration, Rates(read_iops=10_000, read_bps=10_000 * 45_000))
    assert 0 < load.random_read < 0.2
    assert 0 < load.sequential_read < 0.45


def test_uncalibrated_the_highest_rate_so_far_is_full() -> None:
    calibration = Calibration()
    assert calibration.origin is Origin.RUNNING
    high, low = (Rates(read_iops=n, read_bps=n * 4096) for n in (80_000, 20_000))
    assert settled(calibration, high).random_read == pytest.approx(1.0, abs=1e-3)
    assert settled(calibration, low).random_read == pytest.approx(0.25, abs=1e-3)
    assert calibration.full.write_bps == FLOOR.write_bps


def test_a_trickle_is_not_a_full_load() -> None:
    load = settled(Calibration(), Rates(write_iops=10, write_bps=1e6))
    assert 0 < load.sequential_write + load.random_write < 0.05


def test_a_recorded_calibration_holds() -> None:
    calibration = Calibration()
    settled(calibration, Rates(write_iops=4000, write_bps=4e9))
    calibration.start()
    settled(calibration, Rates(write_iops=1000, write_bps=1e9))
    calibration.stop()
    assert calibration.origin is Origin.CALIBRATED
    assert calibration.full.write_bps == pytest.approx(1e9, rel=1e-3)
    settled(calibration, Rates(write_iops=4000, write_bps=4e9))
    assert calibration.full.write_bps == pytest.approx(1e9, rel=1e-3)


def test_stopping_what_was_not_started() -> None:
    with pytest.raises(ValueError, match="no calibration was started"):
        Calibration().stop()


@pytest.mark.parametrize("bad", [0.0, -1.0, float("inf"), float("nan")])
def test_a_full_scale_of_nothing_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="write_bps must be greater than zero"):
        Calibration().set(FullScale(write_bps=bad))


def test_one_burst_does_not_set_the_scale() -> None:
    calibration = Calibration()
    calibration.load(Rates(write_iops=9000, write_bps=9e9), 0.1)
    settled(calibration, Rates())
    assert calibration.full.write_bps < 1e9
