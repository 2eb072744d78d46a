"""Starting a run on a disk or a bucket: what has to be typed, and what comes of it."""
# mypy: disallow-untyped-calls=False

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.bench.file import parse_bench
from app.bench.model import Bench
from app.operations.run.arming import NOT_ARMED, Arming
from app.operations.run.run import RunResult
from app.plan.campaign import Campaign, parse_campaign
from app.plan.verdict import Verdict
from app.ui.kit.background import Background
from app.ui.kit.context import Context
from app.ui.run.control import RunControl
from app.ui.run.start_dialog import StartDialog
from instruments.errors import BenchError
from tests.app.operations.buckets import know_keys, know_server
from tests.app.ui.sample import write_sample
from tests.s3_server import ask, s3_server
from tests.workloads.guard.loops import SIZE, loop, mounted, tool

FIO = """
name = "Disk"
[[step]]
label = "Load"
engine = "fio"
runtime = "1s"
[step.fio]
rw = "{rw}"
bs = "64k"
"""

WARP = """
name = "Objects"
[[step]]
label = "Mixed"
engine = "warp"
runtime = "2s"
[step.warp]
host = "{server}"
bucket = "{bucket}"
erase = "{bucket}"
"""


def bench(target: Path | str, rest: str = "") -> Bench:
    text = f'name = "Bench"\n[dut]\nname = "Disk"\ntarget = "{target}"\n{rest}'
    return parse_bench(text, "bench.toml")


def fio(rw: str) -> Campaign:
    return parse_campaign(FIO.format(rw=rw), "campaign.toml")


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop(tmp_path / "disk.img") as path:
        yield path


class Opener:
    """Opens start dialogs and waits until everything was looked at."""

    def __init__(self, qtbot: QtBot, context: Context) -> None:
        self._qtbot = qtbot
        self._context = context

    def open(self, on: Bench, campaign: Campaign, out: Path) -> StartDialog:
        found = StartDialog(on, out, self._context, campaigns=[campaign])
        self._qtbot.addWidget(found)
        found.show()
        self.wait(found)
        return found

    def wait(self, dialog: StartDialog) -> None:
        looks = dialog.checks
        self._qtbot.waitUntil(
            lambda: (
                not (looks._of_disk.is_open or looks._of_buckets.is_open)
                and not looks._of_past.is_open
            ),
        )


@pytest.fixture
def opener(qtbot: QtBot, context: Context) -> Opener:
    return Opener(qtbot, context)


def can_start(dialog: StartDialog) -> bool:
    return dialog._start.isEnabled()


def test_a_disk_is_armed_by_its_word_and_the_run_writes(
    opener: Opener, device: str, tmp_path: Path, qtbot: QtBot, background: Background
) -> None:
    dialog = opener.open(bench(device), fio("write"), tmp_path / "out")
    panel = dialog.checks.arming
    assert panel.isVisible()
    assert dialog.form.target.amount.text() == ""
    assert dialog.form.target.amount.placeholderText() == "all of it"
    assert not can_start(dialog)
    word = f"{Path(device).name}:{SIZE}"
    assert word in dialog.reason.text()
    assert word in [label.text() for label in panel.findChildren(QLabel)]
    assert dialog.focusWidget() is panel.word
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    dialog.accept()
    assert dialog.isVisible()
    qtbot.keyClicks(panel.word, f"{Path(device).name}:{SIZE}")
    assert can_start(dialog)
    assert dialog.reason.text() == ""
    qtbot.keyClick(panel.word, Qt.Key.Key_Return)
    plan = dialog.plan
    assert plan is not None
    assert plan.arming == Arming((f"{Path(device).name}:{SIZE}",))
    assert plan.bench.dut.size == 0

    control = RunControl(background)
    with qtbot.waitSignal(control.finished) as done:
        control.start(plan)
    result = done.args[0]
    assert isinstance(result, RunResult)
    assert result.verdict is Verdict.PASS
    with (tmp_path / "disk.img").open("rb") as file:
        assert any(file.read(SIZE))

    with qtbot.waitSignal(control.failed) as refused:
        control.start(replace(plan, arming=NOT_ARMED))
    assert "it is not armed" in str(refused.args[0])


