"""Whole runs: the real fio, the simulated bench over real sockets, a real file."""

import contextlib
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.bench.file import parse_bench
from app.campaign.phases.steering import Steering
from app.campaign.run.progress import Progress
from app.operations.run.run import run_campaign
from app.operations.sessions.showing import show_json
from app.plan.verdict import Verdict
from app.record.store import Session
from app.report.document import build_document
from instruments.errors import Aborted, BadInput, BenchError
from instruments.simulated.client import LineClient
from instruments.simulated.process import SimulatorProcess
from tests import mounts, needs
from tests.app.operations.benches import CAMPAIGN, READ, bench, bench_at, campaign
from tests.fio_said import counted_bandwidth, counted_iops, counted_s


@pytest.fixture(scope="module")
def simulator() -> Iterator[SimulatorProcess]:
    with SimulatorProcess(speedup=50) as running:
        yield running


def rows(path: Path) -> dict[str, dict[str, object]]:
    with Session.open(path) as session:
        return {str(row["step"]): row for row in session.report_table()}


def number(row: dict[str, object], name: str) -> float:
    value = row[name]
    assert isinstance(value, float | int), f"{name} is {value!r}"
    return float(value)


def missed_share(session: Session, step_id: int) -> float:
    """Get the share of the power's samples that were expected and are not there."""
    [power] = [r for r in session.results(step_id) if r.name == "power_w"]
    assert power.n_valid
    assert power.n_expected
    return max(0.0, 1 - power.n_valid / power.n_expected)


def test_a_campaign_becomes_a_session(tmp_path: Path, own_disk: Path) -> None:
    seen: list[Progress] = []
    moved: list[int] = []
    result = run_campaign(
        campaign(),
        bench(own_disk),
        tmp_path / "out",
        progress=seen.append,
        moved=moved.append,
    )
    assert result.verdict is Verdict.PASS
    assert result.exit_code == 0

    table = rows(result.session)
    assert list(table) == ["Idle", "Random read 4k", "Cool-down"]
    read = table["Random read 4k"]
    with Session.open(result.session) as session:
        said = session.artefact("fio-output.json.zz")
        missed = {
            step.label: missed_share(session, step.id) for step in session.steps()
        }
    iops = number(read, "iops")
    assert iops == pytest.approx(counted_iops(said), rel=1e-3)
    assert iops < 132
    bandwidth = counted_bandwidth(said)
    assert number(read, "bandwidth_mb_s") == pytest.approx(bandwidth / 1e6, rel=1e-3)
    assert bandwidth == pytest.approx(iops * 4096, abs=4 * 4096 / counted_s(said))
    for row in table.values():
        assert row["outcome"] == "DONE"
        assert row["verdict"] == "PASS"
        assert row["simulated"]
        assert 300 < number(row, "power_w") < 1000
        assert 0.9 < number(row, "lambda") <= 1
        assert number(row, "drive_min_c") <= number(row, "drive_max_c")
        assert number(row, "ambient_c") < number(row, "drive_max_c")
        assert 30 < number(row, "noise_db") < 100
        seconds = number(row, "duration_s")
        by_mean = number(row, "power_w") * seconds / 3600
        # The meter refreshes ten times a second, so an integrator read in a busy
        # moment is a refresh ahead or behind; power falls steeply while cooling down.
        near = 0.1 / seconds + (0.05 if row["step"] == "Cool-down" else 0.01)
        # The integrator goes on where a busy machine missed readings of the power.
        near += missed[str(row["step"])]
        assert number(row, "energy_wh") == pytest.approx(by_mean, rel=near)

    with Session.open(result.session) as session:
        assert session.state == "complete"
        assert {s.name for s in session.sources() if s.simulated} == {
            "mains",
            "enclosure",
            "noise",
        }
        names = {a.name for a in session.artefacts()}
        assert {"job.fio", "fio-output.json.zz"} <= names
        power = session.trace("mains.P", None, None)
        assert power.times.size > 50
        assert session.clock_pairs()
    assert {p.label for p in seen} >= {"Idle", "Random read 4k", "Cool-down"}
    fractions = [p.fraction for p in seen if p.step]
    assert fractions == sorted(fractions)
    assert len(moved) > 5


