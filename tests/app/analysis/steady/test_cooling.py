"""Cool-downs end at a temperature, at a slope or after a time."""

import numpy as np
import pytest

from app.analysis.samples import Floats, Times
from app.analysis.steady.cooling import CoolDown, Cooling, resolution_k
from instruments.reading import SECOND

START = 1_000 * SECOND


def cooling(seconds: float) -> tuple[Times, Floats]:
    """From 45 to 30 degC with a time constant of ten minutes, every ten seconds."""
    passed = np.arange(0, seconds + 1, 10.0)
    times = START + (passed * SECOND).astype(np.int64)
    return times, 30 + 15 * np.exp(-passed / 600)


def judged(rule: CoolDown, seconds: float) -> Cooling:
    now = START + round(seconds * SECOND)
    return rule.judge(START, now, *cooling(seconds))


def test_until_a_temperature() -> None:
    rule = CoolDown(below_c=35.0)
    early = judged(rule, 300)
    assert (early.done, early.why) == (False, "39.1 °C is above 35 °C")
    # 15 exp(-t/600) = 5 at 659 s.
    assert not judged(rule, 650).done
    late = judged(rule, 670)
    assert late.done
    assert late.reached
    assert late.why == "34.9 °C is at or below 35 °C"


def test_until_a_slope() -> None:
    rule = CoolDown(slope_k_h=10.0, window_s=300.0)
    assert judged(rule, 100).why == "no slope over 300 s yet"
    early = judged(rule, 600)
    assert early.why.endswith("K/h is not within 10 K/h")
    assert early.why.startswith("-4")
    # 90 exp(-t/600) K/h falls below 10 K/h at 1318 s; a window lags by half of it.
    assert not judged(rule, 1400).done
    assert judged(rule, 1500).reached


def test_a_time_ends_it_in_any_case() -> None:
    rule = CoolDown(below_c=20.0, at_most_s=600.0)
    assert not judged(rule, 590).done
    late = judged(rule, 600)
    assert (late.done, late.reached) == (True, False)
    assert late.why.startswith("the maximum time of 600 s is over; 35.5 °C is above")
    only = CoolDown(at_most_s=60.0)
    assert judged(only, 30).why == "it lasts 60 s"
    assert judged(only, 60).reached


def test_a_least_time() -> None:
    rule = CoolDown(below_c=50.0, at_least_s=120.0)
    assert judged(rule, 100).why.startswith("20 s of the minimum time are left")
    assert judged(rule, 120).reached


@pytest.mark.parametrize("values", [[], [float("nan")] * 4])
def test_without_a_temperature_nothing_is_reached(values: list[float]) -> None:
    rule = CoolDown(below_c=50.0, slope_k_h=1.0)
    times = START + np.arange(len(values)) * SECOND
    now = START + 400 * SECOND
    found = rule.judge(START, now, times, np.array(values))
    assert (found.done, found.why) == (
        False,
        "no temperature has been read yet",
    )


@pytest.mark.parametrize("age_s", [31, 120, 299])
def test_the_last_value_of_a_sensor_that_was_lost_is_none(age_s: int) -> None:
    times, values = cooling(670)
    rule = CoolDown(below_c=35.0)
    assert rule.judge(START, START + 670 * SECOND, times, values).reached
    late = rule.judge(START, START + (670 + age_s) * SECOND, times, values)
    assert not late.done


@pytest.mark.parametrize("tau_min", [10, 20, 40, 80])
@pytest.mark.parametrize("step_k", [1.0, 0.5, 0.1])
@pytest.mark.parametrize("limit", [2.0, 4.0])
def test_a_coarse_sensor_shows_no_slope_before_it_could(
    tau_min: int, step_k: float, limit: float
) -> None:
    """20 K over the room, told in steps: at its end it cools about as asked for."""
    passed = np.arange(0, 6 * 3600, 5.0)
    times = START + (passed * SECOND).astype(np.int64)
    warm = 25.3 + 20 * np.exp(-passed / 60 / tau_min)
    told = np.round(warm / step_k) * step_k
    rule = CoolDown(slope_k_h=limit, at_most_s=1e6)
    for number in range(12, passed.size, 12):
        if rule.judge(START, int(times[number]), times[:number], told[:number]).done:
            slope = 20 * 60 / tau_min * np.exp(-passed[number] / 60 / tau_min)
            assert slope <= 1.25 * limit
            return
    pytest.fail("it never ended")


def test_the_resolution_of_a_sensor_is_its_smallest_step() -> None:
    assert resolution_k(np.array([41.0, 40.0, 38.0])) == 1
    assert resolution_k(np.array([41.5, 41.25, 38.0])) == pytest.approx(0.25)
    assert resolution_k(np.array([41.0, 41.0])) == 1
    assert resolution_k(np.array([41.3, 41.3])) == pytest.approx(0.1)


def test_what_was_before_the_cool_down_is_no_slope_of_it() -> None:
    times, values = cooling(2000)
    rule = CoolDown(slope_k_h=10.0, window_s=300.0)
    later = START + 1900 * SECOND
    found = rule.judge(later, START + 2000 * SECOND, times, values)
    assert found.why == "no slope over 300 s yet"
