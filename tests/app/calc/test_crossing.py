"""Crossing points, efficiency and cost, against published figures."""

import pytest

from app.analysis.economics import Economics, per_watt
from app.calc.crossing import crossings
from app.calc.energy import kwh_per_year

K = 1024
SSD = {4 * K: 320.0, 8 * K: 416, 16 * K: 480, 32 * K: 480, 64 * K: 454, 128 * K: 480}
HDD = {4 * K: 45.0, 8 * K: 86, 16 * K: 160, 32 * K: 294, 64 * K: 518, 128 * K: 883}
"""MB/s of 8 SSDs and of 24 HDDs, in Toshiba's comparison of 2018."""


def test_the_published_sweeps_cross_between_32k_and_64k() -> None:
    (found,) = crossings(SSD, HDD)
    assert (found.below, found.above, found.second_leads) == (32 * K, 64 * K, True)
    assert found.size / K == pytest.approx(54, abs=1)


def test_the_other_way_round_the_first_one_leads() -> None:
    (found,) = crossings(HDD, SSD)
    assert not found.second_leads


def test_courses_that_do_not_meet_have_no_crossing() -> None:
    assert crossings(SSD, {size: 2 * value for size, value in SSD.items()}) == []
    assert crossings(SSD, {}) == []


def test_a_point_where_both_are_equal_is_passed_over() -> None:
    (found,) = crossings({1: 1.0, 2: 2.0, 4: 3.0}, {1: 2.0, 2: 2.0, 4: 2.0})
    assert (found.below, found.above) == (1, 4)
    assert found.size == pytest.approx(2)


@pytest.mark.parametrize(
    ("power", "kwh", "cost"), [(90, 788.4, 72), (230, 2014.8, 183)]
)
def test_a_year_costs_what_the_report_says(
    power: float, kwh: float, cost: float
) -> None:
    economics = Economics(price_per_kwh=0.07, pue=1.3)
    assert kwh_per_year(power) == pytest.approx(kwh)
    assert economics.cost_per_year(power) == pytest.approx(cost, abs=0.5)


def test_watts_per_terabyte_are_those_of_the_archive_report() -> None:
    assert Economics(capacity_tb=840).watts_per_tb(1476) == pytest.approx(
        1.757, abs=5e-4
    )
    assert Economics().watts_per_tb(860) is None
    assert Economics().cost_per_year(860) is None


def test_a_device_that_idles_for_half_a_year_is_weighted() -> None:
    economics = Economics(price_per_kwh=0.07, pue=1.3, duty=0.5)
    assert economics.mean_of_year(230, 90) == 160
    assert economics.mean_of_year(230, None) is None
    assert Economics().mean_of_year(230, None) == 230


def test_nothing_is_divided_by_no_power() -> None:
    assert per_watt(100, 50) == 2
    assert per_watt(100, 0) is None
    assert per_watt(None, 50) is None
