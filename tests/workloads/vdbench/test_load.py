"""VDBench as a workload, with a stand-in that prints and writes as it does."""

import math
import time
from pathlib import Path

import pytest

from instruments.errors import BenchError
from tests.workloads.engine_bench import SIZE, EngineBench, artefact, use_standin
from workloads.base import LoadOutcome
from workloads.tool_ended import GRACE_S
from workloads.vdbench.job import VdbenchJob, check
from workloads.vdbench.load import Vdbench, program


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EngineBench:
    use_standin(monkeypatch, tmp_path, "vdbench")
    monkeypatch.setenv("STANDIN_SPEED", "10")
    return EngineBench(tmp_path)


def load(
    bench: EngineBench, runtime: float = 3, ramp: float = 0, **own: str
) -> Vdbench:
    options = {"xfersize": "4k", "rdpct": "75", **own}
    return Vdbench(VdbenchJob("one", bench.path, SIZE, runtime, ramp, True, options))


def test_a_run_gives_live_readings_and_one_result_over_its_window(
    bench: EngineBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDIN_SPEED", "1")
    begin = time.monotonic_ns()
    result = bench.run(load(bench, runtime=2, ramp=1))
    end = time.monotonic_ns()
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    assert result.window is not None
    start, stop = result.window
    assert begin < start < stop < end
    assert stop - start > 1.9e9
    rows = [r.values[0] for r in bench.readings]
    assert len(rows) == 3
    assert result.values["iops"].value == pytest.approx(sum(rows[1:]) / 2, rel=1e-3)
    total = result.values["read_iops"].value + result.values["write_iops"].value
    assert total == pytest.approx(result.values["iops"].value)
    mb = result.values["iops"].value * 4096 / 1e6
    assert result.values["bandwidth_mb_s"].value == pytest.approx(mb, rel=1e-3)
    assert result.values["latency_mean_ms"].value == 1.5
    assert result.values["buffered"].value == 0


def test_the_parameter_file_measures_the_runtime(bench: EngineBench) -> None:
    result = bench.run(load(bench, runtime=3))
    text = artefact(result, "parmfile")
    # Its first interval is never part of an average, so one more is run.
    assert "elapsed=4,interval=1" in text
    assert "openflags=o_direct" in text
    average = artefact(result, "totals.html")
    assert "avg_2-4" in average


@pytest.mark.parametrize("version", ["50406", "50407"])
def test_both_layouts_of_columns_are_read(
    bench: EngineBench, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setenv("STANDIN_VERSION", version)
    result = bench.run(load(bench))
    assert result.outcome is LoadOutcome.DONE
    assert bench.heard(f"this is vdbench{version}")
    assert result.values["read_latency_ms"].value == pytest.approx(1.35)
    assert result.values["latency_max_ms"].value == pytest.approx(4.5)
    quantities = [c.quantity for c in bench.readings[0].channels]
    found = dict(zip(quantities, bench.readings[0].values, strict=True))
    assert found["read_lat"] == pytest.approx(1.35e-3)
    assert not any(math.isnan(value) for value in found.values())


def test_one_direction_has_no_channels_of_the_other(bench: EngineBench) -> None:
    result = bench.run(load(bench, rdpct="100"))
    assert [c.quantity for c in load(bench, rdpct="100").channels] == [
        "iops",
        "bw",
        "lat",
    ]
    assert "write_iops" not in result.values


def test_a_stop_ends_it_and_leaves_no_helper(
    bench: EngineBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDIN_FAULT", "helper")
    result = bench.run(load(bench, runtime=600), stop_after=2)
    assert result.outcome is LoadOutcome.STOPPED
    assert bench.heard("left helper processes behind")
    assert "CTRL-C requested" in artefact(result, "vdbench-output.txt")


def test_one_that_does_not_listen_is_killed(
    bench: EngineBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDIN_FAULT", "deaf")
    monkeypatch.setattr(
        "workloads.tool_run.GRACE_S",
        dict.fromkeys(GRACE_S, 0.3),
    )
    result = bench.run(load(bench, runtime=600), stop_after=1)
    assert result.outcome is LoadOutcome.STOPPED
    assert bench.heard("ignored SIGTERM")


@pytest.mark.parametrize(
    ("fault", "outcome", "expected"),
    [
        ("eio", LoadOutcome.DEVICE_FAILED, "errno: EIO"),
        ("die", LoadOutcome.FAILED, "SIGKILL"),
        (
            "quit",
            LoadOutcome.FAILED,
            "vdbench ended after interval 2 without its closing line (exit code 0)",
        ),
        ("no-java", LoadOutcome.FAILED, "java: command not found"),
        ("no-totals", LoadOutcome.FAILED, "there is no totals.html"),
        ("no-average", LoadOutcome.FAILED, "rd1 has no average"),
    ],
)
def test_a_run_that_is_not_whole_is_not_done(
    bench: EngineBench,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    outcome: LoadOutcome,
    expected: str,
) -> None:
    monkeypatch.setenv("STANDIN_FAULT", fault)
    result = bench.run(load(bench))
    assert result.outcome is outcome
    assert expected in result.reason


def test_without_vdbench_it_says_where_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BenchError, match="Oracle"):
        program()
    monkeypatch.setenv("BAYSCOPE_VDBENCH", "/nowhere/vdbench")
    with pytest.raises(BenchError, match="which is not a program"):
        program()


def test_a_tree_of_files_is_described_and_must_fit(
    bench: EngineBench, tmp_path: Path
) -> None:
    options = {"mode": "files", "files": "8", "size": "1m", "depth": "2", "width": "3"}
    job = VdbenchJob("one", bench.path, SIZE, 10, 0, True, options)
    assert job.tree_bytes == 9 * 8 * 2**20
    text = job.text(Path("/x/tree"))
    assert "fsd=fsd1,anchor=/x/tree,depth=2,width=3,files=8,size=1048576" in text
    assert "fwdrate=max,format=yes" in text
    with pytest.raises(BenchError, match="its files need 72 MiB"):
        bench.run(Vdbench(job))
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "scratch.dat",
        "vdbench",
    ]


def test_a_tree_of_files_is_made_loaded_and_removed(
    bench: EngineBench, tmp_path: Path
) -> None:
    own = {"mode": "files", "files": "4", "size": "64k", "xfersize": "64k"}
    job = VdbenchJob("one", bench.path, SIZE, 3, 0, True, {**own, "rdpct": "80"})
    result = bench.run(Vdbench(job))
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    assert result.values["iops"].value == pytest.approx(100)
    assert result.values["read_iops"].value == pytest.approx(80)
    assert result.values["write_mb_s"].value == pytest.approx(20 * 65536 / 1e6)
    assert result.values["write_latency_ms"].value == 3.0
    assert result.window is not None
    # Lines of the tree's making are no readings of the load.
    assert len(bench.readings) == 4
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "scratch.dat",
        "vdbench",
    ]


def test_options_have_their_defaults() -> None:
    assert check({}).integer("threads") == 8
