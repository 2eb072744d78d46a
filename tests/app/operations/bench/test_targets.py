"""The list of disks for a picker: each one once, with what speaks against it."""

import json
from pathlib import Path

import pytest

from app.bench.file import parse_bench
from app.cli import run
from app.operations.bench.check import check_dut
from app.operations.bench.targets import list_targets, targets_as_json, targets_text
from tests.workloads.guard.loops import SIZE, loop, mounted, tool


def test_every_disk_comes_with_what_speaks_against_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with loop(tmp_path / "blank.img") as blank, loop(tmp_path / "full.img") as full:
        tool("mkfs.ext4", "-q", "-L", "precious", full)
        found = list_targets()
        by_path = {target.disk.path: target for target in found}
        assert by_path[blank].verdict == "safe"
        assert by_path[full].verdict == "holds data"
        refused = [target for target in found if target.verdict == "refused"]
        assert all(target.objections for target in refused)

        text = targets_text([by_path[blank], by_path[full]])
        assert f'{blank}: run with --arm "{Path(blank).name}:{SIZE}"' in text
        assert "there is ext4 (precious)" in text
        assert "--overwrite-data ext4" in text

        assert run(["targets", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        rows = {row["path"]: row for row in told}
        assert rows[full]["objections"][0]["overwrite"] == "ext4"
        assert rows[blank]["size"] == SIZE
        [row] = targets_as_json([by_path[blank]])
        assert row["verdict"] == "safe"
    assert targets_text([]) == "There is no disk on this machine."


def test_the_command_line_arms_as_the_window_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign, bench = tmp_path / "c.toml", tmp_path / "b.toml"
    campaign.write_text(
        'name = "c"\n[[step]]\nlabel = "w"\nengine = "fio"\nruntime = "1s"\n'
        '[step.fio]\nrw = "write"\nbs = "64k"\n'
    )
    with loop(tmp_path / "disk.img") as device:
        tool("mkfs.ext4", "-q", device)
        bench.write_text(f'name = "b"\n[dut]\nname = "d"\ntarget = "{device}"\n')
        argv = ["run", str(campaign), "--bench", str(bench), "--out", str(tmp_path)]
        assert run(argv) == 2
        assert "it is not armed" in capsys.readouterr().err
        word = ["--arm", f"{Path(device).name}:{SIZE}"]
        assert run([*argv, *word]) == 2
        assert "--overwrite-data ext4" in capsys.readouterr().err
        assert run([*argv, *word, "--overwrite-data", "ext4"]) == 0


def test_the_check_of_a_bench_looks_at_its_disk(tmp_path: Path) -> None:
    def check(target: str) -> tuple[str, str, str]:
        text = f'name = "b"\n[dut]\nname = "d"\ntarget = "{target}"\n'
        found = check_dut(parse_bench(text, "bench.toml"))
        return found.driver, str(found.error or ""), found.raw

    with loop(tmp_path / "disk.img") as device:
        assert check(device)[:2] == ("disk", "")
        tool("mkfs.ext4", "-q", device)
        driver, error, raw = check(device)
        assert (driver, error) == ("disk", "")
        assert "holds data, there is ext4" in raw
        with mounted(device, tmp_path / "place"):
            assert "it is mounted at" in check(device)[1]
    assert "there is no block device" in check("/dev/disk/by-id/nothing")[1]
