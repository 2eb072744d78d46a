"""Commands that ask a bench's instruments leave a bench alone on which another runs."""

from pathlib import Path

import pytest

from app.bench.file import load_bench
from app.cli import run
from app.operations.bench.lock import only_program

BENCH = """
name = "Lab"
[dut]
name = "JBOD"
target = "{folder}/scratch"
size = "32m"
[[power]]
name = "mains"
driver = "hmc8015"
resource = "{meter}"
"""
PLAN = 'name = "Plan"\n[[step]]\nlabel = "Idle"\nengine = "idle"\nruntime = "1s"\n'


def test_a_bench_in_use_is_not_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], dead_meter: str
) -> None:
    bench, plan = tmp_path / "bench.toml", tmp_path / "plan.toml"
    bench.write_text(BENCH.format(folder=tmp_path, meter=dead_meter))
    plan.write_text(PLAN)
    with only_program(load_bench(bench)):
        for argv in (
            ["check", str(bench)],
            ["preflight", str(plan), "--bench", str(bench)],
            ["run", str(plan), "--bench", str(bench), "--out", str(tmp_path)],
        ):
            assert run(argv) == 3
            said = capsys.readouterr()
            assert "another Bayscope" in said.err
            assert said.out == ""


def test_a_full_disk_is_the_bench_and_is_told_before_any_estimate(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    dead_meter: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench, plan = tmp_path / "bench.toml", tmp_path / "plan.toml"
    bench.write_text(BENCH.format(folder=tmp_path, meter=dead_meter))
    plan.write_text(PLAN)
    words = ["run", str(plan), "--bench", str(bench), "--out", str(tmp_path)]
    monkeypatch.setattr("app.operations.sessions.place.LEAST_ROOM", 2**62)
    assert run(words) == 3
    said = capsys.readouterr()
    assert "the disk is full" in said.err
    assert said.out == ""
