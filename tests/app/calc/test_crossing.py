"""Crossing points of two courses."""

import pytest

from app.calc.against import AGAINST
from app.calc.crossing import crossings

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


def test_small_numbers_stay_apart_and_nought_has_no_logarithm() -> None:
    (found,) = crossings({0: 1.0, 0.3: 1, 0.4: 5}, {0: 2.0, 0.3: 3, 0.4: 1})
    assert (found.below, found.above) == (0.3, 0.4)
    assert 0.3 < found.size < 0.4
    given = {"rates_a": "0.0001:1,8:5", "rates_b": "0.0001:3,8:1"}
    values = AGAINST.answer(given).values
    assert (values["below_kib"], values["above_kib"]) == (0.0001, 8.0)
    assert values["crossing_kib"] == pytest.approx(0.0001 * 80000 ** (1 / 3))


def test_a_point_where_both_are_equal_is_passed_over() -> None:
    (found,) = crossings({1: 1.0, 2: 2.0, 4: 3.0}, {1: 2.0, 2: 2.0, 4: 2.0})
    assert (found.below, found.above) == (1, 4)
    assert found.size == pytest.approx(2)
