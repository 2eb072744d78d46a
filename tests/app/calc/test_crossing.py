"""Crossing points of two courses."""

import pytest

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


def test_a_point_where_both_are_equal_is_passed_over() -> None:
    (found,) = crossings({1: 1.0, 2: 2.0, 4: 3.0}, {1: 2.0, 2: 2.0, 4: 2.0})
    assert (found.below, found.above) == (1, 4)
    assert found.size == pytest.approx(2)
