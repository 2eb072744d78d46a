"""fio's runs: what belongs together, what ran when, and what a trace says."""

import json
from pathlib import Path

import numpy as np
import pytest

from app.record.imports.fio_json import read_fio
from app.record.imports.found import MS, Clock, Found
from app.record.imports.recognise import read_file
from instruments.errors import BadInput
from instruments.reading import SECOND
from tests.app.record.imports.results import DATA, run_fio
from workloads.fio.stream import job_errors


def entry(name: str, group: int, runtime: int, **more: object) -> dict[str, object]:
    lat = {"mean": 1000.0, "N": runtime}
    side = {"io_bytes": 4096 * runtime, "io_kbytes": 4 * runtime, "runtime": runtime}
    read = {**side, "total_ios": runtime, "lat_ns": lat, "clat_ns": lat}
    read |= {key: more.pop(key) for key in list(more) if key in read}
    return {"jobname": name, "groupid": group, "elapsed": 20, "read": read, **more}


def written(*entries: dict[str, object], ms: int = 1_600_000_020_000) -> str:
    return json.dumps({"timestamp_ms": ms, "jobs": entries}, indent=2)


def test_the_start_that_fio_tells_is_the_start() -> None:
    path = DATA / "fio-3.42.txt"
    found = read_fio(path, path.read_text())
    start = 1783516419583 * 1_000_000
    assert found.steps[0].window == (start, start + 10005 * 1_000_000)
    assert found.steps[0].start_ns == start - 10 * SECOND
    assert found.clock.spread_ns == 1_000_000
    assert found.run_logs == {"output.1": (0,)}


def test_a_percentile_that_was_rounded_says_so() -> None:
    path = DATA / "fio-2.0.15.txt"
    text = path.read_text()
    assert "read_p99_ms" not in read_fio(path, text).steps[0].notes
    text = text.replace("99.00th=[ 1592]", "99.00th=[   45]")
    [step] = read_fio(path, text).steps
    assert step.values["read_p99_ms"].value == 0.045
    assert step.notes["read_p99_ms"] == "fio reported it in steps of 0.001 ms"


@pytest.mark.parametrize(
    ("name", "of_longest", "shorter", "longest_ms"),
    [
        ("fio-2.0.15.txt", "max=3291 ", "max=1590 ", 1.59),
        ("fio-2.0.15-terse.txt", ";2648;", ";1600;", 1.6),
    ],
)
def test_no_percentile_is_above_the_longest(
    name: str, of_longest: str, shorter: str, longest_ms: float
) -> None:
    text = (DATA / name).read_text()
    assert of_longest in text
    [step] = read_fio(DATA / name, text.replace(of_longest, shorter)).steps
    for figure in ("read_max_ms", "read_p99_ms", "read_p99_9_ms"):
        assert step.values[figure].value == longest_ms


def test_a_percentile_without_a_mean_is_kept(tmp_path: Path) -> None:
    path = run_fio(tmp_path, "--disable_lat=1", "--ioengine=psync")
    [step] = read_fio(path, path.read_text()).steps
    assert "latency_mean_ms" not in step.values
    assert step.values["latency_p99_ms"] == step.values["read_p99_ms"]
    assert "latency_p99_ms" not in step.notes


def test_groups_are_steps_one_after_the_other() -> None:
    text = written(entry("a", 0, 5000), entry("b", 1, 8000), entry("b", 1, 8000))
    found = read_fio(Path("x.json"), text)
    assert [step.label for step in found.steps] == ["a", "b"]
    (first, _), (second, end) = (step.window or (0, 0) for step in found.steps)
    assert (second - first) / SECOND == pytest.approx(5)
    assert end / SECOND == pytest.approx(1_600_000_019.75)
    assert found.steps[1].values["iops"].value == pytest.approx(2000)
    assert "back to back" in found.remarks[0]


