"""File systems made on real loop devices, mounted, shown and taken back."""

import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from instruments.errors import BadInput, BenchError
from tests.workloads.engine_bench import artefact
from tests.workloads.guard.loops import mounted, tool
from tests.workloads.setup_bench import SetupBench, armed, disks
from workloads.base import LoadOutcome
from workloads.guard.budget import Budget
from workloads.setup.job import MkfsJob
from workloads.setup.made import uuid_of
from workloads.setup.make import program_of

KINDS = [
    pytest.param(
        kind,
        marks=pytest.mark.skipif(
            not shutil.which(f"mkfs.{kind}", path="/usr/sbin:/sbin"),
            reason=f"mkfs.{kind} is not installed",
        ),
    )
    for kind in ("xfs", "ext4")
]


@pytest.fixture
def place() -> Iterator[str]:
    """A template below /mnt that nobody else has; nothing may be left there."""
    name = f"bs-{uuid.uuid4().hex[:8]}-"
    yield f"/mnt/{name}{{n}}"
    left = list(Path("/mnt").glob(f"{name}*"))
    for path in left:
        subprocess.run(["umount", path], check=False, capture_output=True)
        path.rmdir()
    assert not left


def job(kind: str = "ext4", **options: str) -> MkfsJob:
    return MkfsJob("make", 60, {"type": kind, **options})


def mounts() -> str:
    return Path("/proc/self/mounts").read_text()


@pytest.mark.parametrize("kind", KINDS)
def test_two_disks_are_made_mounted_and_taken_back(
    tmp_path: Path, place: str, kind: str
) -> None:
    bench = SetupBench()
    with disks(tmp_path, 2) as paths:
        made = job(kind, mount=place, options="-L bay")
        result = bench.run(made, [armed(path) for path in paths])
        assert result.outcome is LoadOutcome.DONE, result.reason
        assert result.values["disks"].value == 2
        for number, path in enumerate(paths, 1):
            here = place.replace("{n}", str(number))
            assert f"{path} {here} {kind} rw,nosuid,nodev" in mounts()
            assert 'LABEL="bay"' in artefact(result, f"{Path(path).name}-blkid.txt")
        assert bench.budget.written > 0
        bench.made.close()
        assert place[:-3] not in mounts()
        again = bench.run(made, [armed(paths[0], kind), armed(paths[1], kind)])
        assert again.outcome is LoadOutcome.DONE, again.reason
        bench.made.close()
    done = [facts["done"] for action, facts in bench.journal if "undone" in action]
    assert len(done) == 4
    assert [action for action, _ in bench.journal[:2]] == ["set up", "set up"]


def test_a_second_disk_that_is_in_use_is_not_touched(
    tmp_path: Path, place: str
) -> None:
    bench = SetupBench()
    with disks(tmp_path, 2) as paths:
        devices = [armed(path) for path in paths]
        tool("mkfs.ext4", "-q", paths[1])
        before = uuid_of(paths[1])
        with mounted(paths[1], tmp_path / "place"):
            result = bench.run(job(mount=place), devices)
        assert result.outcome is LoadOutcome.FAILED
        assert "1 of 2 disks are done" in result.reason
        assert "is in use: mounted" in result.reason
        bench.made.close()
        assert uuid_of(paths[1]) == before


def test_data_that_came_after_arming_stays(tmp_path: Path) -> None:
    bench = SetupBench()
    with disks(tmp_path, 1) as paths:
        device = armed(paths[0])
        tool("mkfs.ext4", "-q", "-L", "precious", paths[0])
        result = bench.run(job(), [device])
        assert "there is ext4 (precious)" in result.reason
        assert tool("blkid", "-p", "-s", "LABEL", "-o", "value", paths[0]) == "precious"
        result = bench.run(job(), [replace(device, armed=None)])
        assert "it is not armed" in result.reason


def test_what_is_not_ours_is_not_unmounted(tmp_path: Path, place: str) -> None:
    bench = SetupBench()
    here = place.replace("{n}", "1")
    with disks(tmp_path, 2) as paths:
        assert bench.run(job(mount=place), [armed(paths[0])]).values
        tool("umount", here)
        tool("mkfs.ext4", "-q", paths[1])
        with mounted(paths[1], Path(here)):
            bench.made.close()
            assert f"{paths[1]} {here}" in mounts()
        Path(here).rmdir()
    assert "is not what this run made; it stays" in bench.said[-1][1]
    assert bench.journal[-1][0] == "set-up not undone"


