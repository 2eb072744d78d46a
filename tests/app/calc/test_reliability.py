"""Probabilities of failure and loss: closed forms, a simulation, small numbers."""

import math
from decimal import Decimal

import pytest

from app.calc.loss import (
    Group,
    any_of,
    at_least,
    interval_of,
    loss_probability,
    simulated_losses,
)
from app.calc.reliability import RELIABILITY
from instruments.errors import OptionError

_YEAR = 8760.0


def test_a_drive_without_protection_is_lost_as_it_fails() -> None:
    group = Group(1, 0, 1e6, 10.0)
    assert loss_probability(group, 5 * _YEAR) == pytest.approx(
        -math.expm1(-5 * _YEAR / 1e6), rel=1e-12
    )


def test_one_parity_drive_gives_the_mean_time_of_the_raid_paper() -> None:
    """MTTF^2 / (n (n - 1) MTTR) of Patterson, Gibson and Katz, where MTTR is short."""
    group = Group(10, 1, 1e6, 10.0)
    mttdl = 1e6**2 / (10 * 9 * 10.0)
    chance = loss_probability(group, _YEAR)
    assert chance == pytest.approx(_YEAR / mttdl, rel=2e-3)


def test_two_parity_drives_keep_their_digits_where_loss_is_next_to_impossible() -> None:
    """MTTF^3 / (n (n - 1) (n - 2) MTTR^2), two drives rebuilt beside each other."""
    group = Group(10, 2, 1e8, 1.0)
    rate = 10 * 9 * 8 / 1e8**3 / (1.0 * 2.0)
    assert loss_probability(group, _YEAR) == pytest.approx(rate * _YEAR, rel=1e-3)
    assert loss_probability(group, _YEAR) < 1e-17


def test_many_groups_lose_as_one_by_one() -> None:
    assert any_of(1e-18, 6) == pytest.approx(6e-18, rel=1e-12)
    assert any_of(0.5, 2) == pytest.approx(0.75)
    assert any_of(1.0, 2) == 1.0


def test_the_poisson_tail_keeps_its_digits() -> None:
    mean = Decimal("1.05")
    exact = 1 - sum((-mean).exp() * mean**k / math.factorial(k) for k in range(3))
    assert at_least(1.05, 3) == pytest.approx(float(exact), rel=1e-9)
    assert at_least(1e-6, 4) == pytest.approx(1e-24 / 24, rel=1e-5)
    assert at_least(50.0, 1) == pytest.approx(1.0)
    assert at_least(0.0, 1) == 0.0


@pytest.mark.parametrize(
    ("group", "groups"),
    [
        (Group(4, 1, 20_000, 400.0), 3),
        (Group(6, 2, 8_000, 900.0), 2),
        (Group(6, 2, 8_000, 900.0, unreadable=0.4), 2),
        (Group(5, 3, 3_000, 1_500.0, unreadable=0.1), 1),
        (Group(2, 0, 100_000, 1.0), 4),
    ],
    ids=["one parity", "two", "two, unreadable", "three", "none"],
)
def test_the_chain_agrees_with_a_simulation_of_single_drives(
    group: Group, groups: int
) -> None:
    hours, trials = 2 * _YEAR, 4000
    count = simulated_losses(group, groups, hours, trials, seed=7)
    chance = any_of(loss_probability(group, hours), groups)
    spread = math.sqrt(chance * (1 - chance) / trials)
    assert 0.02 < chance < 0.98
    assert abs(count / trials - chance) < 4 * spread


def test_a_simulation_can_be_asked_for() -> None:
    given = {"mttf": 20000.0, "rebuild_rate": 10.0, "trials": 400}
    answer = RELIABILITY.answer(given)
    low, high = answer.values["simulated_low"], answer.values["simulated_high"]
    loss = answer.values["loss"]
    assert low is not None
    assert high is not None
    assert loss is not None
    assert low <= loss <= high
    assert interval_of(0, 100)[1] == pytest.approx(0.037, abs=1e-3)


def test_more_parity_more_speed_and_fewer_errors_lose_less() -> None:
    def loss(**given: object) -> float:
        return RELIABILITY.answer(given).values["loss"] or 0.0

    usual = loss()
    assert loss(parity=1) > usual > loss(parity=3)
    assert loss(rebuild_rate=50.0) > usual > loss(error_bits=0.0)
    assert loss(years=10.0) > usual


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"trials": 20000, "drives": 100000, "years": 100, "mttf": 10000}, "trials"),
        ({"parity": 10}, "parity"),
        ({"group": 7}, "group"),
        ({"mttf": -1}, "mttf"),
    ],
)
def test_what_does_not_go_together_is_said(given: dict[str, object], key: str) -> None:
    with pytest.raises(OptionError) as caught:
        RELIABILITY.answer(given)
    assert caught.value.option == key


def test_no_input_in_its_bounds_ends_in_a_traceback() -> None:
    for given in (
        {"mttf": 1.0, "years": 100.0},
        {"mttf": 1e12, "rebuild_rate": 1e6},
        {"mttf": 1.0, "rebuild_rate": 0.001, "replaced_after": 1e6, "years": 100.0},
        {"group": 60, "parity": 6, "mttf": 1.0},
        {"drives": 100000, "group": 1000, "parity": 0},
        {"error_bits": 1.0},
    ):
        loss = RELIABILITY.answer(given).values["loss"]
        assert loss is not None
        assert 0.0 <= loss <= 100.0
