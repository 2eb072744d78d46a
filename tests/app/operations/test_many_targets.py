"""Whole runs on several scratch files and disks."""

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.bench.file import parse_bench
from app.bench.model import Bench
from app.operations.bench.check import check_dut
from app.operations.run.arming import NOT_ARMED, Arming
from app.operations.run.run import RunResult, run_campaign
from app.plan.campaign import parse_campaign
from app.plan.verdict import Verdict
from app.record.store import Session
from instruments.errors import BadInput
from instruments.tools.hosts import LocalHost
from tests.fio_said import counted_iops, counted_together
from tests.workloads.guard.loops import loop
from workloads.guard.nodes import find_disk

STEP = """
[[step]]
label = "{label}"
engine = "fio"
runtime = "2s"
{keys}
[step.fio]
rw = "{rw}"
bs = "64k"
rate_iops = 100
"""


def bench(targets: list[str], size: str = 'size = "16m"') -> Bench:
    text = f'name = "Bench"\n[dut]\nname = "Disks"\ntarget = {targets}\n{size}\n'
    return parse_bench(text.replace("'", '"'), "bench.toml")


def run(
    bench: Bench, folder: Path, *steps: tuple[str, str, str], arming: Arming = NOT_ARMED
) -> RunResult:
    text = "".join(STEP.format(label=a, rw=b, keys=c) for a, b, c in steps)
    campaign = parse_campaign(f'name = "Many"\n{text}', "campaign.toml")
    return run_campaign(campaign, bench, folder / "out", arming=arming)


def results(session: Session, label: str) -> dict[str, float | None]:
    [step] = [one for one in session.steps() if one.label == label]
    return {result.name: result.value for result in session.results(step.id)}


def test_files_run_each_and_together(tmp_path: Path) -> None:
    names = [str(tmp_path / f"dev{n}") for n in range(1, 5)]
    together = 'devices = "together"'
    done = run(
        bench(names), tmp_path, ("each", "randrw", ""), ("array", "randread", together)
    )
    assert done.verdict is Verdict.PASS, done
    with Session.open(done.session) as session:
        each, array = results(session, "each"), results(session, "array")
        channels = {channel.name for channel in session.channels()}
        said = {
            step.label: session.artefact("fio-output.json.zz", step.id)
            for step in session.steps()
        }
    # Each file is a job of its own, and they need not end together.
    assert each["iops"] == pytest.approx(counted_together(said["each"]), rel=1e-3)
    assert each["iops.dev03"] == pytest.approx(counted_iops(said["each"], "dev03"))
    assert array["iops"] == pytest.approx(counted_iops(said["array"]), rel=1e-3)
    assert (array["iops"] or 0) < 110  # and not 100 of each of the four
    assert "iops.dev03" not in array
    assert {"fio.read_iops", "fio.read_iops.dev04", "fio_log.read_iops"} <= channels
    # The next time they are found by a pattern.
    again = run(bench([str(tmp_path / "dev*")]), tmp_path, ("again", "read", ""))
    assert again.verdict is Verdict.PASS
    assert check_dut(bench([str(tmp_path / "dev*")])).error is None


def test_other_engines_say_that_they_run_on_one(tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in "ab"]
    text = """
name = "x"
[[step]]
label = "Copy"
engine = "copy"
runtime = "2s"
"""
    campaign = parse_campaign(text, "c")
    done = run_campaign(campaign, bench(names), tmp_path / "out")
    with Session.open(done.session) as session:
        [row] = session.report_table()
    assert done.verdict is Verdict.ERROR
    reason = str(row["reason"])
    assert "copy runs on one target, the bench has 2" in reason
    with pytest.raises(BadInput, match="devices does not apply to the engine copy"):
        parse_campaign(f'{text}devices = "each"\n', "c")


@pytest.fixture
def disks(tmp_path: Path) -> Iterator[list[str]]:
    with contextlib.ExitStack() as stack:
        images = [tmp_path / f"disk{n}.img" for n in range(1, 5)]
        yield [stack.enter_context(loop(image)) for image in images]


def words(disks: list[str]) -> tuple[str, ...]:
    return tuple(find_disk(LocalHost(), disk).word for disk in disks)


def test_every_disk_has_to_be_armed(disks: list[str], tmp_path: Path) -> None:
    typed = words(disks)
    step = ("write", "write", "")
    with pytest.raises(BadInput, match="4 of 4 disks cannot be used"):
        run(bench(disks, ""), tmp_path, step)
    with pytest.raises(BadInput, match="To let it be overwritten"):
        run(bench(disks, ""), tmp_path, step, arming=Arming(typed[:3]))
    assert not any((tmp_path / "disk1.img").read_bytes())
    done = run(bench(disks, ""), tmp_path, step, arming=Arming(typed))
    assert done.verdict is Verdict.PASS, done
    for number in range(1, 5):
        assert any((tmp_path / f"disk{number}.img").read_bytes())
    with Session.open(done.session) as session:
        armed = [one for one in session.journal() if one.action == "disk armed"]
    assert len(armed) == 4


def test_one_bad_disk_fails_the_step_by_name(disks: list[str], tmp_path: Path) -> None:
    shrinking = threading.Timer(1.5, os.truncate, (tmp_path / "disk3.img", 4096))
    shrinking.start()
    done = run(bench(disks, ""), tmp_path, ("read", "randread", ""))
    shrinking.join()
    assert done.verdict is Verdict.FAIL
    with Session.open(done.session) as session:
        [row] = session.report_table()
        found = results(session, "read")
        said = session.artefact("fio-output.json.zz")
    reason = str(row["reason"])
    assert reason.startswith(f"I/O error on {disks[2]} (dev03): Input/output error")
    assert "the other 3 of 4 devices went on" in reason
    assert found["iops.dev04"] == pytest.approx(counted_iops(said, "dev04"))