def test_groups_that_ran_at_the_same_time_are_one_step() -> None:
    by_elapsed = written(entry("a", 0, 15000), entry("b", 1, 15000))
    assert len(read_fio(Path("x"), by_elapsed).steps) == 1
    starts = [{"job_start": 1_600_000_000_000 + shift} for shift in (0, 10)]
    by_start = written(
        entry("a", 0, 1000, **starts[0]), entry("b", 1, 1000, **starts[1])
    )
    assert len(read_fio(Path("x"), by_start).steps) == 1
    starts[1] = {"job_start": 1_600_000_002_000}
    later = written(entry("a", 0, 1000, **starts[0]), entry("b", 1, 1000, **starts[1]))
    assert len(read_fio(Path("x"), later).steps) == 2


def test_groups_of_which_some_ran_at_the_same_time_are_told_by_their_starts() -> None:
    shifts = {"a": 0, "b": 3000, "c": 3010}
    jobs = [
        entry(name, group, 3000, job_start=1_600_000_000_000 + shift)
        for group, (name, shift) in enumerate(shifts.items())
    ]
    steps = read_fio(Path("x"), written(*jobs)).steps
    assert [step.label for step in steps] == ["a", "b .. c"]


def test_groups_of_which_some_ran_at_the_same_time_are_not_guessed() -> None:
    jobs = [entry(name, group, 3000, elapsed=7) for group, name in enumerate("abc")]
    with pytest.raises(BadInput, match="which"):
        read_fio(Path("x"), written(*jobs))
    jobs = [entry(name, group, 3000, elapsed=4) for group, name in enumerate("abc")]
    assert len(read_fio(Path("x"), written(*jobs)).steps) == 1


def test_runs_that_were_appended_to_one_file_are_two() -> None:
    text = written(entry("a", 0, 9000)) + written(
        entry("a", 0, 9000), ms=1_600_000_099_000
    )
    assert len(read_fio(Path("x"), text).steps) == 2
    interim = written(entry("a", 0, 9000, elapsed=9), ms=1_600_000_009_000)
    last = written(entry("a", 0, 20000))
    assert len(read_fio(Path("x"), interim + last).steps) == 1


def test_a_file_without_a_clock_counts_from_its_begin() -> None:
    path = DATA / "fio-2.1.11.json"
    found = read_fio(path, path.read_text())
    assert found.clock.kind is Clock.OWN
    assert found.steps[0].window == (0, 2127550 * 1_000_000)
    assert found.steps[0].notes["latency_p99_ms"].startswith("percentiles of several")


def test_interim_documents_are_a_trace_with_the_ramp(tmp_path: Path) -> None:
    path = run_fio(tmp_path, "--ramp_time=1", status="200ms")
    found = read_fio(path, path.read_text())
    window = found.steps[0].window
    assert window is not None
    trace = found.traces[0]
    assert [name for name, _, _ in trace.quantities] == [
        "read_iops",
        "read_bw",
        "read_lat",
        "read_p99",
    ]
    inside = trace.ends > window[0] + 10_000_000
    # fio at its limit of 2000 may do less for a while on a busy machine.
    lengths = (trace.ends - trace.starts)[inside]
    mean = (trace.values[inside, 0] * lengths).sum() / lengths.sum()
    assert mean == pytest.approx(found.steps[0].values["iops"].value, rel=0.1)
    assert np.isnan(trace.values[~inside, 2]).all()
    # In a part without any I/O, as on a busy machine, there is no latency.
    did_something = inside & (trace.values[:, 0] > 0)
    assert did_something.any()
    assert np.isfinite(trace.values[did_something, 2]).all()
    # The ramp may last longer where the machine does other things.
    assert (trace.starts[0] - window[0]) / SECOND < -0.7
    assert trace.ends[-1] / SECOND == pytest.approx(window[1] / SECOND, abs=0.05)
    stamp = json.loads(path.read_text()[path.read_text().rindex("\n{\n") :])
    assert found.clock.spread_ns < 100_000_000
    assert stamp["timestamp_ms"] / 1000 >= window[1] / SECOND


