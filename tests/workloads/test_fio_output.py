import json
import math

import pytest

from workloads.fio_output import (
    ZERO,
    Counters,
    DocumentStream,
    counters,
    error_text,
    job_errors,
    percentile,
    rates,
)


def direction(ios: int, runtime: int, bins: dict[str, int]) -> dict[str, object]:
    return {
        "total_ios": ios,
        "io_bytes": ios * 4096,
        "runtime": runtime,
        "lat_ns": {"mean": 1000.0, "N": ios},
        "clat_ns": {"bins": bins},
    }


def test_documents_and_messages_are_told_apart() -> None:
    stream = DocumentStream()
    document = json.dumps({"jobs": [{"jobname": "a"}]}, indent=2)
    found = [
        stream.feed(line + "\n")
        for line in ["note: both iodepth >= 1", *document.splitlines(), "", "fio: bye"]
    ]
    assert [d for d in found if d] == [{"jobs": [{"jobname": "a"}]}]
    assert stream.messages == ["note: both iodepth >= 1", "fio: bye"]


def test_garbage_between_braces_is_a_message() -> None:
    stream = DocumentStream()
    assert [stream.feed(line) for line in ("{", " half a", "}")] == [None] * 3
    assert "not JSON" in stream.messages[0]


def test_counters_are_summed_over_jobs() -> None:
    document = {
        "jobs": [
            {"read": direction(10, 500, {"100": 10})},
            {"read": direction(30, 400, {"100": 20, "200": 10})},
        ]
    }
    total = counters(document, "read")
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
    assert percentile(bins, 50) == 10
    assert percentile(bins, 99) == 20
    assert percentile(bins, 99.9) == 30
    assert math.isnan(percentile({}, 99))


def test_the_error_is_picked_out_of_the_messages() -> None:
    messages = [
        "note: both iodepth >= 1",
        "fio: pid=1, err=5/file:b.c:471, func=full resid, error=Input/output error",
    ]
    assert error_text(messages) == "Input/output error (full resid)"
    assert error_text(["fio: terminating on signal 2"]) == ""


def test_job_errors_are_listed() -> None:
    document = {"jobs": [{"jobname": "a", "error": 0}, {"jobname": "b", "error": 5}]}
    assert list(job_errors(document)) == [("b", 5)]


def test_a_message_is_shown_without_what_cannot_be_shown() -> None:
    stream = DocumentStream()
    stream.feed("fio: \x1b[31mred\x07\n")
    stream.feed("x" * 10_000)
    assert stream.messages[0] == "fio: \ufffd[31mred\ufffd"
    assert len(stream.messages[1]) < 400