def test_each_of_several_disks_is_named(
    opener: Opener, device: str, tmp_path: Path
) -> None:
    with loop(tmp_path / "other.img") as other:
        text = f'name = "b"\n[dut]\nname = "d"\ntarget = ["{device}", "{other}"]\n'
        dialog = opener.open(parse_bench(text, "b.toml"), fio("write"), tmp_path)
        assert dialog.form.target.text() == f"{device}, {other}"
        words = [f"{Path(one).name}:{SIZE}" for one in (device, other)]
        dialog.checks.arming.word.setText(words[0])
        assert dialog.reason.text().startswith(f"{Path(other).name}: Type the name")
        dialog.checks.arming.word.setText(" ".join(words))
        dialog.accept()
        assert dialog.plan is not None
        assert dialog.plan.arming is not None
        assert dialog.plan.arming.words == tuple(words)
        assert dialog.plan.bench.dut.targets == (Path(device), Path(other))


def test_data_on_it_has_to_be_named(
    opener: Opener, device: str, tmp_path: Path
) -> None:
    tool("mkfs.ext4", "-q", "-L", "precious", device)
    dialog = opener.open(bench(device), fio("randwrite"), tmp_path)
    panel = dialog.checks.arming
    assert panel.data.isVisible()
    panel.word.setText(f"{Path(device).name}:{SIZE}")
    assert "may be overwritten: ext4" in dialog.reason.text()
    panel.data.setText("xfs")
    assert not can_start(dialog)
    panel.data.setText("ext4 xfs")
    assert dialog.reason.text() == "There is no xfs on the disk."
    panel.data.setText("ext4")
    dialog.accept()
    assert dialog.plan is not None
    assert dialog.plan.arming is not None
    assert dialog.plan.arming.overrule == ("ext4",)


def test_a_mounted_disk_is_refused_until_it_was_looked_at_again(
    opener: Opener, device: str, tmp_path: Path, qtbot: QtBot
) -> None:
    tool("mkfs.ext4", "-q", device)
    with mounted(device, tmp_path / "place"):
        dialog = opener.open(bench(device), fio("write"), tmp_path)
        assert "must not be overwritten" in dialog.reason.text()
        assert not dialog.checks.arming.word.isVisible()
        assert not can_start(dialog)
    qtbot.mouseClick(dialog.checks.arming.again, Qt.MouseButton.LeftButton)
    assert dialog.reason.text() == "Looking at the disk ..."
    opener.wait(dialog)
    assert dialog.checks.arming.word.isVisible()


def test_a_disk_that_a_load_holds_is_not_armed_for_now_but_for_later(
    opener: Opener, device: str, tmp_path: Path, qtbot: QtBot
) -> None:
    handle = os.open(device, os.O_RDWR | os.O_EXCL)
    try:
        dialog = opener.open(bench(device), fio("write"), tmp_path)
        assert "in use" in dialog.reason.text()
        assert "once it is free" in dialog.reason.text()
        assert not can_start(dialog)
        dialog.show_waits(waits=True)
        opener.wait(dialog)
        word = dialog.checks.arming.word
        assert word.isVisible()
        assert not can_start(dialog)  # its word is asked for all the same
        word.setText(f"{Path(device).name}:{SIZE}")
        assert can_start(dialog)
        dialog.show_waits(waits=False)
        opener.wait(dialog)
        assert not can_start(dialog)
        dialog.form.when.when.setCurrentIndex(1)
        word.setText(f"{Path(device).name}:{SIZE}")
        assert can_start(dialog)
        dialog.form.when.when.setCurrentIndex(0)
        assert not can_start(dialog)
    finally:
        os.close(handle)
    qtbot.mouseClick(dialog.checks.arming.again, Qt.MouseButton.LeftButton)
    opener.wait(dialog)
    dialog.checks.arming.word.setText(f"{Path(device).name}:{SIZE}")
    assert can_start(dialog)


