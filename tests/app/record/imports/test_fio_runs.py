"""fio's runs: what belongs together, what ran when, and what a trace says."""

import json
from pathlib import Path

import numpy as np
import pytest

from app.record.imports.fio_json import read_fio
from app.record.imports.found import Clock, Found
from app.record.imports.recognise import read_file
from instruments.reading import SECOND
from tests.app.record.imports.results import DATA, run_fio


def entry(name: str, group: int, runtime: int, **more: object) -> dict[str, object]:
    lat = {"mean": 1000.0, "N": runtime}
    side = {"io_bytes": 4096 * runtime, "io_kbytes": 4 * runtime, "runtime": runtime}
    read = {**side, "total_ios": runtime, "lat_ns": lat, "clat_ns": lat}
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
    assert np.isfinite(trace.values[inside, 2]).all()
    assert (trace.starts[0] - window[0]) / SECOND == pytest.approx(-1, abs=0.3)
    assert trace.ends[-1] / SECOND == pytest.approx(window[1] / SECOND, abs=0.05)
    stamp = json.loads(path.read_text()[path.read_text().rindex("\n{\n") :])
    assert found.clock.spread_ns < 100_000_000
    assert stamp["timestamp_ms"] / 1000 >= window[1] / SECOND - 0.1


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
    assert "latency_p99_ms" not in step.values
    assert "several jobs or directions" in step.notes["latency_p99_ms"]
