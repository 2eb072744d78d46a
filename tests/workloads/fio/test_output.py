import math

import pytest

from instruments.metric import BOTH
from workloads.fio.output import (
    ZERO,
    Counters,
    counters,
    latencies,
    percentiles,
    rates,
    since,
    together,
)
from workloads.fio.read.side import read_side


def direction(ios: int, runtime: int, bins: dict[str, int]) -> dict[str, object]:
    return {
        "total_ios": ios,
        "io_bytes": ios * 4096,
        "runtime": runtime,
        "lat_ns": {"mean": 1000.0, "N": ios},
        "clat_ns": {"bins": bins},
    }


def test_counters_are_summed_over_jobs() -> None:
    jobs = [
        {"read": direction(10, 500, {"100": 10})},
        {"read": direction(30, 400, {"100": 20, "200": 10})},
    ]
    total = counters(jobs, "read")
    assert (total.ios, total.bytes_, total.runtime_ms) == (40, 40 * 4096, 500)
    assert total.bins == {100: 30, 200: 10}
    assert total.latency_sum_ns == 40_000


def test_rates_are_differences_over_fios_own_time() -> None:
    before = Counters(100, 409_600, 1000, 100 * 2000.0, 100, {2000: 100})
    after = Counters(
        300, 1_228_800, 1500, 100 * 2000.0 + 200 * 5000.0, 300, {2000: 100, 5000: 200}
    )
    change = rates(before, after)
    assert change is not None
    assert change.iops == 400
    assert change.bandwidth == 400 * 4096
    assert change.latency_s == pytest.approx(5e-6)
    assert change.p99_s == pytest.approx(5e-6)


def test_time_that_stands_still_gives_no_rate() -> None:
    assert rates(ZERO, ZERO) is None


def test_the_ramp_has_rates_but_no_latency() -> None:
    change = rates(ZERO, Counters(50, 50 * 4096, 500, 0.0, 0, {}))
    assert change is not None
    assert change.iops == 100
    assert math.isnan(change.latency_s)
    assert math.isnan(change.p99_s)


def test_percentiles_come_from_counts() -> None:
    bins = {10: 90, 20: 9, 30: 1}
    assert percentiles(bins, (50, 99, 99.9)) == {50: 10, 99: 20, 99.9: 30}
    assert percentiles({}, (99,)) == {}


def test_what_was_counted_side_by_side_took_as_long_as_the_longest() -> None:
    one, other = (
        Counters(100, 409_600, 1000, 2e5, 100, {2000: 100}, 9e3, 1e5, 8e3),
        Counters(300, 819_200, 400, 9e5, 300, {2000: 100, 5000: 200}, 7e3, 8e5, 6e3),
    )
    both = together([one, other])
    bins = {2000: 200, 5000: 200}
    assert both == Counters(400, 1_228_800, 1000, 1.1e6, 400, bins, 9e3, 9e5, 8e3)
    later, bins = since(both, one), {2000: 100, 5000: 200}
    assert later == Counters(300, 819_200, 0, 9e5, 300, bins, completion_sum_ns=8e5)
    found = latencies(both, BOTH)
    assert found["latency_mean_ms"] == pytest.approx(1.1e6 / 400 / 1e6)
    assert found["latency_completion_mean_ms"] == pytest.approx(9e5 / 400 / 1e6)
    assert (found["latency_max_ms"], found["latency_completion_max_ms"]) == (9e-3, 8e-3)
    assert "latency_completion_max_ms" not in latencies(later, BOTH)


def test_the_longest_is_known_where_nothing_was_counted_before() -> None:
    start = Counters(0, 0, 0, 0.0, 0, {}, completion_sum_ns=0.0)
    first = Counters(1, 0, 500, 9e5, 1, {900_000: 1}, 9e5, 8e5, 8e5)
    last = Counters(2, 0, 1000, 1e6, 2, {900_000: 1, 100_000: 1}, 9e5, 9e5, 8e5)
    assert since(last, start).longest_ns == 9e5
    assert since(last, start).completion_longest_ns == 8e5
    assert math.isnan(since(last, first).longest_ns)  # It was before.


def test_completions_that_were_not_timed_are_not_zero() -> None:
    lat = {"mean": 1000.0, "max": 3000, "N": 10}
    nothing = {"mean": 0.0, "max": 0, "N": 0}
    part = {**direction(10, 500, {}), "lat_ns": lat, "clat_ns": nothing}
    for counted in (counters([{"read": part}], "read"), read_side(part).counters):
        found = latencies(counted, BOTH)
        assert found == {"latency_mean_ms": 1e-3, "latency_max_ms": 3e-3}
