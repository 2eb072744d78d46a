"""A bench is made, changed, saved and left; what is not saved is asked about."""
# mypy: disallow-untyped-calls=False

from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from app.bench.edit import remove_source
from app.bench.file import load_bench
from app.ui.bench.dut_dialog import DutDialog
from app.ui.bench.source_dialog import SourceDialog
from app.ui.bench.view import BenchView
from app.ui.window.main_window import MainWindow
from tests.app.ui.dialogs import once_open, press


@pytest.fixture
def view(window: MainWindow) -> BenchView:
    window.navigation.choose("Bench")
    return window.pages.bench


def chosen(view: BenchView) -> str:
    return "" if view.chosen is None else view.chosen.config.name


def change(view: BenchView) -> None:
    view.file.change(remove_source(view.bench, "noise"))


def test_a_change_is_told_until_it_is_saved(
    view: BenchView, window: MainWindow, tmp_path: Path
) -> None:
    assert not view.file.has_changes
    change(view)
    assert view.head.unsaved.isVisible()
    assert view.head.title.text() == "Simulated bench *"
    assert window.windowTitle() == "Simulated bench * - Bayscope"
    assert "*" in window.status.state.text()
    path = tmp_path / "bench.toml"
    view.file.save(path)
    assert not view.head.unsaved.isVisible()
    assert window.windowTitle() == "Bayscope"
    assert [s.name for s in load_bench(path).sources] == ["mains", "enclosure"]
    change_back = load_bench(path)
    assert view.file.path == path
    assert view.bench.text == change_back.text


def test_save_writes_where_the_bench_lies(view: BenchView, tmp_path: Path) -> None:
    path = tmp_path / "bench.toml"
    view.file.save(path)
    change(view)
    assert view.dialogs.saving.save()
    assert len(load_bench(path).sources) == 2
    assert view.dialogs.saving.may_leave()


def test_a_bench_that_was_changed_elsewhere_is_not_overwritten_without_asking(
    view: BenchView, tmp_path: Path
) -> None:
    path = tmp_path / "bench.toml"
    view.file.save(path)
    path.write_text(f"# by hand\n{path.read_text()}")
    change(view)
    once_open(QDialog, press("Cancel"))
    assert not view.dialogs.saving.save()
    assert view.file.has_changes
    assert path.read_text().startswith("# by hand")
    once_open(QDialog, press("Overwrite it"))
    assert view.dialogs.saving.save()
    assert len(load_bench(path).sources) == 2


@pytest.mark.parametrize(
    ("button", "may"), [("Cancel", False), ("Discard changes", True)]
)
def test_changes_are_not_lost_without_asking(
    view: BenchView, button: str, may: bool
) -> None:
    change(view)
    once_open(QDialog, press(button))
    assert view.dialogs.saving.may_leave() is may
    assert view.file.has_changes


def test_a_window_with_changes_asks_before_it_closes(
    view: BenchView, window: MainWindow
) -> None:
    change(view)
    once_open(QDialog, press("Cancel"))
    window.close()
    assert window.isVisible()
    once_open(QDialog, press("Discard changes"))
    window.close()
    assert not window.isVisible()


def test_saving_first_keeps_the_changes(view: BenchView, tmp_path: Path) -> None:
    path = tmp_path / "bench.toml"
    view.file.save(path)
    change(view)
    once_open(QDialog, press("Save..."))
    assert view.dialogs.saving.may_leave()
    assert len(load_bench(path).sources) == 2


def test_a_new_bench_is_described_and_has_changes(view: BenchView) -> None:
    def describe(dialog: QDialog) -> None:
        assert isinstance(dialog, DutDialog)
        dialog.fields["name"].set_value("JBOD 60-bay")
        dialog.accept()

    once_open(QDialog, describe)
    view.bar.buttons["new"].click()
    assert view.bench.dut.name == "JBOD 60-bay"
    assert view.bench.sources == ()
    assert view.file.has_changes
    assert view.file.path is None
    once_open(QDialog, lambda dialog: dialog.reject())
    view.dialogs.describe()
    assert view.bench.dut.name == "JBOD 60-bay"
    view.file.take(view.bench)


def test_a_source_is_added_changed_and_removed(view: BenchView, qtbot: QtBot) -> None:
    def add(dialog: QDialog) -> None:
        assert isinstance(dialog, SourceDialog)
        dialog.accept()

    once_open(QDialog, add)
    view.bar.buttons["add"].click()
    names = [line.config.name for line in view.model.records]
    assert names == ["host", "mains", "enclosure", "noise"]
    assert chosen(view) == "host"

    def rename(dialog: QDialog) -> None:
        assert isinstance(dialog, SourceDialog)
        dialog.form.fields["name"].set_value("head-node")
        dialog.accept()

    once_open(QDialog, rename)
    view.bar.buttons["change"].click()
    assert chosen(view) == "head-node"
    once_open(QDialog, press("Cancel"))
    view.bar.buttons["remove"].click()
    assert view.model.rowCount() == 4
    once_open(QDialog, press("Remove"))
    view.bar.buttons["remove"].click()
    assert view.model.rowCount() == 3
    view.file.take(view.bench)
