"""Sentences below what they are about, never cut off, however narrow a form is."""

import pytest
from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.ui.kit.option_field import OptionField
from app.ui.kit.sentences import SentenceLabel, Sentences
from app.ui.kit.widgets import make_form
from instruments.settings import Kind, Option

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


@pytest.mark.parametrize("text", [LONG, f"{'9' * 400} is not a size."])
def test_a_sentence_is_no_higher_for_one_that_was_said_before(
    qtbot: QtBot, text: str
) -> None:
    label = SentenceLabel("mistake")
    qtbot.addWidget(label)
    label.resize(200, 20)
    label.show()
    label.say("Short.")
    before = label.minimumHeight()
    label.say(text)
    assert label.minimumHeight() > 3 * before
    label.say("Short.")
    assert label.minimumHeight() == before


def test_what_is_below_a_field_stays_where_a_mistake_is_said(qtbot: QtBot) -> None:
    form = QWidget()
    qtbot.addWidget(form)
    layout = make_form()
    form.setLayout(layout)
    runtime = OptionField(Option("runtime", "How long.", Kind.DURATION))
    below = OptionField(Option("ramp", "Not measured.", Kind.DURATION))
    for field in (runtime, below):
        layout.addRow(field.option.title, field)
    form.resize(500, 200)
    form.show()
    qtbot.waitExposed(form)
    place, height = below.pos(), runtime.height()
    sayings = (runtime.mistake.say, runtime.advice.say)
    for say in sayings:
        say("Runtime is 0. Expected 90s or more.")
        layout.activate()
        assert (below.pos(), runtime.height()) == (place, height)
        say("")
    layout.activate()
    assert (below.pos(), runtime.height()) == (place, height)


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
