"""From what was seen to fixed ranges."""

import math

import pytest

from instruments.power.hmc8015.config import CURRENT_RANGES, VOLTAGE_RANGES
from instruments.power.ranging import Observed, choose_range, plan_ranges


@pytest.mark.parametrize(
    ("rms", "peak", "crest_factor", "expected"),
    [
        (0.065, 0.14, 3, 0.1),  # 15 W in standby: RMS decides
        (0.065, 0.30, 3, 0.2),  # the same with a crest factor above 4
        (0.065, 0.30, 6, 0.1),
        (5.8, 8.7, 3, 10.0),  # 1300 W at the start
        (1.6, 2.4, 3, 2.0),
        (1.61, 2.4, 3, 5.0),  # 25 % of head-room
        (0.0, 0.0, 3, 0.005),
    ],
)
def test_the_smallest_range_that_holds_rms_and_peak(
    rms: float, peak: float, crest_factor: float, expected: float
) -> None:
    seen = Observed(rms, peak, 10)
    choice = choose_range(seen, CURRENT_RANGES, crest_factor)
    assert (choice.range, choice.suffices) == (expected, True)


def test_the_greatest_range_may_be_too_small() -> None:
    choice = choose_range(Observed(18.0, 55.0, 10), CURRENT_RANGES, 3)
    assert (choice.range, choice.suffices) == (20.0, False)


def test_samples_add_up_and_gaps_do_not() -> None:
    seen = Observed()
    for rms, peaks in (
        (2.0, (3.0, -3.5)),
        (math.nan, (math.nan, math.nan)),
        (1.0, (math.nan, 1.5)),
    ):
        seen = seen.with_sample(rms, peaks)
    assert seen == Observed(2.0, 3.5, 2)
    assert seen.crest_factor == 1.75
    assert Observed().crest_factor == 0.0


def test_an_overflow_is_at_least_what_the_range_took() -> None:
    seen = Observed().with_sample(1.0, (1.4, -1.4)).with_overflow(6.0)
    assert choose_range(seen, CURRENT_RANGES, 3).range == 5.0


def test_a_plan_says_what_it_is_for() -> None:
    plan = plan_ranges(
        Observed(230.0, 325.0, 10),
        Observed(18.0, 55.0, 10),
        voltage_ranges=VOLTAGE_RANGES,
        current_ranges=CURRENT_RANGES,
        crest_factor=3,
    )
    assert plan.text == (
        "300 V for 230 V RMS and 325 V peak; 20 A for 18 A RMS and 55 A peak "
        "(the greatest range, and too small)"
    )
