"""What stands below the pages, and what drops down from there."""

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QMenu, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.ui.window.main_window import MainWindow


def place_of(widget: QWidget) -> QRect:
    return QRect(widget.mapToGlobal(QPoint(0, 0)), widget.size())


@pytest.mark.qt_log_ignore("does not support")  # of menus, offscreen
@pytest.mark.parametrize("size", [(960, 560), (1280, 690)])
def test_no_menu_of_the_window_covers_what_stops_a_run(
    window: MainWindow, size: tuple[int, int], qtbot: QtBot
) -> None:
    window.resize(*size)
    bar = window.steering
    stops = [bar.panic, bar.yes, bar.no, bar.pause, bar.skip]
    bar.show()
    for stop in stops:
        stop.show()
    tools = (window.tools, window.status)
    buttons = [one for part in tools for one in part.findChildren(QToolButton)]
    menus = [(one, one.menu()) for one in buttons if one.menu() is not None]
    assert len(menus) == 2
    for button, menu in menus:
        assert isinstance(menu, QMenu)
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))
        qtbot.waitUntil(menu.isVisible)
        place = menu.geometry()
        covered = [one.text() for one in stops if place.intersects(place_of(one))]
        menu.close()
        assert covered == [], button.text()
