"""Whole runs on a loop device: armed or refused, and what the session says of it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.bench.file import parse_bench
from app.bench.model import Bench
from app.operations.run.arming import NOT_ARMED, Arming
from app.operations.run.run import RunResult, run_campaign
from app.plan.campaign import Campaign, parse_campaign
from app.plan.verdict import Verdict
from app.record.store import Session
from instruments.errors import BadInput
from instruments.tools.hosts import LocalHost
from tests.workloads.guard.loops import SIZE, loop, mounted, tool
from workloads.guard.nodes import find_disk

STEP = """
[[step]]
label = "{rw} {bs}"
engine = "fio"
runtime = "1s"
[step.fio]
rw = "{rw}"
bs = "{bs}"
"""


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop(tmp_path / "disk.img") as path:
        yield path


def bench(target: str, guard: str = "") -> Bench:
    text = f'name = "Bench"\n[dut]\nname = "Disk"\ntarget = "{target}"\n{guard}'
    return parse_bench(text, "bench.toml")


def plan(*steps: tuple[str, str]) -> Campaign:
    text = 'name = "Disk"\n' + "".join(STEP.format(rw=rw, bs=bs) for rw, bs in steps)
    return parse_campaign(text, "campaign.toml")


def word(device: str) -> str:
    return find_disk(LocalHost(), device).word


def run(
    campaign: Campaign, on: Bench, out: Path, arming: Arming = NOT_ARMED
) -> RunResult:
    return run_campaign(campaign, on, out / "out", arming=arming)


def reasons(result: RunResult) -> list[str]:
    with Session.open(result.session) as session:
        return [str(row["reason"]) for row in session.report_table()]


def journal(result: RunResult) -> dict[str, str]:
    with Session.open(result.session) as session:
        return {entry.action: entry.detail for entry in session.journal()}


def holds_data(path: Path) -> bool:
    with path.open("rb") as file:
        return any(file.read(SIZE))


def test_a_disk_that_is_not_armed_is_never_written(device: str, tmp_path: Path) -> None:
    for arming in (NOT_ARMED, Arming(("yes",)), Arming(("loop0",), ("ext4",))):
        with pytest.raises(BadInput, match="To let it be overwritten type its word"):
            run(plan(("randwrite", "64k")), bench(device), tmp_path, arming)
    assert not (tmp_path / "out").exists()
    assert not holds_data(tmp_path / "disk.img")


def test_an_armed_disk_is_held_written_and_journalled(
    device: str, tmp_path: Path
) -> None:
    arming = Arming((word(device),))
    result = run(plan(("write", "64k")), bench(device), tmp_path, arming)
    assert result.verdict is Verdict.PASS, reasons(result)
    assert holds_data(tmp_path / "disk.img")
    said = journal(result)
    assert json.loads(said["disk armed"])["armed"] == "yes"
    assert int(json.loads(said["loads wrote"])["bytes"]) > 2**20
    with Session.open(result.session) as session:
        told = [event.message for event in session.events() if event.source == "fio"]
    assert any("checked and held" in message for message in told)
    assert any("let go:" in message for message in told)


def test_reads_need_no_arming(device: str, tmp_path: Path) -> None:
    result = run(plan(("randread", "4k")), bench(device), tmp_path)
    assert result.verdict is Verdict.PASS, reasons(result)
    assert not holds_data(tmp_path / "disk.img")
    assert "disk is only read" in journal(result)


def test_data_has_to_be_named_and_a_mount_ends_it(device: str, tmp_path: Path) -> None:
    tool("mkfs.ext4", "-q", device)
    campaign, on = plan(("randwrite", "64k")), bench(device)
    with pytest.raises(BadInput, match="there is ext4"):
        run(campaign, on, tmp_path, Arming((word(device),)))
    armed = Arming((word(device),), ("ext4",))
    with (
        mounted(device, tmp_path / "place"),
        pytest.raises(BadInput, match="it is mounted at"),
    ):
        run(campaign, on, tmp_path, armed)
    assert run(campaign, on, tmp_path, armed).verdict is Verdict.PASS


def test_the_bench_names_the_disks_that_may_be_armed(
    device: str, tmp_path: Path
) -> None:
    armed = Arming((word(device),))
    on = bench(device, '[guard]\nallow = ["Z1X2"]')
    with pytest.raises(BadInput, match="not on the bench's list"):
        run(plan(("write", "64k")), on, tmp_path, armed)


def test_nobody_is_led_to_arm_what_is_refused_anyway(
    device: str, tmp_path: Path
) -> None:
    tool("mkfs.ext4", "-q", device)
    listed = bench(device, '[guard]\nallow = ["Z1X2"]')
    too_small = bench(device).with_target(Path(device), 2 * SIZE)
    with mounted(device, tmp_path / "place"):
        for on in (bench(device), listed, too_small):
            with pytest.raises(BadInput, match="it is mounted at"):
                run(plan(("write", "64k")), on, tmp_path)


def test_the_write_budget_ends_a_load(device: str, tmp_path: Path) -> None:
    on = bench(device, '[guard]\nwrite_budget = "8m"')
    campaign = plan(("write", "64k"), ("randwrite", "64k"), ("read", "64k"))
    result = run(campaign, on, tmp_path, Arming((word(device),)))
    first, second, third = reasons(result)
    assert "the write budget of 8 MiB is used up" in first
    assert "the write budget of 8 MiB is used up" in second
    assert third in ("", "None")
    assert result.verdict is Verdict.ERROR


def test_a_word_for_a_scratch_file_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no disk to arm"):
        run(plan(("read", "4k")), bench(f"{tmp_path}/x"), tmp_path, Arming(("Z1X2",)))


def test_more_than_the_disk_has_is_refused(device: str, tmp_path: Path) -> None:
    on = bench(device).with_target(Path(device), 2 * SIZE)
    with pytest.raises(BadInput, match="the disk has 64 MiB, the load wants 128 MiB"):
        run(plan(("read", "4k")), on, tmp_path)
