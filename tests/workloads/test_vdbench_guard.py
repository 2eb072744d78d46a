"""VDBench on an armed disk: what its Java machines have open is looked at, too."""

from pathlib import Path

import pytest

from tests.workloads.engine_bench import EngineBench, use_standin
from tests.workloads.setup_bench import SIZE, armed, disks
from workloads.base import LoadOutcome, LoadResult
from workloads.guard.budget import Budget
from workloads.guard.disk_guard import DiskGuard
from workloads.vdbench.job import VdbenchJob
from workloads.vdbench.load import Vdbench


def run_on(path: str, folder: Path, budget: Budget | None = None) -> LoadResult:
    device = armed(path)
    job = VdbenchJob(
        "write", device.path, SIZE, 2, 0, True, {"rdpct": "0", "threads": "1"}
    )
    return EngineBench(folder).run(Vdbench(job, guard=DiskGuard([device], budget)))


def test_it_runs_on_an_armed_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_standin(monkeypatch, tmp_path, "vdbench")
    with disks(tmp_path, 1) as paths:
        result = run_on(paths[0], tmp_path)
    assert result.outcome is LoadOutcome.DONE, result.reason


def test_a_slave_with_another_disk_is_killed_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_standin(monkeypatch, tmp_path, "vdbench")
    with disks(tmp_path, 2) as paths:
        monkeypatch.setenv("STANDIN_FAULT", "stray")
        monkeypatch.setenv("STANDIN_STRAY", paths[1])
        result = run_on(paths[0], tmp_path)
    assert result.outcome is LoadOutcome.FAILED
    assert f"ended by the guard: it has {paths[1]} open" in result.reason