def test_a_place_in_use_keeps_its_mount_and_says_so(tmp_path: Path, place: str) -> None:
    bench = SetupBench()
    here = place.replace("{n}", "1")
    with disks(tmp_path, 1) as paths:
        bench.run(job(mount=place), [armed(paths[0])])
        handle = os.open(here, os.O_RDONLY)
        bench.made.close()
        os.close(handle)
        assert f"{paths[0]} {here}" in mounts()
        tool("umount", here)
        Path(here).rmdir()
    assert "it stays mounted" in bench.said[-1][1]


def test_a_mount_that_went_wrong_after_all_is_taken_back(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is written down before it is made, so that a kill just then leaves none."""
    program = tmp_path / "bin" / "mount"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n"{shutil.which("mount")}" "$@"\nexit 1\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    bench = SetupBench()
    with disks(tmp_path, 1) as paths:
        result = bench.run(job(mount=place), [armed(paths[0])])
        assert result.outcome is LoadOutcome.FAILED
        assert place[:-3] in mounts()
        assert [action for action, _ in bench.journal] == ["set up"]
        bench.made.close()
        assert place[:-3] not in mounts()
    assert not Path(place.replace("{n}", "1")).exists()


def test_what_is_kept_stays(tmp_path: Path, place: str) -> None:
    bench = SetupBench()
    here = place.replace("{n}", "1")
    with disks(tmp_path, 1) as paths:
        bench.run(job(mount=place, keep="1"), [armed(paths[0])])
        bench.made.close()
        assert f"{paths[0]} {here}" in mounts()
        tool("umount", here)
        Path(here).rmdir()
    assert bench.journal[0][1]["after the run"] == "kept"


def test_a_place_with_files_is_refused(tmp_path: Path, place: str) -> None:
    bench = SetupBench()
    here = Path(place.replace("{n}", "1"))
    here.mkdir()
    (here / "data").touch()
    with disks(tmp_path, 1) as paths:
        result = bench.run(job(mount=place), [armed(paths[0])])
        assert "this folder is not empty" in result.reason
        assert uuid_of(paths[0]) == ""
    (here / "data").unlink()
    here.rmdir()


def test_stop_deadline_and_budget_end_it(tmp_path: Path) -> None:
    with disks(tmp_path, 1) as paths:
        device = armed(paths[0])
        bench = SetupBench()
        bench.stop.set()
        assert bench.run(job(), [device]).outcome is LoadOutcome.STOPPED
        bench = SetupBench()
        late = bench.run(replace(job(), deadline_s=0), [device])
        assert "are over" in late.reason
        bench.budget = Budget(1)
        bench.budget.count(1)
        assert "write budget" in bench.run(job(), [device]).reason
        assert uuid_of(paths[0]) == ""


def test_a_tool_that_is_missing_says_where_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BAYSCOPE_ZPOOL", "/nowhere/zpool")
    with pytest.raises(BenchError, match="names /nowhere/zpool"):
        program_of("zpool")
    monkeypatch.delenv("BAYSCOPE_ZPOOL")
    monkeypatch.setattr("workloads.command_line.SYSTEM_FOLDERS", ("/nowhere",))
    monkeypatch.setenv("PATH", "/nowhere")
    for kind, package in (("zpool", "zfsutils-linux"), ("xfs", "xfsprogs")):
        with pytest.raises(BenchError, match=package):
            program_of(kind)


def test_disks_need_a_place_each(tmp_path: Path) -> None:
    with (
        disks(tmp_path, 2) as paths,
        pytest.raises(BadInput, match=r"let mount have|{n}"),
    ):
        SetupBench().run(job(mount="/mnt/bay"), [armed(path) for path in paths])


def test_mkfs_that_fails_tells_its_reason(tmp_path: Path) -> None:
    bench = SetupBench()
    with disks(tmp_path, 1) as paths:
        result = bench.run(job(options="-b 3"), [armed(paths[0])])
    assert result.outcome is LoadOutcome.FAILED
    assert "mkfs.ext4 failed (exit code 1): " in result.reason
