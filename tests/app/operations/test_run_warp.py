"""Runs with WARP: a stand-in for the program, a real S3 server for its bucket."""

from pathlib import Path

import pytest

from app.operations.run.run import RunResult, run_campaign
from app.plan.verdict import Verdict
from app.record.store import Session
from instruments.errors import BadInput
from tests.app.operations.benches import bench, campaign
from tests.app.operations.buckets import know_keys, steps
from tests.s3_server import ask
from tests.workloads.engine_bench import use_standin


@pytest.fixture(autouse=True)
def _warp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_standin(monkeypatch, tmp_path, "warp")
    know_keys(monkeypatch)


def reasons(result: RunResult) -> list[str]:
    """Get why each row of a session is what it is."""
    with Session.open(result.session) as session:
        return [f"{step.label}: {step.reason}" for step in session.steps()]


def test_a_bucket_is_benchmarked_and_no_scratch_file_is_made(
    tmp_path: Path, s3: str
) -> None:
    plan = campaign(steps(s3, "fresh"))
    result = run_campaign(plan, bench(tmp_path), tmp_path / "out")
    assert result.verdict is Verdict.PASS, reasons(result)
    assert not (tmp_path / "scratch.dat").exists()
    with Session.open(result.session) as session:
        (row,) = session.report_table()
        channels = {channel.name for channel in session.channels()}
    assert row["iops"] == pytest.approx(380, rel=0.1)
    assert "warp.write_bw" in channels
    assert b"not-to-be-found" not in result.session.read_bytes()


def test_a_row_says_that_a_thread_ended_early(
    tmp_path: Path, s3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDIN_FAULT", "early")
    plan = campaign(steps(s3, "early").replace("[step.warp]", "[step.warp]\nfull = 1"))
    result = run_campaign(plan, bench(tmp_path), tmp_path / "out")
    with Session.open(result.session) as session:
        [step] = session.steps()
    assert step.verdict == Verdict.PASS
    assert "one of its threads" in str(step.reason)


def test_a_bucket_with_data_stops_everything_before_the_start(
    tmp_path: Path, s3: str
) -> None:
    for path, content in (("precious", b""), ("precious/data", b"x")):
        ask("PUT", f"http://{s3}/{path}", content)
    plan = campaign(steps(s3, "precious"))
    with pytest.raises(BadInput, match="--erase-bucket precious"):
        run_campaign(plan, bench(tmp_path), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_server_that_is_not_there_ends_only_its_steps(tmp_path: Path) -> None:
    idle = '[[step]]\nlabel = "Idle"\nengine = "idle"\nruntime = "1s"\n'
    plan = campaign(steps("127.0.0.1:9", "x1x") + idle)
    result = run_campaign(plan, bench(tmp_path), tmp_path / "out")
    with Session.open(result.session) as session:
        outcomes = [row["outcome"] for row in session.report_table()]
        (first, _) = session.steps()
    assert outcomes == ["ERROR", "DONE"]
    assert "does not answer" in str(first.reason)
