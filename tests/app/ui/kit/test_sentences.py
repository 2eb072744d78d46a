"""Sentences below what they are about, never cut off, however narrow a form is."""

import pytest
from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.ui.kit.sentences import SentenceLabel, Sentences

LONG = "Runtime is 0. Expected a runtime above 0 seconds, such as 90s or 5m. " * 4


@pytest.mark.parametrize("width", [180, 320, 700])
def test_a_long_sentence_has_the_height_it_needs(qtbot: QtBot, width: int) -> None:
    form = QWidget()
    qtbot.addWidget(form)
    layout = QFormLayout(form)
    label = SentenceLabel("mistake")
    layout.addRow("Runtime", QLineEdit())
    layout.addRow("", label)
    form.resize(width, 400)
    form.show()
    assert not label.isVisible()
    label.say(LONG)
    qtbot.waitUntil(lambda: label.height() >= label.heightForWidth(label.width()))
    assert label.isVisible()
    label.say("")
    assert not label.isVisible()
    assert label.minimumHeight() == 0


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
