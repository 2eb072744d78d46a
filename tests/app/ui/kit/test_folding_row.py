"""Tools of a row that is too narrow are in a menu, and lose nothing there."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QTabWidget, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.ui.kit.context import Context
from app.ui.kit.folding_row import FoldingRow
from app.ui.kit.icons import Icons
from app.ui.kit.widgets import named

NAMES = ("First", "Second", "Third")
LITTLE = 120
"""Pixels for one of them beside the menu."""


def make_tool(number: int, name: str) -> QToolButton:
    tool = named(QToolButton(), name, f"{name} (Ctrl+{number})")
    tool.setFixedWidth(60)
    tool.setShortcut(f"Ctrl+{number}")
    return tool


class Bar(QWidget):
    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self.row = FoldingRow(icons)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.setSpacing(4)
        self.setLayout(self.row)
        self.tools = [make_tool(*one) for one in enumerate(NAMES, 1)]
        for tool in self.tools:
            self.row.addWidget(tool)
        self.row.fold(*reversed(self.tools))

    @property
    def in_sight(self) -> list[str]:
        return [
            tool.accessibleName()
            for tool in self.tools
            if self.rect().contains(tool.geometry())
        ]

    @property
    def offered(self) -> list[QAction]:
        menu = self.row.more.menu()
        assert isinstance(menu, QMenu)
        menu.aboutToShow.emit()
        return menu.actions()


@pytest.fixture
def bar(context: Context, qtbot: QtBot) -> Bar:
    found = Bar(context.icons)
    qtbot.addWidget(found)
    found.resize(300, 40)
    found.show()
    qtbot.waitExposed(found)
    return found


def test_what_has_no_room_is_in_the_menu(bar: Bar, qtbot: QtBot) -> None:
    assert bar.in_sight == list(NAMES)
    assert not bar.row.more.isVisible()
    bar.resize(LITTLE, 40)
    qtbot.waitUntil(lambda: bar.in_sight == ["First"])
    assert bar.row.more.isVisible()
    words = [action.text().partition("\t") for action in bar.offered]
    assert [word for word, _, _ in words] == ["Second", "Third"]
    assert [keys for _, _, keys in words] == ["Ctrl+2", "Ctrl+3"]
    bar.resize(300, 40)
    qtbot.waitUntil(lambda: bar.in_sight == list(NAMES))
    assert not bar.row.more.isVisible()


def test_a_row_asks_for_no_more_than_it_needs_without_its_tools(bar: Bar) -> None:
    least = bar.minimumSizeHint().width()
    assert least < 60
    full = bar.sizeHint().width()
    assert full >= 3 * 60
    bar.resize(least, 40)
    assert bar.sizeHint().width() == full
    assert bar.minimumSizeHint().width() == least


def test_a_tool_in_the_menu_keeps_shortcut_and_state(bar: Bar, qtbot: QtBot) -> None:
    third = bar.tools[2]
    third.setCheckable(True)
    bar.tools[1].setEnabled(False)
    bar.tools[0].hide()
    bar.resize(bar.minimumSizeHint().width(), 40)
    qtbot.waitUntil(bar.row.more.isVisible)
    assert third.focusPolicy() is Qt.FocusPolicy.NoFocus
    bar.activateWindow()
    with qtbot.waitSignal(third.clicked):
        QTest.keyClick(bar, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    second, ticked = bar.offered
    assert not second.isEnabled()
    assert ticked.isChecked()
    ticked.trigger()
    assert not third.isChecked()
    bar.resize(300, 40)
    qtbot.waitUntil(lambda: bar.in_sight[-2:] == ["Second", "Third"])
    assert third.focusPolicy() is not Qt.FocusPolicy.NoFocus


def test_a_menu_of_a_tool_is_a_menu_within_the_menu(bar: Bar, qtbot: QtBot) -> None:
    menu = QMenu(bar)
    menu.addAction("Inner")
    bar.tools[2].setMenu(menu)
    bar.resize(LITTLE, 40)
    qtbot.waitUntil(bar.row.more.isVisible)
    assert [one.menu() for one in bar.offered] == [None, menu]
    assert bar.offered[1].text() == "Third"


def test_beside_tabs_it_takes_what_they_leave(bar: Bar, qtbot: QtBot) -> None:
    tabs = QTabWidget()
    qtbot.addWidget(tabs)
    tabs.addTab(QWidget(), "A long name of a page")
    bar.row.stand_beside(tabs)
    tabs.setCornerWidget(bar)
    tabs.resize(500, 100)
    tabs.show()
    qtbot.waitExposed(tabs)
    assert bar.in_sight == list(NAMES)
    tabs.resize(tabs.tabBar().sizeHint().width() + LITTLE, 100)
    qtbot.waitUntil(lambda: bar.in_sight == ["First"])
    assert tabs.tabBar().width() >= tabs.tabBar().sizeHint().width()
