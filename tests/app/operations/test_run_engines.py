"""Whole runs of the other engines: stand-ins and our own copier, a real session."""

from pathlib import Path

import pytest

from app.operations.run.run import run_campaign
from app.plan.verdict import Verdict
from app.record.store import Session
from tests.app.operations.benches import bench, campaign
from tests.workloads.engine_bench import use_standin

STEPS = """
name = "Engines"
[[step]]
label = "VDBench 4k"
engine = "vdbench"
runtime = "3s"
[step.vdbench]
rdpct = 75
[[step]]
label = "IOzone"
engine = "iozone"
runtime = "60s"
[step.iozone]
s = "8m"
r = "1m"
[[step]]
label = "Copy"
engine = "copy"
runtime = "1s"
[step.copy]
passes = 0
"""


def test_engines_are_run_and_one_that_is_missing_breaks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_standin(monkeypatch, tmp_path, "vdbench")
    monkeypatch.setenv("BAYSCOPE_IOZONE", str(tmp_path / "not-there"))
    result = run_campaign(campaign(STEPS), bench(tmp_path), tmp_path / "out")
    assert result.verdict is Verdict.ERROR
    with Session.open(result.session) as session:
        rows = {str(row["step"]): row for row in session.report_table()}
        channels = {channel.name for channel in session.channels()}
        reasons = {step.label: step.reason for step in session.steps()}
        events = [event.message for event in session.events()]
    assert [row["outcome"] for row in rows.values()] == ["DONE", "ERROR", "DONE"]
    assert rows["VDBench 4k"]["verdict"] == rows["Copy"]["verdict"] == "PASS"
    assert "which is not a program" in str(reasons["IOzone"])
    assert any("which is not a program" in text for text in events)
    for row in (rows["VDBench 4k"], rows["Copy"]):
        assert isinstance(row["bandwidth_mb_s"], float)
        assert isinstance(row["power_w"], float)
        assert row["bandwidth_mb_s"] > 0
    assert {"vdbench.read_iops", "copy.write_bw"} <= channels
