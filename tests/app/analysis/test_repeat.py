"""Repeats go on until the interval is narrow; nothing is left out in silence."""

from itertools import pairwise

import numpy as np
import pytest

from app.analysis.repeat import Repeats, find_outlier, mean_interval


def test_the_interval_is_students() -> None:
    # n = 5, s = 1.5811, t(0.975, 4) = 2.7764: half = 1.9632.
    found = mean_interval([8, 9, 10, 11, 12])
    assert found.mean == 10
    assert found.half == pytest.approx(1.9632, abs=1e-4)
    assert found.share == pytest.approx(0.19632, abs=1e-5)
    assert mean_interval([8, 9, 10, 11, 12], 0.99).half == pytest.approx(3.2556, 1e-4)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    random = np.random.default_rng(5)
    held = 0
    for _ in range(2000):
        found = mean_interval(list(random.normal(100, 5, 4)))
        assert found.half is not None
        held += abs(found.mean - 100) <= found.half
    assert held / 2000 == pytest.approx(0.95, abs=0.015)


def test_one_value_has_no_interval_and_none_has_no_mean() -> None:
    assert mean_interval([3.0]).half is None
    assert mean_interval([3.0]).share is None
    for values in ([], [float("nan")]):
        with pytest.raises(ValueError, match="needs values"):
            mean_interval(values)


@pytest.mark.parametrize("count", [2, 5, 6, 10])
def test_equal_runs_do_not_scatter_and_are_not_called_correlated(count: int) -> None:
    """The mean of some is off by the last bit, as the sum of them is rounded."""
    found = mean_interval([249.93751562109472] * count)
    assert (found.mean, found.half) == (249.93751562109472, 0.0)
    assert found.lag1 == 0.0
    assert "correlated" not in str(found)


def test_an_outlier_is_told_and_counts() -> None:
    values = [10.0, 10.1, 9.9, 10.0, 10.1, 14.0]
    found = find_outlier(values)
    assert found is not None
    assert (found.number, found.value) == (6, 14.0)
    # Critical value for n = 6 at 0.05, two-sided: 1.887 (Grubbs's table).
    assert found.critical == pytest.approx(1.887, abs=0.001)
    assert str(found).endswith("it counts nevertheless")
    decision = Repeats().judge(values)
    assert decision.outlier == found
    assert decision.interval is not None
    assert decision.interval.mean == pytest.approx(np.mean(values))
    assert find_outlier([1.0, 1.0, 1.0]) is None
    assert find_outlier([1.0, 2.0]) is None
    assert find_outlier([10.0, 10.2, 9.9, 10.1]) is None


def test_runs_that_resemble_the_one_before_count_for_fewer() -> None:
    # A device that warms up.
    values = [200.0, 201.0, 206.0, 208.0, 212.0, 213.0]
    found = mean_interval(values)
    off = [value - sum(values) / 6 for value in values]
    lag1 = sum(a * b for a, b in pairwise(off)) / sum(a * a for a in off)
    assert found.lag1 == pytest.approx(lag1)
    assert lag1 > (-1 + 1.645 * 2) / 5
    s = (sum(a * a for a in off) / 5) ** 0.5
    plain = 2.5706 * s / 6**0.5  # t(0.975, 5)
    assert found.half == pytest.approx(plain * ((1 + lag1) / (1 - lag1)) ** 0.5, 1e-4)
    assert f"(95 % for runs correlated by {lag1:.2f}) after 6" in str(found)
    rule = Repeats(share=1.1 * plain / found.mean, most=6)
    assert not rule.judge(values).reached
    shuffled = [values[place] for place in (3, 0, 5, 1, 4, 2)]
    assert mean_interval(shuffled).half == pytest.approx(plain, 1e-4)
    assert rule.judge(shuffled).reached


def test_a_few_that_agree_by_chance_do_not_end_a_series() -> None:
    """Of series of runs that scatter by 2 %, as many hold the truth as is said."""
    random = np.random.default_rng(11)
    held = reached = 0
    rule, decision = Repeats(), Repeats().judge([])
    for _ in range(1500):
        values = list(random.normal(5000, 100, rule.most))
        for count in range(1, rule.most + 1):
            decision = rule.judge(values[:count])
            if not decision.go_on:
                break
        interval = decision.interval
        assert interval is not None
        assert interval.half is not None
        reached += decision.reached
        held += decision.reached and abs(interval.mean - 5000) <= interval.half
    # With three at least it was 92 %.
    assert held / reached == pytest.approx(0.95, abs=0.015)


def test_it_goes_on_until_the_interval_is_narrow() -> None:
    rule = Repeats(share=0.02, least=3, most=6)
    assert rule.judge([100.0]).why == "100 after 1, at least 3 are needed"
    two = rule.judge([100.0, 100.0])
    assert two.go_on
    wide = rule.judge([100.0, 110.0, 90.0])
    assert wide.go_on
    told = "95 % as for a fixed number of independent runs"
    assert wide.why == f"100 ± 25 % ({told}) after 3, not yet within 2 %"
    narrow = rule.judge([100.0, 100.5, 99.5])
    assert (narrow.go_on, narrow.reached) == (False, True)
    assert narrow.why == f"100 ± 1.2 % ({told}) after 3, which is within 2 %"
    last = rule.judge([100.0, 110.0, 90.0, 100.0, 110.0, 90.0])
    assert (last.go_on, last.reached) == (False, False)
    assert "not within 2 % in 6 runs" in last.why


def test_a_repeat_without_a_value_is_told() -> None:
    rule = Repeats(least=3, most=4)
    assert rule.judge([]).go_on
    assert rule.judge([None, None]).why == "2 repeats, none with a value"
    assert not rule.judge([None] * 4).go_on
    found = rule.judge([100.0, None, 100.0, 100.1])
    assert found.reached
    assert found.why.endswith("; 1 of 4 repeats without a value")
    found = rule.judge([10.0, None, 10.1, 9.9, 10.0, 10.1, 14.0])
    assert found.outlier is not None
    assert found.outlier.number == 7
