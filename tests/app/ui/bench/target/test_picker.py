"""The target picker: every disk with its reasons, none chosen by itself."""
# mypy: disallow-untyped-calls=False

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from app.bench.file import parse_bench
from app.bench.model import Bench
from app.operations.bench.aim import Aim
from app.ui.bench.target.picker import TargetPicker
from app.ui.kit.context import Context
from tests.sshd import sshd
from tests.workloads.guard.loops import SIZE, loop, mounted, tool

TEXT = """
name = "Bench"
[dut]
name = "Disk"
target = "/tmp/scratch.dat"
size = "64m"
"""


LABEL = f"mine {os.getpid()}"
"""Others make disks beside these tests, too."""


@pytest.fixture
def blank(tmp_path: Path) -> Iterator[str]:
    with loop(tmp_path / "blank.img") as path:
        yield path


@pytest.fixture
def full(tmp_path: Path) -> Iterator[str]:
    with loop(tmp_path / "full.img") as path:
        tool("mkfs.ext4", "-q", "-L", LABEL, path)
        yield path


class Opener:
    """Opens pickers and waits until the disks were looked at."""

    def __init__(self, qtbot: QtBot, context: Context) -> None:
        self._qtbot = qtbot
        self._context = context

    def open(self, bench: Bench, aim: Aim | None = None) -> TargetPicker:
        found = TargetPicker(bench, self._context, aim=aim)
        self._qtbot.addWidget(found)
        found.show()
        self._qtbot.waitUntil(found.disks.again.isEnabled)
        return found


@pytest.fixture
def opener(qtbot: QtBot, context: Context) -> Opener:
    return Opener(qtbot, context)


def bench(rest: str = "") -> Bench:
    return parse_bench(TEXT + rest, "bench.toml")


def row_of(picker: TargetPicker, path: str) -> int:
    paths = [record.disk.path for record in picker.disks.model.records]
    return paths.index(path)


def cells(picker: TargetPicker, path: str) -> dict[str, str]:
    model, row = picker.disks.model, row_of(picker, path)
    return {
        str(model.headerData(column, Qt.Orientation.Horizontal)): str(
            model.index(row, column).data()
        )
        for column in range(model.columnCount())
    }


def test_a_long_path_does_not_squeeze_the_reason(
    opener: Opener, tmp_path: Path, qtbot: QtBot
) -> None:
    folder = tmp_path / "a folder of the lab with a rather long name" / ("x" * 120)
    folder.mkdir(parents=True)
    with loop(folder / "disk.img") as path:
        picker = opener.open(bench())
        picker.resize(1000, 700)
        table = picker.disks.table
        last = picker.disks.model.columnCount() - 1
        qtbot.waitUntil(lambda: table.columnWidth(last) >= 400)
        model = picker.disks.model.index(row_of(picker, path), 2)
        assert str(folder) in str(model.data(Qt.ItemDataRole.ToolTipRole))


def test_no_disk_is_chosen_until_a_person_does(
    opener: Opener, blank: str, qtbot: QtBot
) -> None:
    picker = opener.open(bench(), Aim((Path(blank),), 0))
    assert picker.disk_button.isChecked()
    assert picker.disks.choices == []
    assert picker.reason.text() == "Choose a disk from the list, or several with Ctrl."
    assert not picker.take.isEnabled()
    picker.disks.table.setFocus()
    qtbot.keyClick(picker, Qt.Key.Key_Return)
    assert picker.isVisible()
    picker.disks.table.choose_row(row_of(picker, blank))
    assert picker.take.isEnabled()
    picker.disks.look()
    qtbot.waitUntil(picker.disks.again.isEnabled)
    assert picker.disks.choices == [], "looked at anew, chosen anew"
    picker.disks.table.choose_row(row_of(picker, blank))
    qtbot.keyClick(picker.disks.table, Qt.Key.Key_Return)
    assert picker.result() == QDialog.DialogCode.Accepted
    assert picker.aim == Aim((Path(blank),), 0)


