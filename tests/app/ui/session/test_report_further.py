"""The tables below a report."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.report.table import Column, Table
from app.ui.kit.context import Context
from app.ui.session.report_panel import FurtherTables

SIZES = Table(
    (Column("bs", "step"), Column("iodepth 1", "1", 1), Column("iodepth 32", "32", 1)),
    (("4k", 9.5, 80.25), ("1m", 400.0, None)),
)
BANDWIDTH = "Bandwidth (MB/s) of fio over bs and iodepth"
COSTS = Table((Column("Workload", "step"), Column("W/TB", "w", 3)), (("Idle", 0.5),))


@pytest.fixture
def tables(qtbot: QtBot, context: Context) -> FurtherTables:
    found = FurtherTables(context)
    qtbot.addWidget(found)
    return found


def test_one_table_has_its_title_and_no_choice(tables: FurtherTables) -> None:
    tables.show_reports([(BANDWIDTH, SIZES)])
    assert tables.isVisible()
    assert tables.title.text() == BANDWIDTH
    assert tables.box.isHidden()
    tables.show_reports([])
    assert not tables.isVisible()
    assert tables.table is None


def test_one_of_several_is_chosen_and_stays_chosen(tables: FurtherTables) -> None:
    tables.show_reports([("Efficiency and cost", COSTS), (BANDWIDTH, SIZES)])
    assert tables.table is not None
    assert tables.table.lines.records == [("Idle", "0.500")]
    tables.box.setCurrentIndex(1)
    tables.box.activated.emit(1)
    assert tables.table.lines.records == [("4k", "9.5", "80.2"), ("1m", "400.0", "")]
    tables.show_reports([("Efficiency and cost", COSTS), (BANDWIDTH, SIZES)])
    assert tables.box.currentText() == BANDWIDTH
    head = tables.table.lines.headerData(2, Qt.Orientation.Horizontal)
    assert head == "iodepth 32"


def test_a_table_is_copied_with_its_units_and_heads(tables: FurtherTables) -> None:
    tables.show_reports([(BANDWIDTH, SIZES)])
    assert tables.table is not None
    tables.table.copy()
    text = QGuiApplication.clipboard().text()
    assert text == "bs\tiodepth 1\tiodepth 32\n4k\t9.5\t80.2\n1m\t400.0\t"
