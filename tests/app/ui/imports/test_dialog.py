"""Importing in the window: recognised, asked for and never guessed, then shown."""
# mypy: disallow-untyped-calls=False

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from app.record.imports.answers import Answers
from app.record.imports.plan import ImportPlan, inspect
from app.record.store import Session
from app.ui.imports.answers import AnswerField
from app.ui.imports.dialog import ImportDialog
from app.ui.kit.context import Context
from app.ui.window.main_window import MainWindow
from tests.app.record.imports.results import DATA, meter_log
from tests.app.ui.dialogs import once_open

TERSE = DATA / "fio-2.0.15-terse.txt"
CLOCKED = DATA / "fio-3.42.txt"


class Opener:
    """Opens import dialogs, and waits until they have looked at their files."""

    def __init__(self, qtbot: QtBot, context: Context) -> None:
        self._qtbot = qtbot
        self._context = context

    def open(self, out: Path, *paths: Path) -> ImportDialog:
        found = ImportDialog(paths, out, self._context)
        self._qtbot.addWidget(found)
        found.show()
        self.wait(found)
        return found

    def wait(self, dialog: ImportDialog) -> None:
        self._qtbot.waitUntil(lambda: not dialog._looking.is_open)

    def say(self, dialog: ImportDialog, field: AnswerField, text: str) -> None:
        field.editor.setText(text)
        self.wait(dialog)


@pytest.fixture
def opener(qtbot: QtBot, context: Context) -> Opener:
    return Opener(qtbot, context)


