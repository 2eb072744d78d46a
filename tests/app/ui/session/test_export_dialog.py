"""What is exported, and where to."""
# mypy: disallow-untyped-calls=False

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.operations.sessions.export import FORMATS
from app.ui.session.export_dialog import ExportDialog, ExportPlan, ask_for_export
from tests.app.ui.dialogs import once_open


@pytest.fixture
def dialog(qtbot: QtBot, tmp_path: Path) -> ExportDialog:
    found = ExportDialog(tmp_path / "one.bayscope", form="lab")
    qtbot.addWidget(found)
    return found


def test_it_needs_a_format(dialog: ExportDialog, tmp_path: Path) -> None:
    assert dialog.plan == ExportPlan(("csv", "md", "html"), tmp_path, "lab")
    for box in dialog.formats.values():
        box.setChecked(False)
    assert not dialog.buttons.yes.isEnabled()
    dialog.formats["html"].setChecked(True)
    assert dialog.buttons.yes.isEnabled()


def test_every_format_is_offered_by_a_name_of_its_own(dialog: ExportDialog) -> None:
    assert list(dialog.formats) == list(FORMATS)
    names = [box.text() for box in dialog.formats.values()]
    assert len(set(names)) == len(names)


def test_the_folder_may_begin_at_home(dialog: ExportDialog, home: Path) -> None:
    dialog.folder.setText(" ~/reports ")
    assert dialog.plan.to == home / "reports"


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Escape])
def test_enter_exports_and_escape_does_not(
    qtbot: QtBot, tmp_path: Path, key: Qt.Key
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)

    def answer(found: ExportDialog) -> None:
        qtbot.keyClick(found, key)

    once_open(ExportDialog, answer)
    plan = ask_for_export(tmp_path / "one.bayscope", parent, form="")
    assert (plan is not None) == (key == Qt.Key.Key_Return)
