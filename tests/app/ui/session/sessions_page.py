"""The Sessions page in its window, and what a user clicks on it."""
# mypy: disallow-untyped-calls=False

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.ui.session.readouts import ReadoutCard
from app.ui.session.view import SessionsView


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
