"""Judging a step whose disk did not do what its engine says."""

import pytest

from app.analysis.coverage import Coverage
from app.analysis.io_checks import IoFinding
from app.campaign.run.judge import context_remarks, judge
from app.plan.limits import parse_limit
from app.plan.verdict import Cause, Outcome, Verdict
from instruments.reading import Channel
from workloads.base import LoadOutcome, LoadResult

DONE = LoadResult(LoadOutcome.DONE, window=(0, 1))


def test_a_cache_that_answered_makes_a_row_void() -> None:
    io = [IoFinding("a cache answered", True, "cached_read_bytes", 1.0)]
    end = judge(DONE, {}, (), (), io)
    assert (end.outcome, end.verdict) == (Outcome.VOID, Verdict.ERROR)
    assert end.cause is Cause.CACHED


def test_foreign_io_is_told_and_not_judged() -> None:
    io = [IoFinding("something else", False, "foreign_read_bytes", 1.0)]
    assert judge(DONE, {}, (), (), io).outcome is Outcome.DONE


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        ({"iops": 0.0, "bandwidth_mb_s": 0.0, "errors": 0.0}, Outcome.ERROR),
        ({"bandwidth_mb_s": 0.0}, Outcome.ERROR),
        ({"iops": 0.01, "bandwidth_mb_s": 0.0}, Outcome.DONE),
        ({"power_w": 0.0}, Outcome.DONE),
    ],
)
def test_a_load_that_finished_nothing_has_measured_nothing(
    values: dict[str, float], outcome: Outcome
) -> None:
    end = judge(DONE, values, (), ())
    verdict = Verdict.ERROR if outcome is Outcome.ERROR else Verdict.PASS
    assert (end.outcome, end.verdict) == (outcome, verdict)
    assert (end.cause is Cause.UNMEASURED) is (outcome is Outcome.ERROR)


def covered(name: str, valid: int, expected: int) -> Coverage:
    return Coverage(name, valid, expected)


def test_a_step_whose_instruments_died_is_an_error() -> None:
    coverage = [
        covered("power_w", 25, 100),
        covered("lambda", 50, 200),
        covered("drive_max_c", 3, 10),
    ]
    values = {"power_w": 500.0}
    end = judge(DONE, values, [parse_limit("power_w <= 800")], (), coverage=coverage)
    assert (end.outcome, end.cause) == (Outcome.ERROR, Cause.UNMEASURED)
    assert end.reason == (
        "power was measured in 25 of 100 samples, drive temperature in 3 of 10"
    )


def test_a_limit_is_not_judged_on_a_remnant() -> None:
    coverage = [covered("power_w", 89, 100)]
    values = {"power_w": 500.0}
    limits = [parse_limit("power_w <= 800")]
    end = judge(DONE, values, limits, (), coverage=coverage)
    assert (end.verdict, end.cause) == (Verdict.ERROR, Cause.UNJUDGED)
    assert "89 of 100 samples" in end.reason
    blind = judge(DONE, {}, limits, ())
    assert (blind.verdict, blind.cause) == (Verdict.ERROR, Cause.UNJUDGED)
    broken = judge(DONE, {"power_w": 801.0}, limits, ())
    assert (broken.verdict, broken.cause) == (Verdict.FAIL, Cause.LIMIT)
    # Without a limit on it, or with nine in ten, it is only starred.
    assert judge(DONE, values, (), (), coverage=coverage).verdict is Verdict.PASS
    enough = [covered("power_w", 90, 100)]
    assert judge(DONE, values, limits, (), coverage=enough).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("limit", "iops", "verdict", "is_told"),
    [
        # 30 I/Os: their 99 % is the longest of them.
        ("latency_p99_ms <= 6", 3.0, Verdict.ERROR, True),
        ("latency_p99_ms <= 4", 3.0, Verdict.FAIL, True),
        ("latency_p99_ms >= 4", 3.0, Verdict.PASS, True),
        ("latency_p99_ms > 6", 3.0, Verdict.ERROR, True),
        # 500: five are slower.
        ("latency_p99_ms <= 6", 50.0, Verdict.PASS, True),
        ("latency_p99_ms <= 4", 50.0, Verdict.FAIL, True),
        # 1000: ten are.
        ("latency_p99_ms <= 6", 100.0, Verdict.PASS, False),
        ("latency_p50_ms <= 2", 3.0, Verdict.PASS, False),
        ("latency_max_ms <= 6", 3.0, Verdict.PASS, False),
        ("read_p99_ms <= 6", 100.0, Verdict.ERROR, True),
    ],
)
def test_a_percentile_of_few_ios_proves_what_it_is_above_and_no_more(
    limit: str, iops: float, verdict: Verdict, *, is_told: bool
) -> None:
    values = {
        **{"iops": iops, "read_iops": 9.9, "duration_s": 10.0},
        **{"latency_p50_ms": 1.0, "latency_p99_ms": 5.0, "latency_max_ms": 5.0},
        "read_p99_ms": 5.0,
    }
    end = judge(DONE, values, [parse_limit(limit)], ())
    assert end.verdict is verdict
    assert (end.cause is Cause.UNJUDGED) is (verdict is Verdict.ERROR)
    assert ("too few I/Os" in end.reason) is is_told


def test_a_sensor_that_fails_for_good_has_a_way_out() -> None:
    done = LoadResult(LoadOutcome.DONE, window=(0, 1))
    silent = [
        Channel("shelf", "temperature", "degC", "slot07"),
        Channel("shelf", "fan", "1/min", "fan3"),
    ]
    end = judge(done, {}, [], silent)
    assert (end.verdict, end.cause) == (Verdict.ERROR, Cause.SILENT)
    assert end.reason == (
        "shelf.temperature.slot07, shelf.fan.fan3 delivered nothing in this step; what "
        'is broken for good is excluded by ignore = ["temperature.slot07", "fan.fan3"] '
        "of shelf in the bench"
    )
    assert "ignore" not in judge(done, {}, [], [Channel("mains", "P", "W")]).reason


def test_a_source_that_is_lost_is_named_and_not_its_sensors() -> None:
    done = LoadResult(LoadOutcome.DONE, window=(0, 1))
    silent = [
        Channel("server", "temperature", "degC", "inlet"),
        Channel("shelf", "fan", "1/min", "fan3"),
    ]
    why = "server (https://192.0.2.1): no answer within 5 s"
    end = judge(done, {}, [], silent, lost={"server": why})
    assert (end.verdict, end.cause) == (Verdict.ERROR, Cause.SILENT)
    assert end.reason == (
        f"server delivered nothing in this step: {why}; shelf.fan.fan3 delivered "
        "nothing in this step; what is broken for good is excluded by ignore = "
        '["fan.fan3"] of shelf in the bench'
    )


def test_what_lacks_of_a_machine_is_told_and_nothing_is_said_of_ignoring_it() -> None:
    silent = [
        Channel("load2", "cpu_busy", "%"),
        Channel("load1", "net_rx", "B/s", "eth0"),
    ]
    assert context_remarks(silent, {"load2": "it is too busy"}) == [
        "load2 delivered nothing in this step: it is too busy; no result is made of it",
        "load1.net_rx.eth0 delivered nothing in this step; no result is made of it",
    ]
    assert context_remarks([], {}) == []
