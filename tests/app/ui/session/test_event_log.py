"""The log of events: whole messages, to be read and copied."""

from datetime import UTC, datetime

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.record.store import EventRow
from app.ui.kit.context import Context
from app.ui.session.event_log import EventLog

LONG = " ".join(
    f"disk{n:02d} was opened by fio and by something else," for n in range(9)
)
EVENTS = [
    EventRow(1, 0, "info", "campaign", "Idle started"),
    EventRow(2, 10**9, "warning", "target_disk", LONG),
]


def log_of(qtbot: QtBot, context: Context, *, wrapped: bool) -> EventLog:
    log = EventLog(context, wrapped=wrapped)
    qtbot.addWidget(log)
    log.resize(700, 400)
    log.set_events(EVENTS, lambda ns: datetime.fromtimestamp(ns / 1e9, UTC))
    log.show()
    qtbot.waitExposed(log)
    return log


def test_a_long_message_takes_the_lines_it_needs(
    qtbot: QtBot, context: Context
) -> None:
    table = log_of(qtbot, context, wrapped=True)._table
    line = table.fontMetrics().lineSpacing()
    room = table.fontMetrics().horizontalAdvance(LONG) / table.columnWidth(3)
    qtbot.waitUntil(lambda: table.rowHeight(1) >= room * line)
    assert table.rowHeight(0) < 2 * line


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_message_is_copied_whole_and_told_whole(
    qtbot: QtBot, context: Context, wrapped: bool
) -> None:
    log = log_of(qtbot, context, wrapped=wrapped)
    tip = log.model.data(log.model.index(1, 3), Qt.ItemDataRole.ToolTipRole)
    assert tip.replace("\n", " ") == LONG
    assert max(map(len, tip.splitlines())) <= 90
    log._table.choose_row(1)
    log._table.copy()
    text = QGuiApplication.clipboard().text()
    assert text == f"00:00:01.000\tWarning\ttarget_disk\t{LONG}"
    log._table.selectAll()
    log._table.copy()
    assert len(QGuiApplication.clipboard().text().splitlines()) == 2


@pytest.mark.parametrize("height", [131, 140, 150, 163])
def test_the_first_row_is_whole_at_the_end(
    qtbot: QtBot, context: Context, height: int
) -> None:
    log = log_of(qtbot, context, wrapped=False)
    many = [EventRow(n, n * 10**9, "info", "campaign", f"{n}") for n in range(1, 40)]
    log.set_events(many, lambda ns: datetime.fromtimestamp(ns / 1e9, UTC))
    table = log._table
    table.scrollToBottom()
    log.resize(700, height)

    def first_seen() -> int:
        tops = [table.rowViewportPosition(row) for row in range(39)]
        return next(top for top in tops if top + table.rowHeight(0) > 0)

    qtbot.waitUntil(lambda: table.rowViewportPosition(38) > 0 and first_seen() == 0)
    end = table.rowViewportPosition(38) + table.rowHeight(38)
    assert end == table.viewport().height()


def test_what_is_left_below_asks_for_no_room(qtbot: QtBot, context: Context) -> None:
    """Whoever shares out the room would do so anew with each answer."""
    log = log_of(qtbot, context, wrapped=False)
    asked = set()
    for height in range(131, 231, 7):
        log.resize(700, height)
        hints = log.minimumSizeHint(), log.sizeHint()
        asked.add(tuple(hint.height() for hint in hints))
    assert len(asked) == 1
