"""What a data sheet or a bench says of the accuracy of a meter, term by term."""

import math

import numpy as np
import pytest

from instruments.power.accuracy import (
    Conditions,
    Term,
    TermKind,
    limit_of,
    with_bench,
)
from instruments.power.options import USUAL_PERCENT, USUAL_SOURCE

POWER = np.array([100.0, -100.0, 50.0])


def limit(
    kind: TermKind, amount: float, under: Conditions, low: float = 0, high: float = 0
) -> list[float]:
    found = limit_of(Term(kind, amount, "certificate 17", False, low, high), under)
    assert found is not None
    return list(found)


def test_reading_and_range() -> None:
    under = Conditions(POWER, ranges=np.array([3000.0, 1500.0, 1500.0]))
    assert limit(TermKind.READING, 0.1, under) == pytest.approx([0.1, 0.1, 0.05])
    assert limit(TermKind.RANGE, 0.2, under) == pytest.approx([6.0, 3.0, 3.0])


def test_a_range_counts_twice_with_a_crest_factor_of_6() -> None:
    under = Conditions(POWER, ranges=np.full(3, 300.0), crest_factor=6)
    assert limit(TermKind.RANGE, 0.1, under) == pytest.approx([0.6] * 3)


def test_an_angle_matters_the_more_the_lower_the_power_factor_is() -> None:
    """0.05 degrees are 0.020 % at lambda 0.975, 0.15 % at 0.5 and 0.87 % at 0.1."""
    factors = np.array([0.975, 0.5, 0.1])
    under = Conditions(100 * factors, apparent=np.full(3, 100.0))
    found = np.array(limit(TermKind.PHASE, 0.05, under)) / under.power
    assert found == pytest.approx([0.00020, 0.00151, 0.00868], rel=0.01)
    above = Conditions(np.array([101.0]), apparent=np.array([100.0]))
    assert limit(TermKind.PHASE, 0.05, above) == [0.0]  # P above S by its rounding


def test_frequency_temperature_and_age_count_outside_their_bounds() -> None:
    under = Conditions(
        POWER,
        frequency=np.array([50.0, 44.0, 70.0]),
        temperature=31.0,
        age_days=2 * 365.25,
    )
    mains = limit(TermKind.FREQUENCY, 1.0, under, low=45.0, high=66.0)
    assert mains == pytest.approx([0.0, 1.0, 0.5])
    warm = limit(TermKind.TEMPERATURE, 0.01, under, low=18.0, high=28.0)
    assert warm == pytest.approx([0.03, 0.03, 0.015])
    inside = limit(TermKind.TEMPERATURE, 0.01, under, low=18.0, high=32.0)
    assert inside == [0.0, 0.0, 0.0]
    old = limit(TermKind.AGE, 0.1, under, high=12.0)
    assert old == pytest.approx([0.1, 0.1, 0.05])


@pytest.mark.parametrize("kind", list(TermKind)[1:])
def test_what_was_not_recorded_is_not_guessed(kind: TermKind) -> None:
    assert limit_of(Term(kind, 1.0, ""), Conditions(POWER)) is None


def test_a_bench_tells_its_own_accuracy() -> None:
    model = (
        Term(TermKind.READING, 0.05, "memory"),
        Term(TermKind.PHASE, 0.05, "memory"),
    )
    assert with_bench(model, {}) == model
    keys = {"accuracy_reading": 0.1, "accuracy_range": 1, "accuracy_source": "17"}
    found = {term.kind: term for term in with_bench(model, keys)}
    assert found[TermKind.READING] == Term(TermKind.READING, 0.1, "17", verified=True)
    assert found[TermKind.RANGE].amount == 1.0
    assert found[TermKind.PHASE] == model[1]
    assert math.isclose(with_bench(model, {"accuracy_range": "1 %"})[0].amount, 0.05)


def test_what_a_driver_puts_in_is_no_word_of_the_bench() -> None:
    """A lab's own file stands, and what nobody has read is not called verified."""
    model = (Term(TermKind.READING, 0.02, "certificate 17", verified=True),)
    usual = {"accuracy_reading": USUAL_PERCENT, "accuracy_source": USUAL_SOURCE}
    assert with_bench(model, usual) == model
    old = {**usual, "accuracy_reading": 0.1, "accuracy_source": "a guess, unverified"}
    assert not with_bench(model, old)[0].verified
    found = with_bench(model, {**usual, "accuracy_reading": 0.1})
    assert found == (Term(TermKind.READING, 0.1, "the bench", verified=False),)
