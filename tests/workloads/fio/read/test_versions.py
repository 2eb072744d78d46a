"""Documents of many versions of fio, as they were published."""

import json
from pathlib import Path

import pytest

from instruments.errors import BadInput
from workloads.fio.read.side import bucket_value
from workloads.fio.read.versions import (
    SIGNALLED,
    document,
    lines_of,
    read_documents,
)

DATA = Path(__file__).parents[3] / "fixtures" / "imports"


def test_2_1_has_neither_counts_nor_a_clock() -> None:
    found = read_documents((DATA / "fio-2.1.11.json").read_text(), "old")[0]
    read = found.jobs[0].sides["read"]
    assert (found.version, found.moment_ms) == ("fio-2.1.11", None)
    assert read.counters.bytes_ == 44920 * 1024
    assert read.counters.ios == round(5 * 2127.55)
    assert read.counters.latency_sum_ns / read.counters.latency_n == 255_560
    assert read.percentiles_ns[99.0] == 506_000
    assert list(found.jobs[0].sides) == ["read"]


def test_2_2_counts_in_kib_and_microseconds() -> None:
    found = read_documents((DATA / "fio-2.2.10.json").read_text(), "old")[0]
    write = found.jobs[0].sides["write"]
    assert (found.moment_ms, found.precision_ms) == (1510963172000, 1000)
    assert write.counters.ios == 9374944
    assert write.counters.bytes_ == 37500272 * 1024
    assert write.percentiles_ns[99.0] == 8_640_000


def test_3_1_counts_in_bytes_and_nanoseconds() -> None:
    path = DATA / "fio-3.1" / "randread-1-1.json"
    found = read_documents(path.read_text(), "middle")[0]
    read = found.jobs[0].sides["read"]
    assert (found.moment_ms, found.precision_ms) == (1564907970022, 1)
    assert read.counters.bytes_ == 1625501696
    assert read.counters.latency_n == 396851
    assert read.percentiles_ns[99.0] == 142336
    assert found.jobs[0].options["rw"] == "randread"


def test_3_42_is_found_between_lines_of_text() -> None:
    found = read_documents((DATA / "fio-3.42.txt").read_text(), "new")
    assert [d.version for d in found] == ["fio-3.42-6-g219f"]
    job = found[0].jobs[0]
    assert job.start_ms == 1783516419583
    assert job.options["ramp_time"] == "10"
    assert job.sides["write"].counters.latency_n == 36362


def side(**more: object) -> dict[str, object]:
    lat = {"mean": 2000.0, "N": 5}
    base = {"io_bytes": 4096, "io_kbytes": 4, "runtime": 1000, "total_ios": 5}
    return {**base, "lat_ns": lat, "clat_ns": lat, **more}


def test_bins_of_before_3_1_are_numbered_and_in_microseconds() -> None:
    bins = {"0": 0, "10": 4, "200": 1, "FIO_IO_U_PLAT_BITS": 6}
    lat = {"mean": 20.0}
    old = {"io_bytes": 4, "runtime": 9, "total_ios": 5, "lat": lat}
    job = {"jobname": "a", "read": {**old, "clat": {"mean": 1.0, "bins": bins}}}
    found = document({"jobs": [job]}).jobs[0].sides["read"].counters.bins
    assert found == {10_000: 4, bucket_value(200) * 1000: 1}
    assert bucket_value(200) == 256 + 8 * 4 + 2  # Octave, ninth step of 4, its middle.


def test_clients_count_by_their_last_entry_and_never_by_the_sum() -> None:
    def entry(name: str, port: int, ios: int) -> dict[str, object]:
        host = {"hostname": "10.0.0.1", "port": port, "groupid": 0}
        return {"jobname": name, **host, "read": side(total_ios=ios)}

    entries = [
        entry("a", 1, 5),
        entry("a", 2, 6),
        entry("All clients", 2, 11),
        entry("a", 1, 50),
        entry("a", 2, 60),
    ]
    jobs = document({"timestamp": 1, "client_stats": entries}).jobs
    assert [job.sides["read"].counters.ios for job in jobs] == [50, 60]
    assert [job.host for job in jobs] == ["10.0.0.1:1", "10.0.0.1:2"]


def test_unmeasured_latency_is_not_zero() -> None:
    nothing = {"mean": 0.0}
    part = side(lat_ns=nothing, clat_ns=nothing)
    found = document({"jobs": [{"jobname": "a", "read": part}]})
    assert found.jobs[0].sides["read"].counters.latency_n == 0


def test_glued_documents_with_noise_between() -> None:
    one = json.dumps({"jobs": [{"jobname": "a", "read": side()}]}, indent=2)
    text = f"note: both iodepth >= 1\n{one}\nfio: terminating on signal 2\n\n{one}\n"
    assert len(read_documents(text, "glued")) == 2


def test_nan_of_an_old_printf_is_read() -> None:
    one = json.dumps({"jobs": [{"jobname": "a", "usr_cpu": 1, "read": side()}]})
    text = one.replace('"usr_cpu": 1', '"usr_cpu": -nan')
    assert read_documents(text, "nan")[0].jobs[0].name == "a"


def test_a_document_that_is_cut_short_is_named() -> None:
    whole = json.dumps({"jobs": [{"jobname": "a", "read": side()}]}, indent=2)
    text = f"{whole}\n{whole[: len(whole) // 2]}"
    with pytest.raises(BadInput, match=r"begins at line \d+ is cut short"):
        read_documents(text, "torn.json")
    assert len(read_documents(text, "torn.json", keep_rest=True)) == 1


def test_a_document_that_was_overwritten_is_named() -> None:
    whole = json.dumps({"jobs": [{"jobname": "a", "read": side()}]}, indent=2)
    text = f"{whole[: len(whole) // 2]}\n{whole}\n"
    with pytest.raises(BadInput, match="line 1 is cut short"):
        read_documents(text, "torn.json")
    assert len(read_documents(text, "torn.json", keep_rest=True)) == 1


@pytest.mark.parametrize("text", ["", "hello {", '{"a": 1}', '{"jobs": [{"x": 1}]}'])
def test_foreign_json_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="Expected the output of fio"):
        read_documents(text, "foreign.json")


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("runtime", None, "wrong type"),
        ("runtime", "soon", '"soon" is not a whole number'),
        ("runtime", ..., '"runtime" is missing'),
        ("clat_ns", {"bins": [1]}, "wrong type"),
    ],
)
def test_what_is_wrong_is_said_with_job_and_direction(
    key: str, value: object, told: str
) -> None:
    text = (DATA / "fio-3.42.txt").read_text()
    found = json.loads(text[text.index("{") : text.rindex("}") + 1])
    found["jobs"][0]["read"][key] = value
    if value is ...:
        del found["jobs"][0]["read"][key]
    named = f"read of job {found['jobs'][0]['jobname']}: "
    with pytest.raises(BadInput, match=named) as caught:
        read_documents(json.dumps(found), "one")
    assert told in str(caught.value)


def test_messages_tell_their_lines() -> None:
    text = "a\nfio: terminating on signal 2\n\n  fio: terminating on signal 15\n" * 2
    assert lines_of(SIGNALLED, text) == [(2, 2), (4, 15), (6, 2), (8, 15)]
