"""The first columns of a table that scrolls sideways, and how many more there are."""
# mypy: disallow-untyped-calls=False

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QTableView
from pytestqt.qtbot import QtBot

from app.ui.kit.context import Context
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.tables import SpreadTable

Cells = tuple[str, ...]
_HEADS = ("Workload", "Power (W)", "Latency mean (ms)", "Latency 99 % (ms)", "Verdict")
_ROWS = [
    (f"Random read {number}k", "693.3", "0.114", "1.827", "PASS, not clean")
    for number in range(40)
]


def _cell(place: int) -> Column[Cells]:
    return Column(_HEADS[place], lambda cells: cells[place], right=place > 0)


@pytest.fixture
def table(qtbot: QtBot, context: Context) -> SpreadTable:
    model = RowsModel[Cells]([_cell(place) for place in range(5)], context)
    found = SpreadTable(model, "Report")
    model.setParent(found)
    model.set_records(_ROWS)
    qtbot.addWidget(found)
    found.resize(330, 300)
    found.show()
    qtbot.waitUntil(lambda: found.horizontalScrollBar().maximum() > 0)
    return found


def kept(table: SpreadTable) -> QTableView | None:
    found = table.findChild(QTableView, "kept")
    return found if isinstance(found, QTableView) and found.isVisible() else None


def test_the_names_of_rows_stay_and_the_rest_is_counted(
    table: SpreadTable, qtbot: QtBot
) -> None:
    assert kept(table) is None
    assert table.kept.more.isVisible()
    assert table.kept.more.accessibleName() == "3 more columns to the right"
    qtbot.mouseClick(table.kept.more, Qt.MouseButton.LeftButton)
    view = kept(table)
    assert view is not None
    assert view.width() == table.columnWidth(0)
    assert table.columnViewportPosition(2) == table.columnWidth(0), "the next one"
    table.scrollToBottom()
    here = view.indexAt(QPoint(5, 5))
    assert here.row() == table.rowAt(5) > 0
    table.horizontalScrollBar().setValue(table.horizontalScrollBar().maximum())
    assert table.kept.more.text().endswith("more")
    qtbot.mouseClick(table.kept.more, Qt.MouseButton.LeftButton)
    assert kept(table) is None


def test_a_row_is_chosen_by_its_name_without_scrolling_back(
    table: SpreadTable, qtbot: QtBot
) -> None:
    bar = table.horizontalScrollBar()
    bar.setValue(bar.maximum())
    view = kept(table)
    assert view is not None
    place = view.visualRect(view.model().index(3, 0)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert table.chosen_row() == 3
    assert bar.value() == bar.maximum()
    assert kept(table) is view


def test_a_wide_table_has_neither(table: SpreadTable, qtbot: QtBot) -> None:
    table.horizontalScrollBar().setValue(50)
    assert kept(table) is not None
    table.resize(1200, 300)
    qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() == 0)
    assert kept(table) is None
    qtbot.waitUntil(lambda: not table.kept.more.isVisible())
