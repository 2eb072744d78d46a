"""Tables that share out their room."""

from operator import itemgetter

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.ui.kit.context import Context
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.tables import SpreadTable

Cells = tuple[str, ...]


@pytest.fixture
def table(qtbot: QtBot, context: Context) -> SpreadTable:
    columns = [
        Column[Cells]("Workload", lambda cells: cells[0]),
        Column[Cells]("Power (W)", lambda cells: cells[1], right=True),
        Column[Cells]("IOPS", lambda cells: cells[2], right=True),
    ]
    model = RowsModel[Cells](columns, context)
    found = SpreadTable(model, "Report")
    model.setParent(found)
    model.set_records([("Sequential write of large blocks", "693.3", "856")])
    qtbot.addWidget(found)
    return found


def widths(table: SpreadTable) -> list[int]:
    return [table.columnWidth(column) for column in range(3)]


def test_all_columns_share_the_room(table: SpreadTable, qtbot: QtBot) -> None:
    table.resize(330, 200)
    table.show()
    qtbot.waitUntil(lambda: widths(table)[0] > 150)
    least = widths(table)
    table.resize(420, 200)
    qtbot.waitUntil(lambda: widths(table) != least)
    more = {now - before for before, now in zip(least, widths(table), strict=True)}
    assert len(more) == 1
    assert table.horizontalScrollBar().maximum() == 0


def test_a_wide_window_does_not_tear_the_columns_apart(
    table: SpreadTable, qtbot: QtBot
) -> None:
    table.resize(3000, 200)
    table.show()
    qtbot.waitUntil(lambda: widths(table)[0] > 150)
    assert sum(widths(table)) < 800


def test_a_narrow_one_shortens_the_first(table: SpreadTable, qtbot: QtBot) -> None:
    table.resize(260, 200)
    table.show()
    qtbot.waitUntil(lambda: widths(table)[0] < 150)
    assert sum(widths(table)) <= table.viewport().width()
    assert widths(table)[0] >= 100


def test_a_narrow_one_writes_figures_over_their_uncertainties(
    qtbot: QtBot, context: Context
) -> None:
    heads = ("Workload", "W", "IOPS", "Verdict")
    columns = [
        Column[Cells](head, itemgetter(number)) for number, head in enumerate(heads)
    ]
    model = RowsModel[Cells](columns, context)
    found = SpreadTable(model, "Report")
    model.setParent(found)
    cells = ("Read, 4k", "788.4 ± 16.3", "26319 ± 1234", "PASS, not clean")
    model.set_records([cells])
    found.let_fold()
    qtbot.addWidget(found)
    found.resize(700, 200)
    found.show()
    qtbot.waitUntil(lambda: found.columnWidth(1) > 60)
    low, wide = found.rowHeight(0), sum(found.sizeHintForColumn(n) for n in range(4))
    with qtbot.waitSignal(found.folded):
        found.resize(wide - 60, 200)
    assert found.rowHeight(0) > low
    assert found.sizeHintForRow(0) <= found.rowHeight(0)
    qtbot.waitUntil(lambda: found.horizontalScrollBar().maximum() == 0)
    found.copy()
    assert QGuiApplication.clipboard().text() == "\t".join(cells)
    with qtbot.waitSignal(found.folded):
        found.resize(700, 200)
    assert found.rowHeight(0) == low


def test_one_that_scrolls_anyway_cuts_no_label(qtbot: QtBot, context: Context) -> None:
    columns = [Column[Cells]("Workload", lambda cells: cells[0])]
    columns += [
        Column[Cells](f"Bandwidth {n} (MB/s)", lambda cells: cells[1], right=True)
        for n in range(20)
    ]
    model = RowsModel[Cells](columns, context)
    found = SpreadTable(model, "Report")
    model.setParent(found)
    model.set_records([("Random read 4k (1/2), queue depth 64", "693.3")])
    qtbot.addWidget(found)
    found.resize(910, 200)
    found.show()
    qtbot.waitUntil(lambda: found.columnWidth(0) >= found.sizeHintForColumn(0) > 120)
    assert found.horizontalScrollBar().maximum() > 0


def test_rows_are_copied_as_tab_separated_text(table: SpreadTable) -> None:
    table.copy()
    text = QGuiApplication.clipboard().text()
    assert text == "Sequential write of large blocks\t693.3\t856"