def test_a_stamp_less_the_runtime_is_within_what_is_said(tmp_path: Path) -> None:
    options = ["--write_iops_log=t", "--log_avg_msec=100", "--log_unix_epoch=1"]
    path = run_fio(tmp_path, *options)
    found = read_fio(path, path.read_text())
    rows = (tmp_path / "t_iops.1.log").read_text().splitlines()
    window = found.steps[0].window
    assert window is not None
    last_ms = int(rows[-1].split(",")[0])
    assert abs(window[1] / 1e6 - last_ms) < found.clock.spread_ns / 1e6 + 200


def test_a_client_of_two_servers_counts_each_once() -> None:
    path = DATA / "fio-3.33-client.json"
    found = read_fio(path, path.read_text())
    entries = json.loads(path.read_text())["client_stats"]
    last = entries[-2:]
    moved = sum(one["read"]["io_bytes"] for one in last)
    step = found.steps[0]
    assert len(entries) == 11
    assert [one["port"] for one in last] == [18801, 18802]
    assert step.window is not None
    seconds = (step.window[1] - step.window[0]) / SECOND
    assert step.values["read_mb_s"].value == pytest.approx(moved / seconds / 1e6)
    assert "latency_p99_ms" not in step.values
    assert found.clock.spread_ns == 750_000_000


def test_read_and_write_have_a_percentile_each() -> None:
    path = DATA / "fio-2.0.15-terse.txt"
    found = read_file(path).found
    assert isinstance(found, Found)
    step = found.steps[0]
    assert step.values["read_p99_ms"].value == pytest.approx(1.656)
    assert step.values["write_p99_ms"].value == pytest.approx(2.8)
    assert step.values["read_p50_ms"].value == pytest.approx(0.676)
    assert step.values["write_p99_9_ms"].value == pytest.approx(3.28)
    assert step.values["read_max_ms"].value == pytest.approx(2.648)
    assert step.values["latency_max_ms"].value == pytest.approx(5.29)
    assert "latency_p99_ms" not in step.values
    assert "several jobs or directions" in step.notes["latency_p99_ms"]


def found_in(text: str) -> Found:
    return read_fio(Path("x.json"), text)


def rates(found: Found, name: str = "iops") -> list[float]:
    return [round(step.values[name].value, 6) for step in found.steps]


@pytest.mark.parametrize("apart_ms", [1600, 3000, 4900])
def test_short_runs_that_were_appended_are_all_kept(apart_ms: int) -> None:
    runs = [
        written(
            entry("a", 0, 1000, total_ios=count, elapsed=2),
            ms=1_600_000_000_000 + number * apart_ms,
        )
        for number, count in enumerate((200, 400, 800))
    ]
    assert rates(found_in("".join(runs))) == [200, 400, 800]


def test_a_start_that_fio_tells_divides_runs_at_once() -> None:
    one, other = (
        written(entry("a", 0, 100, job_start=1_600_000_000_000 + shift, elapsed=1))
        for shift in (0, 400)
    )
    assert len(found_in(one + other).steps) == 2
    assert len(found_in(one + one).steps) == 1


def test_a_start_that_fio_tells_anew_after_the_ramp_is_of_the_same_run() -> None:
    begin = 1_600_000_000_000
    ramp = {"job options": {"ramp_time": "5"}}
    unmeasured = {"lat_ns": {"mean": 0.0, "N": 0}, "clat_ns": {"mean": 0.0, "N": 0}}
    documents = [
        written(
            entry("a", 0, 4000, job_start=begin, elapsed=4, **ramp, **unmeasured),
            ms=begin + 4000,
        ),
        written(
            entry("a", 0, 3000, job_start=begin + 5000, elapsed=8, **ramp),
            ms=begin + 8000,
        ),
        written(
            entry("a", 0, 9000, job_start=begin + 5000, elapsed=14, **ramp),
            ms=begin + 14_250,
        ),
    ]
    assert rates(found_in("".join(documents))) == [1000]