def test_an_abort_keeps_what_there_is_and_skips_the_rest(
    simulator: SimulatorProcess, tmp_path: Path
) -> None:
    cancel = threading.Event()

    def stop_in_load(progress: Progress) -> None:
        if progress.label.startswith("Random") and progress.step_fraction > 0.001:
            cancel.set()

    result = run_campaign(
        campaign(CAMPAIGN.replace('runtime = "3s"', 'runtime = "600s"')),
        bench_at(simulator, tmp_path),
        tmp_path,
        progress=stop_in_load,
        steering=Steering(cancel),
    )
    assert result.verdict is Verdict.ABORTED
    assert result.exit_code == 4
    table = rows(result.session)
    outcomes = [row["outcome"] for row in table.values()]
    assert outcomes == ["DONE", "ABORTED", "SKIPPED"]


def test_an_unreachable_meter_ends_the_run_before_it_starts(
    simulator: SimulatorProcess, tmp_path: Path, dead_meter: str
) -> None:
    dead = bench_at(simulator, tmp_path, dead_meter)
    with pytest.raises(BenchError, match=r"--without mains") as caught:
        run_campaign(campaign(), dead, tmp_path / "out")
    assert caught.value.exit_code == 3
    assert not list((tmp_path / "out").glob("*.bayscope*"))


def test_without_the_meter_the_table_shows_the_gap(
    simulator: SimulatorProcess, tmp_path: Path, dead_meter: str
) -> None:
    dead = bench_at(simulator, tmp_path, dead_meter)
    result = run_campaign(campaign(READ), dead, tmp_path, without=["mains"])
    assert result.verdict is Verdict.PASS
    read = rows(result.session)["Random read 4k"]
    assert read["power_w"] is None
    assert read["iops"]
    with Session.open(result.session) as session:
        told = [e.message for e in session.events() if e.source == "mains"]
        assert any("starts without it" in message for message in told)
        gaps = session.gaps("mains.P")
        assert gaps
        assert {gap.reason for gap in gaps} <= {"error", "timeout", "absent"}


def test_without_must_name_a_source_of_the_bench(
    simulator: SimulatorProcess, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=r'no source "bench".*enclosure, mains, noise'):
        run_campaign(
            campaign(), bench_at(simulator, tmp_path), tmp_path, without=["bench"]
        )


def test_a_job_that_fio_refuses_starts_nothing(
    simulator: SimulatorProcess, tmp_path: Path
) -> None:
    text = CAMPAIGN.replace("iodepth = 4", "rwmixread = 170")
    with pytest.raises(BadInput, match=r'step "Random read 4k".*rwmix') as caught:
        run_campaign(campaign(text), bench_at(simulator, tmp_path), tmp_path / "out")
    assert caught.value.exit_code == 2
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "scratch.dat").exists()


