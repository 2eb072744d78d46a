"""The report table of a session on screen."""
# mypy: disallow-untyped-calls=False

import contextlib
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.report.forms.form import Form, all_forms, own_folder
from app.report.spread import SAID
from app.ui.kit.context import Context
from app.ui.kit.settings import Settings
from app.ui.kit.states import look_of
from app.ui.kit.tables import Looked
from app.ui.session.record import Record, open_record
from app.ui.session.report_panel import ReportPanel, _look_at
from resources import read_text
from tests.app.report.test_devices import write


@pytest.fixture
def record(recorded: Path) -> Iterator[Record]:
    found = open_record(recorded / "first.bayscope")
    yield found
    found.close()


@pytest.fixture
def panel(qtbot: QtBot, context: Context, record: Record) -> ReportPanel:
    found = ReportPanel(context)
    qtbot.addWidget(found)
    found.show()
    found.set_record(record)
    qtbot.waitUntil(lambda: found.model is not None)
    return found


def test_all_of_the_table_is_shown(panel: ReportPanel) -> None:
    assert panel.model is not None
    labels = [cells[0] for cells in panel.model.records]
    assert labels[:2] == ["Idle", "Sequential write 4M"]
    assert len(labels) == 7
    assert panel._fake.isVisible()
    assert "mains" in panel._fake.text()


@pytest.mark.parametrize(
    ("verdict", "colour"),
    [
        ("PASS", look_of("PASS").token),
        ("PASS, not clean", "warn"),
        ("FAIL, not clean", look_of("FAIL").token),
        ("ERROR, not clean", look_of("ERROR").token),
    ],
)
def test_a_row_that_is_not_clean_keeps_the_colour_of_its_failure(
    verdict: str, colour: str
) -> None:
    look = _look_at(0)((verdict,))
    assert (look.word, look.token) == (verdict, colour)


def test_the_labs_form_has_four_columns(panel: ReportPanel, qtbot: QtBot) -> None:
    before = panel.model
    panel.forms.choose("lab")
    panel.forms.chosen.emit()
    qtbot.waitUntil(lambda: panel.model is not before)
    assert panel.model is not None
    assert panel.model.columnCount() == 4


def test_a_row_leads_to_its_step(panel: ReportPanel, qtbot: QtBot) -> None:
    assert panel._table is not None
    with qtbot.waitSignal(panel.step_chosen) as chosen:
        panel._table.activated.emit(panel._table.model().index(4, 0))
    assert chosen.args == ["Random read 4k"]


def test_without_a_session_there_is_no_table(panel: ReportPanel) -> None:
    panel.set_record(None)
    assert panel.model is None
    assert not panel._fake.isVisible()


def test_other_devices_have_a_table_below(
    panel: ReportPanel, qtbot: QtBot, tmp_path: Path
) -> None:
    assert panel.further.titles[:6] == [
        "Efficiency and cost",
        "Derived figures",
        "How they are made",
        "Gates",
        "Quality of rows",
        "Checklists",
    ]
    assert "MLCommons power" in panel.further.titles
    with contextlib.closing(open_record(write(tmp_path))) as other:
        panel.set_record(other)
        qtbot.waitUntil(lambda: "Other devices" in panel.further.titles)
        panel.further.box.setCurrentText("Other devices")
        table = panel.further.table
        assert table is not None
        model = table.model()
        row = [model.index(0, column).data() for column in range(6)]
        assert row == ["Room", "server", "200.0", "", "0.900", "1.000"]
        with qtbot.waitSignal(panel.step_chosen) as chosen:
            table.activated.emit(model.index(0, 0))
        assert chosen.args == ["Room"]
        panel.forms.choose("lab")
        panel.forms.chosen.emit()
        qtbot.waitUntil(lambda: panel.model is not None and not panel.further.titles)


def test_forms_are_read_off_the_gui_thread_when_they_are_wanted(
    panel: ReportPanel, qtbot: QtBot, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers = []

    def read() -> list[Form]:
        readers.append(threading.current_thread())
        return all_forms()

    monkeypatch.setattr("app.ui.session.form_box.all_forms", read)
    own = own_folder()
    own.mkdir(parents=True)
    text = read_text("forms", "lab.toml").replace("title = ", 'title = "Mine" # ', 1)
    (own / "mine.toml").write_text(text)
    box = panel.forms
    box.choose("mine")
    assert box.form == "mine"
    box.hide()
    box.show()
    qtbot.waitUntil(lambda: box.currentText() == "Mine")
    assert readers
    assert threading.main_thread() not in readers
    (own / "mine.toml").write_text("title =")
    box.hide()
    box.show()
    qtbot.waitUntil(lambda: box.currentText() == "mine (with a mistake)")


def shown(panel: ReportPanel) -> str:
    """Get the power of the first row."""
    return panel.model.records[0][1] if panel.model is not None else ""


def test_uncertainties_stand_beside_figures_and_stay_so(
    panel: ReportPanel, record: Record, tmp_path: Path, qtbot: QtBot
) -> None:
    assert panel.spread.accessibleName() == "Uncertainty beside each figure"
    assert "Alt+Y" in panel.spread.toolTip()
    path = tmp_path / "known.bayscope"
    shutil.copy(record.path, path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        text = "UPDATE result SET u_meter = 1.5, u_scatter = 0.5 WHERE name = 'power_w'"
        connection.execute(text)
    with contextlib.closing(open_record(path)) as known:
        panel.set_record(known)
        qtbot.waitUntil(lambda: bool(shown(panel)))
        assert shown(panel) == "412.0"
        panel.spread.click()
        qtbot.waitUntil(lambda: shown(panel) == "412.0 ± 3.2")
        assert SAID in panel.notes.toPlainText()
        table = panel._table
        assert table is not None
        with qtbot.waitSignal(panel.cell_chosen) as chosen:
            table.activated.emit(table.model().index(0, 1))
        assert chosen.args == ["Idle", "power_w", Looked.ASKED]
        panel.set_record(record)
        panel.set_record(known)
        qtbot.waitUntil(lambda: shown(panel) == "412.0 ± 3.2")
        panel.spread.click()
        qtbot.waitUntil(lambda: shown(panel) == "412.0")
        panel.set_record(None)


def test_how_a_report_looks_outlives_the_program(
    qtbot: QtBot, context: Context, settings: Settings, record: Record
) -> None:
    def panel() -> ReportPanel:
        found = ReportPanel(context)
        qtbot.addWidget(found)
        found.keep_in(Settings(settings.path))
        found.show()
        found.set_record(record)
        qtbot.waitUntil(lambda: found.forms.count() > 2)
        return found

    first = panel()
    assert (first.form, first.spread.isChecked()) == ("", False)
    first.spread.click()
    first.forms.setFocus()
    qtbot.keyClick(first.forms, Qt.Key.Key_Down)
    chosen = first.form
    assert chosen
    second = panel()
    qtbot.waitUntil(lambda: second.form == chosen)
    assert second.spread.isChecked()
    kept = Settings(settings.path)
    kept.put("report_form", "a form that is gone")
    third = panel()
    assert third.form == "", "it is not asked for, and no error is said"
