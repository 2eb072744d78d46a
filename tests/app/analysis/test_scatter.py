"""Uncertainty of a mean by scatter, of readings that resemble each other."""

import math

import numpy as np
import pytest
from scipy.special import stdtrit  # type: ignore[import-untyped]

from app.analysis import scatter
from app.analysis.results import energy_mean_u
from app.analysis.scatter import mean_uncertainty
from tests.benchmarks.scatter_coverage import readings, share_held


@pytest.mark.parametrize(
    ("count", "r"), [(60, 0.0), (120, 0.7), (300, 0.8), (300, 0.95), (1000, 0.97)]
)
def test_twice_the_uncertainty_holds_the_mean_in_95_of_100(
    count: int, r: float
) -> None:
    windows = readings(np.random.default_rng(5), count, r, 1500)
    assert share_held(windows) == pytest.approx(0.95, abs=0.025)


def test_levels_hold_the_mean_by_energy_too() -> None:
    levels = 42 + 1.2 * readings(np.random.default_rng(8), 300, 0.9, 1500)
    deviation = 1.2 * math.log(10) / 10  # of a lognormal energy
    true = 42 + 10 / math.log(10) * deviation**2 / 2
    held = [
        abs(10 * np.log10(np.mean(10 ** (one / 10))) - true) <= 2 * energy_mean_u(one)
        for one in levels
    ]
    assert np.mean(held) == pytest.approx(0.95, abs=0.025)


def test_what_is_slow_beneath_a_noise_of_the_meter_is_seen() -> None:
    """Readings scatter by their meter, and wander with the fans beneath."""
    random = np.random.default_rng(3)
    slow = readings(random, 1000, 0.97, 1000)
    windows = 0.3**0.5 * slow + 0.7**0.5 * random.standard_normal(slow.shape)
    assert share_held(windows) > 0.92


def test_few_readings_and_those_without_scatter() -> None:
    assert mean_uncertainty([]) is None
    assert mean_uncertainty([np.array([5.0])]) is None
    assert mean_uncertainty([np.array([5.0, 5.0, 5.0])]) == 0
    # Two tell of one degree of freedom: t is 13.97.
    two = mean_uncertainty([np.array([4.0, 6.0])])
    assert two == pytest.approx(1.0 * 13.97 / 2)


def test_what_only_rises_is_known_within_what_was_seen() -> None:
    rising = mean_uncertainty([np.linspace(595.0, 605.0, 600)])
    assert rising is not None
    assert 2.5 < 2 * rising <= 10


def test_feeds_that_make_up_for_each_other_do_not_scatter_in_sum() -> None:
    one = readings(np.random.default_rng(2), 90, 0.5, 1)[0]
    assert mean_uncertainty([one, 10 - one]) == pytest.approx(0, abs=1e-9)


def test_the_factors_are_those_of_student() -> None:
    level = (1 + math.erf(2 / math.sqrt(2))) / 2
    for freedom, factor in scatter._FACTORS.items():
        assert factor == pytest.approx(stdtrit(min(freedom, 1e9), level), abs=0.006)