def test_a_broken_limit_fails_the_device(
    simulator: SimulatorProcess, tmp_path: Path
) -> None:
    text = READ.replace("[step.fio]", 'limits = ["iops >= 100000"]\n[step.fio]')
    result = run_campaign(campaign(text), bench_at(simulator, tmp_path), tmp_path)
    assert result.verdict is Verdict.FAIL
    assert result.exit_code == 1
    read = rows(result.session)["Random read 4k"]
    assert read["outcome"] == "DONE"
    assert read["verdict"] == "FAIL"
    assert "the limit is iops >= 100000" in str(read["reason"])


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [("simple", Verdict.PASS), ("guarded acceptance", Verdict.FAIL)],
)
def test_a_verdict_tells_that_a_meter_as_good_may_judge_otherwise(
    tmp_path: Path, rule: str, verdict: Verdict
) -> None:
    """A meter that may be far off, and a device that keeps its limit by less."""
    text = (
        f'name = "Near"\nrule = "{rule}"\n[[step]]\nlabel = "Idle"\nengine = "idle"\n'
        'runtime = "1s"\nlimits = ["power_w <= 800"]\n'
    )
    rough = bench(tmp_path).text.replace(
        'driver = "hmc8015"\n',
        'driver = "hmc8015"\naccuracy_reading = 10\naccuracy_range = 10\n'
        'accuracy_source = "a guess"\n',
    )
    result = run_campaign(campaign(text), parse_bench(rough, "bench.toml"), tmp_path)
    assert result.verdict is verdict
    steps = show_json(result.session)["steps"]
    assert isinstance(steps, list)
    step = steps[0]
    assert 500 < step["power_w"] < 800 < step["power_w"] + step["power_error_w"]
    assert step["limits_within_error"] == 1
    assert "within the meter's error of the limit power_w <= 800" in step["reason"]
    told = f"{verdict}, within the meter's error"
    with Session.open(result.session) as session:
        assert [row[-1] for row in build_document(session).table.texts()] == [told]


def test_no_line_leads_from_one_load_to_the_next(
    simulator: SimulatorProcess, tmp_path: Path
) -> None:
    text = READ.replace("[step.fio]", "repeat = 2\n[step.fio]")
    result = run_campaign(campaign(text), bench_at(simulator, tmp_path), tmp_path)
    with Session.open(result.session) as session:
        first, second = (s for s in session.steps() if s.engine == "fio")
        trace = session.trace("fio.read_iops", None, None)
        assert first.window_end_ns is not None
        assert second.window_start_ns is not None
        between = (trace.times >= first.window_end_ns) & (
            trace.times <= second.window_start_ns
        )
        assert np.isnan(trace.mean[between]).any()


def test_a_meter_that_drops_out_leaves_a_gap_and_comes_back(
    simulator: SimulatorProcess, tmp_path: Path
) -> None:
    """The simulator's link is cut for two seconds in the middle of an idle step."""
    text = 'name = "x"\n[[step]]\nlabel = "Idle"\nengine = "idle"\nruntime = "8s"\n'
    cut = threading.Event()

    def cut_once(progress: Progress) -> None:
        if progress.step_fraction > 0.2 and not cut.is_set():
            cut.set()
            client = LineClient(simulator.enclosure_address)
            client.ask("SIMulate:FAULt drop,2,meter")
            client.close()

    ready = bench_at(simulator, tmp_path)
    result = run_campaign(campaign(text), ready, tmp_path, progress=cut_once)
    assert result.verdict is Verdict.PASS
    with Session.open(result.session) as session:
        trace = session.trace("mains.P", None, None)
        (step,) = session.steps()
        assert step.window_end_ns is not None
        inside = trace.mean[trace.times < step.window_end_ns]
        first = int(np.flatnonzero(np.isnan(inside))[0])
        # It came back, whatever single beats a busy machine has missed since.
        assert np.isfinite(inside[first:]).sum() > 10
        told = [e.level for e in session.events() if e.source == "mains"]
        assert "warning" in told or "error" in told
        power = next(r for r in session.results(step.id) if r.name == "power_w")
        assert power.n_valid is not None
        assert power.n_expected is not None
        assert 0 < power.n_valid < 0.95 * power.n_expected
        assert session.info.simulated


