"""The big figures: values, gaps, and where they are read."""

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.ui.background import Background
from app.ui.readings import NO_LOAD, Readout, Shown
from app.ui.readouts import ReadoutCard, ReadoutPanel
from app.ui.record import Record, open_record
from app.ui.theme import Theme
from app.ui.units import scale_of
from instruments.reading import SECOND, Channel
from tests.app.ui.sample import START

POWER = Readout("Power", (Channel("mains", "P", "W"),), scale_of("W"), 0)


@pytest.fixture
def card(qtbot: QtBot, theme: Theme) -> ReadoutCard:
    found = ReadoutCard(POWER, theme)
    qtbot.addWidget(found)
    return found


@pytest.fixture
def records(recorded: Path) -> Iterator[list[Record]]:
    names = ("first", "second")
    found = [open_record(recorded / f"{name}.bayscope") for name in names]
    yield found
    for record in found:
        record.close()


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme, background: Background) -> ReadoutPanel:
    found = ReadoutPanel(theme, background, "At the playhead")
    qtbot.addWidget(found)
    found.show()
    return found


def test_a_card_has_a_name_from_the_beginning(card: ReadoutCard) -> None:
    assert card.caption == "Power"
    assert card.accessibleName() == "Power: not read yet"


def test_a_value_has_its_unit_and_extremes(card: ReadoutCard) -> None:
    card.show_value(Shown("593.1", "W", "min 578.3  max 784.8"))
    assert card.accessibleName() == "Power: 593.1 W"
    assert card._note.text() == "min 578.3  max 784.8"


def test_a_gap_says_why_and_shows_no_figure(card: ReadoutCard) -> None:
    card.show_value(Shown("593.1", "W"))
    card.show_value(Shown(gap="timeout"))
    texts = (card._value.text(), card._unit.text(), card._note.text())
    assert texts == ("gap", "", "reason: timeout")
    assert card.accessibleName() == "Power: gap: timeout"


def test_no_load_is_no_gap(card: ReadoutCard) -> None:
    card.show_value(Shown(gap=NO_LOAD))
    assert (card._value.text(), card._note.text()) == ("-", NO_LOAD)


def test_the_last_wish_counts(
    panel: ReadoutPanel, records: list[Record], qtbot: QtBot
) -> None:
    panel.set_record(records[0])
    for seconds in range(1, 20):
        panel.show_at(START + seconds * SECOND)
    panel.show_at(records[0].layer.end, whole=True)
    qtbot.waitUntil(lambda: panel.title == "Means of the session")
    assert all(one.shown != Shown() for one in panel.cards)
    panel.show_at(START + 20 * SECOND)
    qtbot.waitUntil(lambda: panel.title == "At the playhead")


def test_a_session_closed_while_it_is_read_is_no_error(
    panel: ReadoutPanel, records: list[Record], background: Background, qtbot: QtBot
) -> None:
    """The user opens another session before the first one was read."""
    first, second = records
    go = threading.Event()
    for _ in range(3):  # every worker waits, so that the read comes after the close
        background.run(partial(go.wait, 10), lambda _: None)
    panel.set_record(first)
    panel.show_at(START + 20 * SECOND)
    first.close()
    panel.set_record(second)
    panel.show_at(START + 20 * SECOND)
    go.set()
    qtbot.waitUntil(lambda: all(one.shown != Shown() for one in panel.cards))