def states(dialog: ImportDialog) -> dict[str, str]:
    model = dialog.files.model
    return {
        one.path.name: str(model.index(row, 0).data())
        for row, one in enumerate(model.records)
    }


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Keep files from being looked at as long as this is not set."""
    found = threading.Event()

    def wait(paths: Sequence[Path], answers: Answers) -> ImportPlan:
        found.wait()
        return inspect(paths, answers)

    monkeypatch.setattr("app.ui.imports.dialog.inspect", wait)
    yield found
    found.set()


def test_enter_while_files_are_looked_at_imports_once_they_were(
    qtbot: QtBot, context: Context, tmp_path: Path, looks: threading.Event
) -> None:
    dialog = ImportDialog([CLOCKED], tmp_path / "out", context)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.reason.text() == "Looking at the files ... Then they are imported."
    dialog.files.add([TERSE])  # another wish, which is incomplete
    assert dialog.reason.text() == "Looking at the files ..."
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    looks.set()
    qtbot.waitUntil(lambda: not dialog._looking.is_open)
    assert dialog.isVisible()
    assert dialog.reason.text().startswith("Fill in")
    looks.clear()
    dialog.files.table.choose_row(1)
    dialog.files.remove_button.click()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.isVisible()
    looks.set()
    qtbot.waitUntil(lambda: dialog.session is not None)
    assert not dialog.isVisible()


def test_escape_while_files_are_looked_at_imports_nothing(
    qtbot: QtBot, context: Context, tmp_path: Path, looks: threading.Event
) -> None:
    dialog = ImportDialog([CLOCKED], tmp_path / "out", context)
    qtbot.addWidget(dialog)
    dialog.show()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Escape):
        qtbot.keyClick(dialog, key)
    looks.set()
    qtbot.waitUntil(lambda: not dialog._looking.is_open)
    assert dialog.result() == QDialog.DialogCode.Rejected
    assert not (tmp_path / "out").exists()


def test_nothing_is_filled_in_and_all_that_is_missing_is_asked(
    opener: Opener, tmp_path: Path, qtbot: QtBot
) -> None:
    meter = meter_log(tmp_path / "A.CSV", 1_700_000_000, 2, dated=False)
    dialog = opener.open(tmp_path / "out", TERSE, meter)
    said = dialog.answers
    assert states(dialog) == {TERSE.name: "incomplete", "A.CSV": "incomplete"}
    fields = (said.zone, said.day, said.offset)
    assert [field.isVisible() for field in fields] == [True] * 3
    assert not said.version.isVisible()
    assert [field.text for field in fields] == [""] * 3
    assert not dialog.buttons.yes.isEnabled()
    assert (
        dialog.reason.text() == "Fill in what the files do not say about their clocks."
    )
    opener.say(dialog, said.zone, "Europe/Berlin")
    opener.say(dialog, said.day, "2023-11-14")
    assert said.zone.isVisible(), "what was said can be changed"
    assert not dialog.buttons.yes.isEnabled()
    opener.say(dialog, said.offset, "1.5")
    assert set(states(dialog).values()) == {"ready"}
    starts = dialog.files.model.records[1].starts
    assert starts is not None
    assert f"{starts:%Y-%m-%d %H:%M:%S}" == "2023-11-14 21:13:20"
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog.session is not None)
    assert dialog.result() == QDialog.DialogCode.Accepted
    assert dialog.session is not None
    with Session.open(dialog.session) as session:
        assert "mains.P" in {channel.name for channel in session.channels()}


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("zone", "Europe/Berln", "is not a valid time zone"),
        ("day", "14.11.2023", "is not a valid date"),
        ("offset", "soon", "is not a valid offset"),
    ],
)
def test_a_mistake_stands_below_its_field(
    opener: Opener, tmp_path: Path, name: str, text: str, told: str
) -> None:
    meter = meter_log(tmp_path / "A.CSV", 1_700_000_000, 2, dated=False)
    dialog = opener.open(tmp_path, TERSE, meter)
    field = getattr(dialog.answers, name)
    opener.say(dialog, field, text)
    assert told in field.mistake
    assert "--" not in field.mistake
    assert dialog.reason.text() == "There is a mistake in one of the fields."
    dialog.accept()
    assert dialog.isVisible()
    opener.say(dialog, field, "")
    assert field.mistake == ""


def test_foreign_files_are_told_of_removed_or_left_out(
    opener: Opener, tmp_path: Path, qtbot: QtBot
) -> None:
    foreign = DATA / "README.md"
    dialog = opener.open(tmp_path / "out", CLOCKED, foreign)
    assert states(dialog) == {CLOCKED.name: "ready", foreign.name: "unsupported"}
    assert "None of the files" not in dialog.reason.text()
    assert not dialog.buttons.yes.isEnabled()
    told = dialog.files.model.index(1, 3).data()
    assert told.startswith("This kind of file cannot be imported")
    dialog.files.keep_rest.setChecked(True)
    assert dialog.buttons.yes.isEnabled()
    dialog.files.keep_rest.setChecked(False)
    dialog.files.table.choose_row(1)
    dialog.files.remove()
    opener.wait(dialog)
    assert states(dialog) == {CLOCKED.name: "ready"}
    assert dialog.buttons.yes.isEnabled()
    dialog.names.name.setText("Old run")
    dialog.names.dut.setText("JBOD")
    dialog.accept()
    qtbot.waitUntil(lambda: dialog.session is not None)
    assert dialog.session is not None
    with Session.open(dialog.session) as session:
        assert (session.info.name, session.info.dut) == ("Old run", "JBOD")


def test_the_clock_of_one_file_can_be_corrected(opener: Opener, tmp_path: Path) -> None:
    dialog = opener.open(tmp_path, CLOCKED, TERSE)
    before = dialog.files.model.records[0].starts
    dialog.files.table.choose_row(0)
    shift = dialog.answers.shift
    assert shift.explanation.text() == f"s later than it says: {CLOCKED.name}"
    shift.editor.setText("3600")
    shift.editor.textEdited.emit("3600")
    opener.wait(dialog)
    opener.say(dialog, dialog.answers.offset, "0")
    after = dialog.files.model.records[0].starts
    assert before is not None
    assert after is not None
    assert (after - before).total_seconds() == 3600
    dialog.files.table.choose_row(1)
    assert shift.text == ""
    assert "s after that moment" in shift.explanation.text()


def test_a_full_disk_or_folder_that_is_none_is_a_sentence(
    opener: Opener, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "out").write_text("a file")
    dialog = opener.open(tmp_path / "out", CLOCKED)
    dialog.accept()
    qtbot.waitUntil(dialog.error.isVisible)
    assert str(tmp_path / "out") in dialog.error.text()
    assert dialog.isVisible()
    assert dialog.buttons.yes.isEnabled()


def test_a_cancelled_import_leaves_nothing(
    opener: Opener, tmp_path: Path, qtbot: QtBot
) -> None:
    dialog = opener.open(tmp_path / "out", CLOCKED)
    dialog.accept()
    dialog.reject()
    qtbot.waitUntil(lambda: not dialog.isVisible())
    left = list((tmp_path / "out").glob("*")) if (tmp_path / "out").exists() else []
    assert left == ([] if dialog.session is None else [dialog.session])


def drop(place: MainWindow, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    place.pages.sessions.dropEvent(QDropEvent(QPointF(5, 5), copy, data, left, none))


def test_files_dropped_on_sessions_become_a_session_that_is_shown(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, recorded: Path
) -> None:
    window.navigation.choose("Sessions")
    qtbot.waitUntil(lambda: window.pages.sessions.record is not None)
    drop(window, recorded / "first.bayscope")
    qtbot.waitUntil(lambda: shown(window) == recorded / "first.bayscope")
    window.pages._take_folder(tmp_path / "imported")

    once_open(
        ImportDialog, ImportDialog.accept, ready=lambda d: d.buttons.yes.isEnabled()
    )
    drop(window, CLOCKED)
    qtbot.waitUntil(lambda: shown(window).parent == tmp_path / "imported")
    assert window.pages.currentWidget() is window.pages.sessions


def shown(window: MainWindow) -> Path:
    record = window.pages.sessions.record
    return Path() if record is None else record.path