def test_the_list_and_the_budget_of_the_bench_are_shown(
    opener: Opener, device: str, tmp_path: Path
) -> None:
    guard = '[guard]\nallow = ["Z1X2"]\nwrite_budget = "10t"'
    dialog = opener.open(bench(device, guard), fio("write"), tmp_path)
    shown = [label.text() for label in dialog.checks.arming.findChildren(QLabel)]
    assert "only Z1X2" in shown
    assert "10 TiB a run" in shown
    assert "all of it, 67.1 MB" in shown
    dialog.checks.arming.word.setText(f"{Path(device).name}:{SIZE}")
    assert "does not let this disk be overwritten" in dialog.reason.text()


def test_reads_need_no_arming(opener: Opener, device: str, tmp_path: Path) -> None:
    dialog = opener.open(bench(device), fio("randread"), tmp_path)
    panel = dialog.checks.arming
    assert panel.isVisible()
    assert "only reads" in panel._title.text()
    assert can_start(dialog)
    dialog.accept()
    assert dialog.plan is not None
    assert dialog.plan.arming == NOT_ARMED


def test_a_disk_that_is_not_there_is_said(opener: Opener, tmp_path: Path) -> None:
    dialog = opener.open(bench("/dev/disk/by-id/nothing"), fio("write"), tmp_path)
    assert dialog.reason.text() == "The disk cannot be looked at."
    assert not can_start(dialog)
    dialog.form.target.setText(str(tmp_path / "scratch.dat"))
    opener.wait(dialog)
    assert not dialog.checks.arming.isVisible()
    assert can_start(dialog)
    dialog.accept()
    assert dialog.plan is None
    assert "not a size" in dialog.error


def test_a_disk_that_did_not_start_has_to_be_armed_anew(
    opener: Opener, device: str, tmp_path: Path
) -> None:
    dialog = opener.open(bench(device), fio("write"), tmp_path)
    dialog.checks.arming.word.setText(f"{Path(device).name}:{SIZE}")
    dialog.accept()
    assert dialog.plan is not None
    again = opener.open(bench(device), fio("write"), tmp_path)
    again.set_plan(dialog.plan, BenchError("it went away", where="target"))
    assert again.checks.arming.word.text() == ""
    assert not can_start(again)


def test_a_bucket_with_data_has_to_be_named(
    opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know_keys(monkeypatch)
    on = bench(tmp_path / "scratch.dat", 'size = "16m"')
    with s3_server() as server:
        know_server(monkeypatch, server)
        for path, content in (("precious", b""), ("precious/data", b"x")):
            ask("PUT", f"http://{server}/{path}", content)
        plan = parse_campaign(WARP.format(server=server, bucket="precious"), "c")
        dialog = opener.open(on, plan, tmp_path)
        assert dialog.reason.text().startswith("Type the name of the bucket")
        field = dialog.checks.erase.fields["precious"]
        field.setText("Precious")
        assert not can_start(dialog)
        field.setText("precious")
        assert can_start(dialog)
        dialog.accept()
        assert dialog.plan is not None
        assert dialog.plan.erase == ("precious",)
        fresh = parse_campaign(WARP.format(server=server, bucket="fresh"), "c")
        dialog = opener.open(on, fresh, tmp_path)
        assert can_start(dialog)
        assert dialog.checks.erase.fields == {}


def test_the_estimate_tells_what_it_rests_on(opener: Opener, tmp_path: Path) -> None:
    write_sample(tmp_path / "one.bayscope", step_s=4, name="One")
    on = bench(tmp_path / "scratch.dat", 'size = "16m"')
    dialog = opener.open(on, fio("randread"), tmp_path)
    panel = dialog.checks.estimate
    assert panel.value("Duration") == "1s"
    assert panel.value("Written") == "none"
    assert panel.value("Energy") == "unknown"
    assert "price_per_kwh" in panel.basis("Cost")
