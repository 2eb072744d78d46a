"""A meter that is asked too often, or that is frozen: repeats are no measurements."""

import math

from instruments.power.points import Point, Value
from instruments.power.unchanged import Unchanged
from instruments.reading import SECOND, Status

POINTS = (Point("P", "W"), Point("U", "V"), Point("Wh", "Wh"))


def watch(stale_after_s: float = 10.0, *, oversampled: bool = False) -> Unchanged:
    return Unchanged(POINTS, 0.5, stale_after_s, oversampled=oversampled)


def values(power: float, volts: float = 230.1, energy: float = 1.0) -> list[Value]:
    return [(power, Status.OK), (volts, Status.OK), (energy, Status.OK)]


def statuses(unchanged: Unchanged, given: list[Value], second: float) -> set[Status]:
    judged = unchanged.judge(given, round(second * SECOND))
    assert all(math.isnan(v) for v, status in judged if status is Status.STALE)
    return {status for _, status in judged}


def test_a_frozen_display_is_noticed_whatever_its_energy_does() -> None:
    unchanged = watch()
    found = [statuses(unchanged, values(580.1, energy=n), n) for n in range(14)]
    assert found == [{Status.OK}] * 11 + [{Status.STALE}] * 3
    assert statuses(unchanged, values(580.2), 14) == {Status.OK}


def test_zeros_are_no_frozen_display_and_it_can_be_told_to_trust_it() -> None:
    off = watch()
    assert all(statuses(off, values(0.0, 0.0), n) == {Status.OK} for n in range(60))
    trusting = watch(0.0)
    assert all(statuses(trusting, values(5.0), n) == {Status.OK} for n in range(60))


def test_one_refresh_read_twice_is_one_measurement() -> None:
    unchanged = watch(oversampled=True)
    assert statuses(unchanged, values(580.1), 0.0) == {Status.OK}
    assert statuses(unchanged, values(580.1), 0.25) == {Status.STALE}
    assert statuses(unchanged, values(580.3), 0.50) == {Status.OK}
    assert statuses(unchanged, values(580.3), 0.75) == {Status.STALE}
    # The next refresh may be late, but not for ever: it had the same digits then.
    assert statuses(unchanged, values(580.3), 1.00) == {Status.STALE}
    assert statuses(unchanged, values(580.3), 1.50) == {Status.OK}


def test_what_is_no_value_keeps_its_own_reason() -> None:
    unchanged = watch(1.0)
    given = [(math.nan, Status.OVERRANGE), (230.1, Status.OK), (1.0, Status.OK)]
    rounds = [unchanged.judge(given, n * SECOND) for n in range(10)]
    assert unchanged.frozen
    assert [status for _, status in rounds[-1]] == [
        Status.OVERRANGE,
        Status.STALE,
        Status.STALE,
    ]
