"""The table of a session beside what it would be, in the window."""
# mypy: disallow-untyped-calls=False

import hashlib
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.operations.sessions.recomputing import LATEST, Recomputed, recomputed
from app.ui.session.page import SessionPage
from app.ui.session.recompute import RecomputeDialog
from app.ui.window.main_window import MainWindow
from tests.app.ui.session.sessions_page import write


@pytest.fixture
def dialog(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> RecomputeDialog:
    window.navigation.choose("Sessions")
    window.pages.sessions.open(write(tmp_path))
    page = window.pages.sessions.page
    qtbot.waitUntil(lambda: page.record is not None)
    return open_dialog(page, window, qtbot)


def open_dialog(page: SessionPage, window: MainWindow, qtbot: QtBot) -> RecomputeDialog:
    [button] = [b for b in page.findChildren(QPushButton) if "Rec&ompute" in b.text()]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    [found] = window.findChildren(RecomputeDialog)
    qtbot.waitUntil(found.isVisible)
    return found


def texts(dialog: RecomputeDialog) -> list[list[str]]:
    table = dialog.tables.table
    assert table is not None
    return [list(line) for line in table.lines.records]


def test_a_part_stands_below_the_row_and_the_file_stays(
    dialog: RecomputeDialog,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workers: list[str] = []

    def watched(*given: object) -> Recomputed:
        workers.append(threading.current_thread().name)
        return recomputed(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("app.ui.session.recompute.recomputed", watched)
    before = hashlib.sha256((tmp_path / "good.bayscope").read_bytes()).digest()
    qtbot.keyClicks(dialog.start, "5s")
    qtbot.keyClick(dialog.start, Qt.Key.Key_Return)
    qtbot.waitUntil(dialog.tables.isVisible)
    first, again = texts(dialog)
    assert first[0] == "Idle"
    assert again[0].startswith("Idle")
    assert again[1].startswith("\N{NOT EQUAL TO} 506.")
    assert "MainThread" not in workers
    target = tmp_path / "again.csv"
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(target), "CSV (*.csv)")
    )
    dialog.save.click()
    qtbot.waitUntil(target.exists)
    assert target.read_text("utf-8").startswith("step,result,")
    assert hashlib.sha256((tmp_path / "good.bayscope").read_bytes()).digest() == before


def test_what_is_wrong_is_said_in_the_dialog(
    dialog: RecomputeDialog, qtbot: QtBot
) -> None:
    dialog.go.click()  # nothing is to be other
    assert dialog.error.text()
    qtbot.keyClicks(dialog.start, "xx")
    dialog.go.click()
    assert "xx" in dialog.error.text()
    dialog.start.setText("3s")
    dialog.source.setCurrentIndex(dialog.source.findData("mains"))
    dialog.offset.setText("much")
    dialog.go.click()
    assert "much" in dialog.error.text()
    dialog.offset.setText("0.5")
    dialog.go.click()
    qtbot.waitUntil(dialog.tables.isVisible)
    assert not dialog.error.text()


def test_tables_say_what_they_were_computed_with(
    dialog: RecomputeDialog, qtbot: QtBot
) -> None:
    qtbot.waitUntil(dialog.isActiveWindow)
    dialog.start.setFocus()
    qtbot.keyClicks(dialog.start, "5s")
    qtbot.keyClick(dialog.start, Qt.Key.Key_Return)
    assert not dialog.tables.isEnabled()  # they are of what was asked for before
    qtbot.waitUntil(lambda: dialog.tables.isVisible() and dialog.tables.isEnabled())
    dialog.start.setText("1s")
    assert "5s.." in dialog.about.text()
    assert dialog.focusWidget() is dialog.start
    table = dialog.tables.table
    assert table is not None
    # Nobody shows what is behind a figure here.
    assert [action.text() for action in table.actions()] == ["&Copy"]


def test_only_what_has_a_meaning_can_be_entered(dialog: RecomputeDialog) -> None:
    assert not dialog.length.isEnabled()
    assert not dialog.offset.isEnabled()
    dialog.rule.setCurrentIndex(1)
    assert dialog.length.isEnabled()
    dialog.source.setCurrentIndex(dialog.source.findData(LATEST))
    assert not dialog.offset.isEnabled()
    dialog.source.setCurrentIndex(dialog.source.findData("mains"))
    assert dialog.offset.isEnabled()


def test_everything_has_a_name_and_a_key(dialog: RecomputeDialog) -> None:
    fields: list[QWidget] = []
    for kind in (QComboBox, QLineEdit, QPushButton):
        fields += dialog.findChildren(kind)
    for field in fields:
        label = field.text() if isinstance(field, QPushButton) else ""
        assert field.accessibleName() or label
    keys = [button.text() for button in dialog.findChildren(QPushButton)]
    keys += [
        label.text() for label in dialog.findChildren(QLabel) if "&" in label.text()
    ]
    letters = [text[text.index("&") + 1].lower() for text in keys if "&" in text]
    assert len(letters) == len(set(letters))
