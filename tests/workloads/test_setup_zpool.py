"""Pools of real loop devices by a stand-in of zpool: no ZFS is loaded here."""

import threading
from pathlib import Path

import pytest

from instruments.errors import BadInput
from tests.workloads.engine_bench import artefact
from tests.workloads.guard.loops import tool
from tests.workloads.setup_bench import SetupBench, armed, disks, use_zpool
from workloads.base import LoadOutcome
from workloads.setup.job import ZpoolJob

JOB = ZpoolJob("pool", 60, {"name": "tank", "layout": "mirror 2"})


def blank(folder: Path, number: int) -> bool:
    with (folder / f"disk{number}.img").open("rb") as file:
        return not any(file.read(2**20))


def test_a_pool_is_created_and_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, bench = use_zpool(monkeypatch, tmp_path), SetupBench()
    with disks(tmp_path, 2) as paths:
        found = [armed(path) for path in paths]
        result = bench.run(JOB, found)
        assert result.outcome is LoadOutcome.DONE, result.reason
        with pytest.raises(BadInput, match="2 disks, and the bench has 1"):
            bench.run(JOB, found[:1])
        assert paths[1] in artefact(result, "zpool-status.txt")
        assert (
            "zpool create -O setuid=off -O devices=off -m none tank mirror"
            in artefact(result, "zpool-create.txt")
        )
        with pytest.raises(BadInput, match="the ZFS pool tank is imported from it"):
            armed(paths[0], "zfs_member")
        again = bench.run(JOB, found)
        assert "an imported pool of this name" in again.reason
        bench.made.close()
        assert state.read_text() == "{}"
        with pytest.raises(BadInput, match="there is zfs_member"):
            armed(paths[0])
    assert bench.journal[-1][1]["done"] == "the pool tank was exported"


def test_one_disk_in_use_keeps_the_pool_from_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_zpool(monkeypatch, tmp_path)
    bench = SetupBench()
    with disks(tmp_path, 2) as paths:
        devices = [armed(path) for path in paths]
        tool("mkswap", paths[1])
        result = bench.run(JOB, devices)
        assert "there is swap" in result.reason
        assert blank(tmp_path, 0)


def test_a_tool_that_opens_another_disk_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_zpool(monkeypatch, tmp_path)
    bench = SetupBench()
    with disks(tmp_path, 3) as paths:
        monkeypatch.setenv("STANDIN_FAULT", "stray")
        monkeypatch.setenv("STANDIN_STRAY", paths[2])
        result = bench.run(JOB, [armed(path) for path in paths[:2]])
        assert f"it has {paths[2]} open" in result.reason
        assert blank(tmp_path, 0)


def test_a_stop_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_zpool(monkeypatch, tmp_path)
    bench = SetupBench()
    with disks(tmp_path, 2) as paths:
        monkeypatch.setenv("STANDIN_FAULT", "slow")
        timer = threading.Timer(1.0, bench.stop.set)
        timer.start()
        result = bench.run(JOB, [armed(path) for path in paths])
        timer.join()
    assert result.outcome is LoadOutcome.STOPPED
    assert "zpool was stopped" in result.reason


def test_a_pool_that_cannot_be_exported_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, bench = use_zpool(monkeypatch, tmp_path), SetupBench()
    with disks(tmp_path, 2) as paths:
        bench.run(JOB, [armed(path) for path in paths])
        monkeypatch.setenv("STANDIN_FAULT", "busy")
        bench.made.close()
        assert "the pool stays imported" in bench.said[-1][1]
        assert "tank" in state.read_text()
