"""Sentences in a form are never cut off, however narrow it is."""

import pytest
from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.ui.kit.sentence_label import SentenceLabel

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
