"""Lines that are taken off each other, at the pace of the slower one."""

import numpy as np
import pytest

from app.report.chart.line import Floats, Line, less


def line(x: Floats, values: Floats) -> Line:
    return Line(x, values, values, values)


@pytest.mark.parametrize("later", [0.0, 0.1, 0.5, 0.9])
def test_a_difference_has_a_point_for_each_sample(later: float) -> None:
    x = np.arange(4.0)
    change = less(line(x + later, np.full(4, 7.0)), line(x, np.full(4, 5.0)))
    known = np.isfinite(change.mean)
    assert known.sum() >= 3 + (later < 0.75)
    assert change.mean[known] == pytest.approx(2.0)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_difference_goes_at_the_pace_of_the_slower_one(sign: int) -> None:
    slow = line(np.arange(10.0), np.full(10, 3.0))
    fine = np.arange(0, 10, 0.1)
    fast = line(fine, 4 + np.tile([-1.0, 1.0], 50))
    pair = (fast, slow) if sign > 0 else (slow, fast)
    change = less(*pair)
    assert change.x.tolist() == slow.x.tolist()
    assert change.mean == pytest.approx(np.full(10, sign * 1.0), abs=0.15)


def test_a_difference_breaks_where_either_does() -> None:
    x = np.arange(30.0)
    holed, away = np.full(30, 2.0), (x < 15) | (x > 20)
    holed[5] = np.nan
    change = less(line(x, holed), line(x[away], np.zeros(30)[away]))
    known = change.x[np.isfinite(change.mean)]
    assert known.tolist() == [n for n in x[away] if n != 5]
    assert np.isnan(np.interp(5.0, change.x, change.mean))
    assert np.isnan(np.interp(17.5, change.x, change.mean))


def test_lines_that_never_meet_have_no_difference() -> None:
    apart = line(np.arange(3.0), np.ones(3)), line(np.arange(100.0, 103), np.ones(3))
    assert not np.isfinite(less(*apart).mean).any()
    assert not len(less(apart[0], line(np.empty(0), np.empty(0))).x)