@needs.mounts
def test_a_full_disk_stops_the_load_and_keeps_what_is_stored(
    simulator: SimulatorProcess, tmp_path: Path, small_disk: Path
) -> None:
    text = CAMPAIGN.replace('runtime = "3s"', 'runtime = "600s"')

    def fill(progress: Progress) -> None:
        filler = small_disk / "filler"
        if progress.label.startswith("Random") and not filler.exists():
            with contextlib.suppress(OSError), filler.open("wb") as file:
                while True:
                    file.write(bytes(65536))

    result = run_campaign(
        campaign(text), bench_at(simulator, tmp_path), small_disk, progress=fill
    )
    assert result.verdict is Verdict.ERROR
    assert "full" in result.reason
    (small_disk / "filler").unlink()
    with Session.open(result.session) as session:
        assert session.trace("mains.P", None, None).times.size > 10
        table = session.report_table()
        assert table[0]["verdict"] == "PASS"
        assert table[1]["verdict"] == "ERROR"
        assert "full" in str(table[1]["reason"])
        assert session.info.verdict == "ERROR"


@needs.mounts
def test_a_disk_without_room_is_said_before_anything_is_started(
    simulator: SimulatorProcess, tmp_path: Path, small_disk: Path
) -> None:
    (small_disk / "filler").write_bytes(bytes(12 * 2**20))
    with pytest.raises(BenchError, match="the disk is full, 4 MiB are free"):
        run_campaign(campaign(), bench_at(simulator, tmp_path), small_disk)
    assert not (tmp_path / "scratch.dat").exists()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 16 MiB in memory."""
    with mounts.small_disk(tmp_path / "small", "16m") as made:
        yield made


def test_a_missing_fio_marks_its_steps_and_keeps_the_rest(
    simulator: SimulatorProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "setpriv").symlink_to("/usr/bin/setpriv")
    monkeypatch.setenv("PATH", str(tools))
    result = run_campaign(campaign(), bench_at(simulator, tmp_path), tmp_path)
    assert result.verdict is Verdict.ERROR
    table = rows(result.session)
    assert [row["outcome"] for row in table.values()] == ["DONE", "ERROR", "DONE"]
    assert number(table["Idle"], "power_w") > 300
    assert "apt install fio" in str(table["Random read 4k"]["reason"])


def test_an_old_fio_is_named_with_the_way_out(
    simulator: SimulatorProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "tools" / "fio"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho fio-2.21\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{old.parent}:/usr/bin:/bin")
    result = run_campaign(campaign(READ), bench_at(simulator, tmp_path), tmp_path)
    reason = str(rows(result.session)["Random read 4k"]["reason"])
    assert "fio-2.21" in reason
    assert "3.33 or later" in reason


def test_a_stop_before_the_first_step_leaves_no_session(
    simulator: SimulatorProcess, tmp_path: Path
) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Aborted) as caught:
        run_campaign(
            campaign(),
            bench_at(simulator, tmp_path),
            tmp_path / "out",
            steering=Steering(cancel),
        )
    assert caught.value.exit_code == 4
    assert not list((tmp_path / "out").iterdir())


def test_what_decides_the_results_is_in_the_session(
    simulator: SimulatorProcess, tmp_path: Path
) -> None:
    elsewhere = bench_at(simulator, tmp_path).with_target(
        tmp_path / "other.dat", 16 * 2**20
    )
    result = run_campaign(campaign(READ), elsewhere, tmp_path)
    with Session.open(result.session) as session:
        ran = tomllib.loads(session.info.bench)
        assert ran["dut"]["target"] == str(tmp_path / "other.dat")
        assert ran["dut"]["size"] == "16m"
        kinds = {row.kind for row in session.inventory()}
        assert kinds == {"host", "device"}
        assert "run started" in {row.action for row in session.journal()}
        source = next(s for s in session.sources() if s.name == "mains")
        assert "current_range" in source.config


def test_the_meter_is_tried_before_the_scratch_file_is_filled(
    simulator: SimulatorProcess, tmp_path: Path, dead_meter: str
) -> None:
    dead = bench_at(simulator, tmp_path, dead_meter)
    with pytest.raises(
        BenchError,
        match=r"mains \(.*\): mains cannot be recorded: connection refused",
    ):
        run_campaign(campaign(), dead, tmp_path)
    assert not (tmp_path / "scratch.dat").exists()
