"""The Sessions page in its window, and what a user clicks on it."""
# mypy: disallow-untyped-calls=False

from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.analysis.again.rows import results_again, row_of
from app.record.store import Session, Writer
from app.ui.session.readouts import ReadoutCard
from app.ui.session.view import SessionsView
from instruments.reading import SECOND, Channel, Identity
from tests.session_info import session_info


def click_row(view: SessionsView, row: int, qtbot: QtBot) -> None:
    box = view.list.visualRect(view.model.index(row))
    qtbot.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=box.center())


def card(view: SessionsView, caption: str) -> ReadoutCard:
    cards = view.page.readouts.cards
    return next(one for one in cards if one.caption == caption)


def open_first(view: SessionsView, qtbot: QtBot) -> None:
    path = view.folder / "first.bayscope"
    click_row(view, view.model.row_of(path), qtbot)
    # The newest one may just be opened by itself.
    qtbot.waitUntil(lambda: view.record is not None and view.record.path == path)


def write(folder: Path) -> Path:
    """Write a session whose results come out again."""
    path = folder / "good.bayscope"
    writer = Writer.create(path, session_info())
    writer.add_source("mains", "power", "hmc8015", Identity("", "", "7", "", ""), "")
    times = np.arange(40, dtype=np.int64) * SECOND // 2
    values = np.array([np.linspace(500.0, 510.0, 40), np.linspace(0.9, 0.95, 40)]).T
    channels = tuple(
        Channel("mains", quantity, unit, period_ns=SECOND // 2)
        for quantity, unit in (("P", "W"), ("lambda", ""))
    )
    writer.append_trace(channels, times, times, values)
    step = writer.add_step(1, "Idle", "idle", "")
    window = 5 * SECOND, 15 * SECOND
    writer.update_step(step, outcome="DONE", verdict="PASS", start_ns=0)
    writer.update_step(step, window_start_ns=window[0], window_end_ns=window[1])
    writer.update_step(step, end_ns=20 * SECOND)
    writer.commit()
    with Session.open(path) as session:
        row = row_of(session, session.steps()[0])
        assert row is not None
        for result in results_again(row):
            writer.result(step, result)
    writer.set_session(verdict="PASS", ended_ns=20 * SECOND)
    writer.finish()
    return path