def test_runs_of_less_than_a_second_are_not_guessed() -> None:
    one, other = (
        written(entry("a", 0, runtime, elapsed=1), ms=1_600_000_000_000 + shift)
        for shift, runtime in ((0, 300), (700, 500))
    )
    with pytest.raises(BadInput, match="results 1 and 2 are of one run"):
        found_in(one + other)
    # Counters that went back are of another run in any case.
    assert len(found_in(other + one.replace("00000000,", "00001400,")).steps) == 2


@pytest.mark.parametrize("has_ramp", [True, False])
def test_a_document_of_a_run_that_was_not_over_is_of_the_same_run(
    *, has_ramp: bool
) -> None:
    """On a busy machine fio begins late: what it did so far fits between the two."""
    lacks = {"lat_ns": {"mean": 0.0, "N": 0}, "clat_ns": {"mean": 0.0, "N": 0}}
    ramp = {"job options": {"ramp_time": "1"}, "eta": 2**31 - 1, **lacks}
    one, other = (
        written(
            entry("a", 0, runtime, elapsed=1, **(ramp if has_ramp else {"eta": 2})),
            ms=1_600_000_000_000 + shift,
        )
        for shift, runtime in ((0, 45), (198, 245))
    )
    assert len(found_in(one + other).steps) == 1


T0 = 1_600_000_000_000
UNTIMED = {"lat_ns": {"mean": 0.0, "N": 0}, "clat_ns": {"mean": 0.0, "N": 0}}
TOLD = {"job options": {"runtime": "1", "time_based": "1"}, "eta": 2**31 - 1}


def told(*entries: dict[str, object], at_s: float, second: int) -> str:
    """A document of a run that fio was started for at T0, so many seconds begun ago."""
    return written(
        *(e | {"elapsed": second} for e in entries), ms=T0 + int(at_s * 1000)
    )


def test_a_document_made_as_a_group_begins_is_of_the_same_run() -> None:
    """fio reads the time of a job first and its I/Os then, which may be its first."""
    text = [
        told(entry("a", 0, 900), entry("b", 1, 0, total_ios=0), at_s=1.0, second=1),
        told(entry("a", 0, 1000), entry("b", 1, 0, total_ios=3), at_s=1.2, second=2),
        told(entry("a", 0, 1000), entry("b", 1, 180), at_s=1.4, second=2),
        told(entry("a", 0, 1000), entry("b", 1, 1000), at_s=2.3, second=3),
    ]
    assert [step.label for step in found_in("".join(text)).steps] == ["a", "b"]
    # What it is at the end is a fault.
    assert [step.fault for step in found_in("".join(text[:2])).steps] == ["", "ERROR"]


def test_each_group_has_its_own_ramp() -> None:
    ramp = {"job options": {"ramp_time": "1"}}
    waits, done = entry("b", 1, 0, **ramp), entry("a", 0, 1000, **ramp)
    text = [
        told(entry("a", 0, 900, **ramp, **UNTIMED), waits, at_s=1, second=1),
        told(entry("a", 0, 400, **ramp), waits, at_s=1.5, second=2),
        told(done, entry("b", 1, 900, **ramp, **UNTIMED), at_s=3, second=3),
        # Just set back it has no time yet.
        told(done, entry("b", 1, 0, **ramp, total_ios=0), at_s=3.2, second=4),
        told(done, entry("b", 1, 300, **ramp), at_s=3.5, second=4),
        told(done, entry("b", 1, 1000, **ramp), at_s=4.2, second=5),
    ]
    found = found_in("".join(text))
    assert [(step.label, step.ramp_s) for step in found.steps] == [("a", 1), ("b", 1)]


