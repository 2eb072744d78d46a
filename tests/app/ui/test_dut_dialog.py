"""Describing a bench: the device under test, its scratch file, its bays."""
# mypy: disallow-untyped-calls=False

from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.bench import Bench, default_bench
from app.ui.background import Background
from app.ui.dut_dialog import DutDialog
from app.ui.icons import Icons
from app.ui.target_picker import TargetPicker
from app.ui.theme import Theme
from tests.workloads.guard.loops import loop


class Maker:
    """Makes the dialog."""

    def __init__(
        self, qtbot: QtBot, theme: Theme, icons: Icons, background: Background
    ) -> None:
        self._qtbot = qtbot
        self._parts = (theme, icons, background)

    def make(self, bench: Bench | None) -> DutDialog:
        dialog = DutDialog(bench, *self._parts)
        self._qtbot.addWidget(dialog)
        dialog.show()
        return dialog


@pytest.fixture
def maker(qtbot: QtBot, theme: Theme, icons: Icons, background: Background) -> Maker:
    return Maker(qtbot, theme, icons, background)


def test_a_new_bench_needs_a_device(maker: Maker) -> None:
    dialog = maker.make(None)
    dialog.accept()
    assert not dialog.result()
    assert "missing" in dialog.fields["name"]._mistake.text()
    dialog.fields["name"].set_value("JBOD 60-bay")
    dialog.fields["drives"].set_value(60)
    dialog.fields["layout"].set_value("4x15")
    dialog.accept()
    assert dialog.bench is not None
    assert dialog.bench.sources == ()
    assert dialog.bench.dut.drives == 60
    assert 'target = "~/Bayscope/scratch.dat"' in dialog.bench.text


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("size", "1k", "at least 16m"),
        ("size", "large", "no size"),
        ("layout", "round", 'no layout "round"'),
        ("target", "~nobody-at-all/x", "home folder"),
    ],
)
def test_mistakes_stand_below_their_field(
    maker: Maker, key: str, text: str, said: str
) -> None:
    dialog = maker.make(default_bench())
    dialog.fields[key].set_value(text)
    dialog.accept()
    assert dialog.bench is None
    assert said in dialog.fields[key]._mistake.text()


def test_a_bench_keeps_its_sources_and_its_spelling(maker: Maker) -> None:
    bench = default_bench()
    dialog = maker.make(bench)
    dialog.fields["model"].set_value("X-60")
    dialog.accept()
    assert dialog.bench is not None
    assert dialog.bench.dut.model == "X-60"
    assert dialog.bench.sources[0].name == bench.sources[0].name
    assert dialog.bench.dut.target == bench.dut.target


def test_a_disk_may_be_used_as_a_whole(maker: Maker, tmp_path: Path) -> None:
    with loop(tmp_path / "disk.img") as device:
        for bench in (default_bench(), None):
            dialog = maker.make(bench)
            dialog.fields["name"].set_value("Disk")
            dialog.fields["target"].set_value(device)
            dialog.fields["size"].set_value("")
            dialog.accept()
            assert dialog.bench is not None
            assert dialog.bench.dut.size == 0
            assert dialog.bench.dut.target == Path(device)
            again = maker.make(dialog.bench)
            assert again.fields["size"].value() is None


def test_a_scratch_file_needs_a_size(maker: Maker) -> None:
    dialog = maker.make(default_bench())
    dialog.fields["size"].set_value("")
    dialog.accept()
    assert dialog.bench is None
    assert "needs a size" in dialog.fields["size"]._mistake.text()


def test_the_picker_fills_in_what_was_chosen(maker: Maker, tmp_path: Path) -> None:
    dialog = maker.make(default_bench())

    def choose() -> None:
        picker = QApplication.activeModalWidget()
        assert isinstance(picker, TargetPicker)
        picker.file.path.setText(str(tmp_path / "scratch.dat"))
        picker.file.amount.setText("32m")
        picker.accept()

    QTimer.singleShot(50, choose)
    dialog._aim()
    dialog.accept()
    assert dialog.bench is not None
    assert dialog.bench.dut.target == tmp_path / "scratch.dat"
    assert dialog.bench.dut.size == 2**25
