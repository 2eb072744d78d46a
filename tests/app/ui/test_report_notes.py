"""The notes below a report."""

from pytestqt.qtbot import QtBot

from app.ui.report_notes import ReportNotes

FEW, MANY = ["Nothing is missing."], [f"Step {n} has no power." for n in range(40)]


def test_they_take_what_they_need_and_scroll_beyond(qtbot: QtBot) -> None:
    notes = ReportNotes()
    qtbot.addWidget(notes)
    assert not notes.isVisible()
    notes.resize(600, 120)
    notes.show_notes(FEW)
    line = notes.fontMetrics().lineSpacing()
    assert notes.isVisible()
    assert line < notes.maximumHeight() < 3 * line
    notes.show_notes(MANY)
    assert notes.maximumHeight() > 40 * line > notes.sizeHint().height()
    assert notes.toPlainText().splitlines() == MANY
    notes.show_notes([])
    assert not notes.isVisible()
