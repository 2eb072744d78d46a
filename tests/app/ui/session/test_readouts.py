"""The read-outs of a session, read off the GUI thread."""

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.ui.kit.background import Background
from app.ui.kit.context import Context
from app.ui.session.readout import Shown
from app.ui.session.readouts import ReadoutPanel
from app.ui.session.record import Record, open_record
from instruments.reading import SECOND
from tests.app.ui.sample import START


@pytest.fixture
def records(recorded: Path) -> Iterator[list[Record]]:
    names = ("first", "second")
    found = [open_record(recorded / f"{name}.bayscope") for name in names]
    yield found
    for record in found:
        record.close()


@pytest.fixture
def panel(qtbot: QtBot, context: Context) -> ReadoutPanel:
    found = ReadoutPanel(context, "At the playhead")
    qtbot.addWidget(found)
    found.show()
    return found


def test_the_last_wish_counts(
    panel: ReadoutPanel, records: list[Record], qtbot: QtBot
) -> None:
    panel.set_record(records[0])
    for seconds in range(1, 20):
        panel.show_at(START + seconds * SECOND)
    panel.show_at(records[0].layer.end, whole=True)
    qtbot.waitUntil(lambda: panel.title == "Session means")
    assert all(card.shown != Shown() for card in panel.cards)
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
    qtbot.waitUntil(lambda: all(card.shown != Shown() for card in panel.cards))
