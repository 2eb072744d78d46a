"""Differences against their uncertainty."""

import numpy as np
import pytest

from app.analysis.compare import compare_tables
from app.analysis.repeat import mean_interval
from app.analysis.significance import LEVEL, Doubt, Judged, Judgement, holm, judge

METER, OTHER = frozenset({"hmc8015 1"}), frozenset({"hmc8015 2"})


def one(difference: float, first: Doubt, other: Doubt) -> Judged:
    (found,) = judge([(difference, first, other)])
    assert found is not None
    return found


def test_the_error_that_one_meter_has_in_both_cancels() -> None:
    first, other = Doubt(2.0, 0.3, METER), Doubt(2.1, 0.4, METER)
    found = one(1.5, first, other)
    assert found.uncertainty == pytest.approx(2 * np.sqrt(0.1**2 + 0.3**2 + 0.4**2))
    assert found.judgement is Judgement.DISTINGUISHABLE


@pytest.mark.parametrize("meters", [OTHER, frozenset()])
def test_errors_of_different_or_nameless_meters_add_as_squares(
    meters: frozenset[str],
) -> None:
    first = Doubt(2.0, 0.3, METER if meters else meters)
    found = one(1.5, first, Doubt(2.1, 0.4, meters))
    expected = 2 * np.sqrt(2.0**2 + 2.1**2 + 0.3**2 + 0.4**2)
    assert found.uncertainty == pytest.approx(expected)
    assert found.judgement is Judgement.NOT_DISTINGUISHABLE


def test_means_of_runs_are_compared_by_welchs_t() -> None:
    """As scipy's own implementation of it says."""
    from scipy.stats import ttest_ind  # type: ignore[import-untyped]  # noqa: PLC0415

    runs = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9], [27.1, 22.0, 20.8, 23.4, 33.4, 29.5]
    means = [mean_interval(values) for values in runs]
    assert not any(mean.lag1 for mean in means)
    doubts = [Doubt(0.0, mean.standard, freedom=mean.count - 1) for mean in means]
    found = one(means[1].mean - means[0].mean, *doubts)
    expected = ttest_ind(*runs, equal_var=False)
    assert found.p == pytest.approx(expected.pvalue)
    low, high = expected.confidence_interval(LEVEL)
    assert found.uncertainty == pytest.approx((high - low) / 2)


def test_what_was_counted_once_cannot_be_judged() -> None:
    assert one(900.0, Doubt(0.0, None), Doubt(0.0, None)) == Judged(Judgement.ONE_RUN)


def test_what_is_known_in_part_can_only_hide_a_difference() -> None:
    peaks = Doubt(2.0, None, METER), Doubt(2.0, None, OTHER)
    assert one(5.0, *peaks).judgement is Judgement.NOT_DISTINGUISHABLE
    assert one(6.0, *peaks).judgement is Judgement.ONE_RUN
    unknown = Doubt(None, 0.1, METER)
    assert one(0.0, unknown, unknown).judgement is Judgement.NO_LIMITS


def test_nothing_is_said_where_nothing_is_known() -> None:
    known = Doubt(1.0, 1.0)
    assert judge([(None, known, known), (1.0, None, known)]) == [None, None]


def test_chances_are_adjusted_for_their_number() -> None:
    """Worked by hand: 4 x 0.005, 3 x 0.01, 2 x 0.03, and no less than that."""
    found = holm([0.01, 0.04, 0.03, 0.005])
    assert found == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_a_row_among_many_has_to_differ_by_more() -> None:
    """Once in twenty comes up by chance: of forty rows one is no surprise."""
    known, far = Doubt(0.0, 1.0), 2.2 * np.sqrt(2)
    labels = [str(number) for number in range(40)]
    tables = [
        [{"step": x, "iops": 100.0 + far * (x == "7") * n} for x in labels]
        for n in (0, 1)
    ]
    doubts = [{x: {"iops": known} for x in labels}] * 2
    rows = dict(compare_tables(("a", "b"), tables, doubts=doubts).rows)
    judged = rows["7"][0].judgement(1)
    assert judged is not None
    assert judged.uncertainty is not None
    assert far > judged.uncertainty
    assert judged.judgement is Judgement.NOT_DISTINGUISHABLE
    alone = compare_tables(("a", "b"), [t[7:8] for t in tables], doubts=doubts)
    judged = alone.rows[0][1][0].judgement(1)
    assert judged is not None
    assert judged.judgement is Judgement.DISTINGUISHABLE


def simulated(
    rng: np.random.Generator, *, sizes: tuple[int, int], is_one_meter: bool
) -> Judged:
    """Judge two devices of 500 W each, repeated, on one meter or on two."""
    errors = rng.normal(0, 2.0, 2)
    errors[1] = errors[0] if is_one_meter else errors[1]
    doubts, means = [], []
    for size, spread, error, meter in zip(
        sizes, (1.0, 3.0), errors, (METER, OTHER), strict=True
    ):
        values = 500 + error + rng.normal(0, spread, size)
        deviation = float(values.std(ddof=1))
        which = METER if is_one_meter else meter
        doubts.append(Doubt(2.0, deviation / np.sqrt(size), which, size - 1))
        means.append(float(values.mean()))
    return one(means[1] - means[0], doubts[0], doubts[1])


@pytest.mark.parametrize("is_one_meter", [True, False])
@pytest.mark.parametrize("sizes", [(5, 5), (5, 10), (10, 5)])
def test_equal_devices_are_told_apart_as_seldom_as_promised(
    sizes: tuple[int, int], *, is_one_meter: bool
) -> None:
    """Of 2000 pairs 95.45 % are covered; the limits are four standard deviations."""
    rng = np.random.default_rng(11)
    found = [
        simulated(rng, sizes=sizes, is_one_meter=is_one_meter) for _ in range(2000)
    ]
    same = sum(f.judgement is Judgement.NOT_DISTINGUISHABLE for f in found) / 2000
    assert abs(same - LEVEL) < 4 * np.sqrt(LEVEL * (1 - LEVEL) / 2000)
