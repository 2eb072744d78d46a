"""A meter that is asked too often, or that is stuck: repeats are no measurements."""

import math

from instruments.power.dialects.described import Described, Description, Field
from instruments.power.points import Point, Timing
from instruments.power.polled import PolledMeter
from instruments.reading import SECOND, Judged, Status
from instruments.settings import Settings

POINTS = (Point("P", "W"), Point("U", "V"), Point("Wh", "Wh"))


def watch(stale_after_s: float = 10.0, *, oversampled: bool = False) -> PolledMeter:
    timing = Timing(0.25 if oversampled else 0.5, 0.5, 0.5)
    fields = tuple(Field("?", point, 1) for point in POINTS)
    settings = Settings("m", {"resource": "VISA", "stale_after": stale_after_s})
    dialect = Described(Description("", "", timing, fields))
    return PolledMeter(settings, "described", dialect, timing)


def values(power: float, volts: float = 230.1, energy: float = 1.0) -> list[Judged]:
    return [(power, Status.OK), (volts, Status.OK), (energy, Status.OK)]


def statuses(meter: PolledMeter, given: list[Judged], second: float) -> set[Status]:
    judged = meter._judged(given, round(second * SECOND))
    assert all(math.isnan(v) for v, status in judged if status is Status.STALE)
    return {status for _, status in judged}


def test_a_stuck_display_is_noticed_whatever_its_energy_does() -> None:
    meter = watch()
    found = [statuses(meter, values(580.1, energy=n), n) for n in range(14)]
    assert found == [{Status.OK}] * 11 + [{Status.STALE}] * 3
    assert statuses(meter, values(580.2), 14) == {Status.OK}


def test_zeros_are_no_stuck_display_and_it_can_be_told_to_trust_it() -> None:
    off = watch()
    assert all(statuses(off, values(0.0, 0.0), n) == {Status.OK} for n in range(60))
    trusting = watch(0.0)
    assert all(statuses(trusting, values(5.0), n) == {Status.OK} for n in range(60))


def test_one_refresh_read_twice_is_one_measurement() -> None:
    meter = watch(oversampled=True)
    assert statuses(meter, values(580.1), 0.0) == {Status.OK}
    assert statuses(meter, values(580.1), 0.25) == {Status.STALE}
    assert statuses(meter, values(580.3), 0.50) == {Status.OK}
    assert statuses(meter, values(580.3), 0.75) == {Status.STALE}
    # The next refresh may be late, but not for ever: it had the same digits then.
    assert statuses(meter, values(580.3), 1.00) == {Status.STALE}
    assert statuses(meter, values(580.3), 1.50) == {Status.OK}


def test_what_is_no_value_keeps_its_own_reason() -> None:
    meter = watch(1.0)
    given = [(math.nan, Status.OVERRANGE), (230.1, Status.OK), (1.0, Status.OK)]
    rounds = [meter._judged(given, n * SECOND) for n in range(10)]
    assert [status for _, status in rounds[-1]] == [
        Status.OVERRANGE,
        Status.STALE,
        Status.STALE,
    ]