def test_seconds_since_the_start_tell_a_late_document_of_the_same_run() -> None:
    """On a busy machine time passes between fio's look at the clock and its stamp."""
    text = [
        told(entry("a", 0, 900), at_s=1.4, second=1),
        told(entry("a", 0, 2000), at_s=2.05, second=3),
    ]
    assert rates(found_in("".join(text))) == [1000]


def test_documents_with_late_stamps_are_placed_by_the_earliest() -> None:
    ramp = {"job options": {"ramp_time": "1"}}
    text = [
        told(entry("a", 0, 300, **ramp, **UNTIMED), at_s=0.8, second=1),
        told(entry("a", 0, 700, **ramp, **UNTIMED), at_s=0.9, second=1),
        told(entry("a", 0, 950, **ramp, **UNTIMED), at_s=1.6, second=2),
        told(entry("a", 0, 200, **ramp), at_s=1.5, second=2),
        told(entry("a", 0, 600, **ramp), at_s=2.3, second=3),
        told(entry("a", 0, 1000, **ramp), at_s=2.5, second=3),
    ]
    found = found_in("".join(text))
    assert found.steps[0].window == (
        T0 * MS + SECOND * 13 // 10,
        T0 * MS + SECOND * 23 // 10,
    )
    spans = [
        ((int(start) - T0 * MS) // MS, (int(end) - T0 * MS) // MS)
        for trace in found.traces
        for start, end in zip(trace.starts, trace.ends, strict=True)
    ]
    assert spans == [
        *((200, 500), (500, 900), (900, 1150)),
        *((1300, 1500), (1500, 1900), (1900, 2300)),
    ]


@pytest.mark.parametrize("earlier", [0, 30])
def test_a_run_that_is_shorter_than_it_was_to_be_goes_on(earlier: int) -> None:
    text = [
        told(entry("a", 0, earlier, **TOLD), at_s=0.3, second=1),
        told(entry("a", 0, 250, **TOLD), at_s=0.6, second=1),
        told(entry("a", 0, 1000, **TOLD), at_s=1.4, second=2),
    ]
    assert rates(found_in("".join(text))) == [1000]


def test_groups_that_interim_documents_show_at_once_are_one_step() -> None:
    """In two seconds two groups of one could also be one after the other."""
    text = [
        told(entry("a", 0, 400), entry("b", 1, 380), at_s=0.5, second=1),
        told(entry("a", 0, 1000), entry("b", 1, 1000), at_s=1.2, second=2),
    ]
    assert len(found_in(text[1]).steps) == 2
    assert [step.label for step in found_in("".join(text)).steps] == ["a .. b"]
    # Of three of which two ran at the same time they tell which.
    jobs = [("a", 3000, 0), ("b", 3000, 1500), ("c", 3000, 1500)]
    half = [entry(name, n, ran) for n, (name, _, ran) in enumerate(jobs)]
    half[0] = entry("a", 0, 3000)
    whole = [entry(name, n, all_) for n, (name, all_, _) in enumerate(jobs)]
    both = told(*half, at_s=4.6, second=5) + told(*whole, at_s=6.2, second=7)
    assert [step.label for step in found_in(both).steps] == ["a", "b .. c"]


def client(*entries: dict[str, object]) -> str:
    return json.dumps({"timestamp": 1_600_000_020, "client_stats": entries}, indent=2)


def test_clones_of_a_client_all_count() -> None:
    hosts = [
        entry("a", 0, 1000, total_ios=count, hostname=host, port=1)
        for host, counts in (("one", (100, 200, 400)), ("two", (1000, 2000, 4000)))
        for count in counts
    ]
    total = entry("All clients", 0, 1000, total_ios=7700)
    assert rates(found_in(client(*hosts, total))) == [7700]
    # Interim reports stand before the last one; the sum is of the first ones.
    later = [entry("a", 0, 1000, total_ios=1, hostname=h, port=1) for h in "ab" * 3]
    early = [dict(e, hostname=h) for e, h in zip(hosts, "aaabbb", strict=True)]
    assert rates(found_in(client(*early, total, *later))) == [6]


def test_clones_of_a_client_without_its_sum_are_told_by_options() -> None:
    options = {"job options": {"numjobs": "3"}, "hostname": "one", "port": 1}
    clones = [entry("a", 0, 1000, total_ios=100, **options) for _ in range(3)]
    assert rates(found_in(client(*clones))) == [300]
    with pytest.raises(
        BadInput, match="job a on one has 2 entries, not a multiple of 3"
    ):
        found_in(client(*clones[:2]))
    grouped = {**options, "job options": {"numjobs": "3", "group_reporting": "1"}}
    interim = [entry("a", 0, 1000, total_ios=n, **grouped) for n in (10, 20)]
    assert rates(found_in(client(*interim))) == [20]


def test_mixed_beside_what_it_sums_up_does_not_count() -> None:
    one = entry("a", 0, 1000)
    both = entry("a", 0, 1000, total_ios=2000)
    found = found_in(written({**one, "write": one["read"], "mixed": both["read"]}))
    assert rates(found) == [2000]
    assert rates(found, "read_iops") == [1000]


def test_2_21_has_microseconds_and_bytes() -> None:
    side: dict[str, object] = {"io_bytes": 4096 * 500, "io_kbytes": 2000}
    side |= {"runtime": 1000, "total_ios": 500, "iops": 500.0, "lat": {"mean": 250.5}}
    side["clat"] = {"mean": 250.0, "percentile": {"99.000000": 740}}
    one = {"jobname": "a", "groupid": 0, "read": side}
    found = found_in(json.dumps({"timestamp": 1_600_000_020, "jobs": [one]}, indent=2))
    assert rates(found, "latency_mean_ms") == [0.2505]
    assert rates(found, "latency_p99_ms") == [0.74]
    assert rates(found, "bandwidth_mb_s") == [2.048]


def test_jobs_of_unequal_length_are_told_with_their_own_rates() -> None:
    found = found_in(written(entry("a", 0, 2000), entry("a", 0, 8000)))
    assert rates(found) == [1250]
    note = found.steps[0].notes["iops"]
    assert "2 to 8 s" in note
    assert "add up to 2000 1/s" in note
    alike = found_in(written(entry("a", 0, 8001), entry("a", 0, 8000)))
    assert not alike.steps[0].notes.keys() & {"iops", "bandwidth_mb_s"}


def test_reads_and_writes_of_unequal_length_are_over_the_longest() -> None:
    writes = entry("b", 0, 8000).pop("read")
    found = found_in(written(entry("a", 0, 2000), entry("b", 0, 0, write=writes)))
    assert rates(found) == [1250]
    assert rates(found, "read_iops") == rates(found, "write_iops") == [1000]
    assert "add up to 2000 1/s" in found.steps[0].notes["iops"]


@pytest.mark.parametrize(
    ("options", "is_in_turn"),
    [
        (["--verify=crc32c"], True),
        (["--verify=crc32c", "--do_verify=0", "--rw=rw"], False),
        (["--verify=0", "--rw=rw"], False),
    ],
)
def test_a_verification_after_the_writes_is_not_added_to_them(
    tmp_path: Path, options: list[str], is_in_turn: bool
) -> None:
    more = ("--rw=write", "--size=1m", "--time_based=0", "--rate_iops=500", *options)
    path = run_fio(tmp_path, *more)
    [step] = read_fio(path, path.read_text()).steps
    totals = {"iops", "bandwidth_mb_s", "latency_mean_ms"}
    assert {"read_iops", "write_iops"} <= step.values.keys()
    if is_in_turn:
        assert not totals & step.values.keys()
        assert all("read it back" in step.notes[name] for name in totals)
        assert "latency_max_ms" not in step.values
    else:
        assert totals <= step.values.keys()


def test_jobs_that_began_apart_are_told() -> None:
    starts = [{"job_start": 1_600_000_000_000 + shift} for shift in (0, 3000)]
    found = found_in(written(*(entry("a", 0, 8000, **start) for start in starts)))
    assert "began up to 3 s apart" in found.steps[0].notes["iops"]


@pytest.mark.parametrize(
    ("errors", "fault"),
    [((0, 0), ""), ((5, 0), "FAIL"), ((5, 121), "FAIL"), ((5, 22), "ERROR")],
)
def test_the_fault_is_that_of_a_live_run(errors: tuple[int, ...], fault: str) -> None:
    jobs = [entry("a", 0, 1000, error=error) for error in errors]
    assert found_in(written(*jobs)).steps[0].fault == fault


def test_a_job_with_ios_in_no_time_is_not_left_out() -> None:
    fell = entry("a", 0, 0)
    fell["read"] = {**entry("a", 0, 21)["read"], "runtime": 0}  # type: ignore[dict-item]
    [step] = found_in(written(entry("a", 0, 3000), fell)).steps
    assert (step.fault, "without a time" in step.reason) == ("ERROR", True)
    [step] = found_in(written(entry("a", 0, 3000), entry("a", 0, 0))).steps
    assert step.fault == ""


def test_a_failed_verification_is_called_so() -> None:
    fault = found_in(written(entry("a", 0, 1000, error=84))).steps[0].reason
    assert "verification" in fault


def test_an_error_that_a_job_went_on_after_is_kept() -> None:
    job = entry("a", 0, 1000, error=0, total_err=3, first_error=5)
    assert found_in(written(job)).steps[0].fault == "FAIL"
    assert list(job_errors({"jobs": [job]})) == [("a", 5)]


def test_a_killed_process_beside_a_json_is_a_failure() -> None:
    text = f"fio: pid=71, got signal=9\n{written(entry('a', 0, 1000))}"
    [step] = found_in(text).steps
    assert (step.fault, "killed" in step.reason) == ("ERROR", True)


def test_a_rate_that_2_1_cut_is_no_value() -> None:
    found = read_fio(DATA / "fio-2.1.11.json", (DATA / "fio-2.1.11.json").read_text())
    step = found.steps[0]
    assert not {"iops", "read_iops"} & step.values.keys()
    assert "9.9819 to 11.9786 1/s" in step.notes["iops"]
    assert step.values["latency_mean_ms"].value == pytest.approx(0.2552, rel=2e-3)


def test_forms_in_one_file_are_of_one_run(tmp_path: Path) -> None:
    path = run_fio(tmp_path, "--output-format=normal,terse,json", "--number_ios=90")
    found = read_file(path).found
    assert isinstance(found, Found)
    assert (found.kind, len(found.steps)) == ("fio JSON", 1)
    text = path.read_text()
    begin, end = text.index("\n{\n"), text.index("\n}\n") + 3
    path.write_text(text[:begin] + "\n" + text[end:])
    told = read_file(path).found
    assert isinstance(told, Found)
    assert (told.kind, told.clock.kind) == ("fio text", Clock.LOCAL)
    path.write_text(text + text[end:])
    with pytest.raises(BadInput, match="its text has results that are not in its"):
        read_file(path)


def test_what_windows_wrote_is_read(tmp_path: Path) -> None:
    for name in ("fio-3.25.txt", "fio-3.42.txt", "fio-2.0.15-terse.txt"):
        text = (DATA / name).read_text()
        for coding in ("utf-8", "utf-8-sig", "utf-16"):
            path = tmp_path / name
            path.write_bytes(text.replace("\n", "\r\n").encode(coding))
            own, other = read_file(path).found, read_file(DATA / name).found
            assert isinstance(own, Found)
            assert isinstance(other, Found)
            assert own.steps == other.steps
