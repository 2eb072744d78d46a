"""Sentences below what they are about."""

from pytestqt.qtbot import QtBot

from app.ui.kit.sentences import Sentences

FEW, MANY = ["Nothing is missing."], [f"Step {n} has no power." for n in range(40)]


def test_they_take_what_they_need_and_scroll_beyond(qtbot: QtBot) -> None:
    notes = Sentences("Notes", "What is missing")
    qtbot.addWidget(notes)
    assert not notes.isVisible()
    notes.resize(600, 120)
    notes.tell(FEW)
    line = notes.fontMetrics().lineSpacing()
    assert notes.isVisible()
    assert line < notes.maximumHeight() < 3 * line
    notes.tell(MANY)
    assert notes.maximumHeight() > 40 * line > notes.sizeHint().height()
    assert notes.toPlainText().splitlines() == MANY
    notes.tell([])
    assert not notes.isVisible()