def test_every_reason_is_in_the_row(
    opener: Opener, blank: str, full: str, tmp_path: Path
) -> None:
    with mounted(full, tmp_path / "place"):
        picker = opener.open(bench())
    first, second = cells(picker, blank), cells(picker, full)
    assert (first["Target"], first["Size"]) == ("safe", "67.1 MB")
    assert first["Serial"] == first["WWN"] == "none"
    assert second["Target"] == "refused"
    assert "it is mounted at" in second["Why"]
    assert f"there is ext4 ({LABEL}) on {Path(full).name}" in second["Why"]
    picker.disks.table.choose_row(row_of(picker, full))
    assert "is refused" in picker.reason.text()
    assert not picker.take.isEnabled()
    picker.accept()
    assert picker.aim is None


def test_the_filter_hides_and_keeps_what_is_chosen(
    opener: Opener, blank: str, full: str, qtbot: QtBot
) -> None:
    picker = opener.open(bench())
    picker.disks.table.choose_row(row_of(picker, full))
    assert f"type {Path(full).name}:{SIZE}" in picker.disks.about.text()
    qtbot.keyClicks(picker.disks.filter, f"{LABEL} DATA")
    assert [record.disk.path for record in picker.disks.model.records] == [full]
    assert [choice.disk.path for choice in picker.disks.choices] == [full]
    picker.disks.filter.setText("no such disk")
    assert picker.disks.choices == []
    assert not picker.take.isEnabled()
    assert "0 of" in picker.disks.about.text()


def test_several_disks_are_chosen_with_ctrl(
    opener: Opener, blank: str, full: str, qtbot: QtBot
) -> None:
    picker = opener.open(bench())
    table = picker.disks.table
    for path in (blank, full):
        place = table.visualRect(picker.disks.model.index(row_of(picker, path), 1))
        left, ctrl = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
        qtbot.mouseClick(table.viewport(), left, ctrl, place.center())
    assert "2 disks are chosen" in picker.disks.about.text()
    picker.accept()
    assert picker.aim is not None
    assert sorted(picker.aim.paths) == sorted((Path(blank), Path(full)))


def test_the_list_of_the_bench_is_told(opener: Opener, blank: str) -> None:
    picker = opener.open(bench('[guard]\nallow = ["Z1X2"]'))
    assert "is not on the bench's list" in cells(picker, blank)["Why"]


def test_a_scratch_file_is_the_other_choice(
    opener: Opener, qtbot: QtBot, tmp_path: Path
) -> None:
    picker = opener.open(bench(), Aim((tmp_path / "scratch.dat",), 2**26))
    assert picker.file_button.isChecked()
    assert picker.file.amount.text() == "64m"
    qtbot.waitUntil(lambda: f"free in {tmp_path}" in picker.file.free.text())
    picker.file.amount.setText("1k")
    assert "at least 16m" in picker.reason.text()
    picker.file.amount.setText("32m")
    picker.accept()
    assert picker.aim == Aim((tmp_path / "scratch.dat",), 2**25)


def test_a_disk_is_no_scratch_file(opener: Opener, blank: str) -> None:
    picker = opener.open(bench(), Aim((Path("/tmp/x"),), 2**26))
    picker.file.path.setText(blank)
    assert "This is a disk" in picker.reason.text()
    assert not picker.take.isEnabled()


def test_disks_of_another_machine_are_looked_at_only(
    opener: Opener, blank: str, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "server").mkdir()
    with sshd(tmp_path / "server") as server:
        host = (
            '[[host]]\nname = "head"\ndriver = "ssh"\naddress = "127.0.0.1"\n'
            f'user = "{server.user}"\nport = {server.port}\nkey = "{server.key}"\n'
            f'known_hosts = "{server.known_hosts}"\n'
        )
        picker = opener.open(bench(host + '[[host]]\nname = "pc"\ndriver = "local"'))
        assert picker.disks.machine.isVisible()
        assert picker.disks.machine.count() == 2
        picker.disks.machine.setCurrentIndex(1)
        qtbot.waitUntil(picker.disks.again.isEnabled)
        picker.disks.table.choose_row(row_of(picker, blank))
        assert "but not used" in picker.reason.text()
        assert not picker.take.isEnabled()
    picker.disks.look()
    qtbot.waitUntil(picker.disks.again.isEnabled)
    assert "cannot be reached" in picker.disks.about.text()
    assert picker.disks.model.records == []
