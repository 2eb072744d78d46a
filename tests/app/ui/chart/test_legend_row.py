"""A legend with many curves: what fits is shown, the rest is counted and listed."""

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from app.ui.chart.legend import LegendEntry
from app.ui.chart.plot_head import LegendRow, PlotHead
from app.ui.kit.theme import Theme


@pytest.fixture
def row(qtbot: QtBot) -> LegendRow:
    found = LegendRow()
    qtbot.addWidget(found)
    found.resize(700, 26)
    found.show()
    return found


def entries(count: int) -> list[LegendEntry]:
    solid = Qt.PenStyle.SolidLine
    return [
        LegendEntry(f"slot{number:02}", QColor("#0072B2"), solid)
        for number in range(count)
    ]


def overlaps(found: list[LegendEntry]) -> bool:
    boxes = [one.geometry() for one in found if one.isVisible()]
    return any(a.right() >= b.left() for a, b in pairwise(boxes))


def test_a_few_curves_are_all_shown(row: LegendRow) -> None:
    row.set_entries(entries(3))
    assert row.shown == 3
    assert not row.more.isVisible()


def test_of_many_as_many_as_fit_and_a_count(row: LegendRow, qtbot: QtBot) -> None:
    found = entries(40)
    row.set_entries(found)
    qtbot.waitUntil(row.more.isVisible)
    few = row.shown
    assert 0 < few < 40
    assert row.more.text() == f"+{40 - few}"
    row._row.activate()
    assert not overlaps(found)
    assert row.more.geometry().right() <= row.width()
    row.resize(300, 26)
    assert row.shown < few
    row.resize(9000, 26)
    assert row.shown == 40
    assert row.more.isHidden()


def test_it_is_laid_out_once(row: LegendRow, qtbot: QtBot) -> None:
    """No layout asks for another one."""
    row.set_entries(entries(120))
    qtbot.waitUntil(row.more.isVisible)
    asked: list[int] = []
    arrange = row._arrange

    def count() -> None:
        asked.append(row.shown)
        arrange()

    row._arrange = count  # type: ignore[method-assign]
    row.resize(400, 26)
    beats: list[int] = []
    timer = QTimer(row)
    timer.timeout.connect(lambda: beats.append(1))
    timer.start(0)
    qtbot.waitUntil(lambda: len(beats) > 30)
    timer.stop()
    assert 1 <= len(asked) <= 4


def test_a_longer_value_makes_room_for_fewer(row: LegendRow, qtbot: QtBot) -> None:
    found = entries(40)
    row.set_entries(found)
    few = row.shown
    for entry in found:
        entry.set_value("123456.789 MB/s of all")
    qtbot.waitUntil(lambda: row.shown < few)
    row._row.activate()
    assert not overlaps(found)


def test_the_menu_has_all_of_them_with_their_values(row: LegendRow) -> None:
    found = entries(40)
    row.set_entries(found)
    found[39].set_value("41.5")
    row.more.menu().aboutToShow.emit()
    actions = row.more.menu().actions()
    assert len(actions) == 40
    assert actions[39].text() == "slot39\t41.5"
    assert not actions[39].icon().isNull()
    # A click on one hides or shows its curve, as one on its entry would.
    clicked: list[int] = []
    found[39].clicked.connect(lambda: clicked.append(39))
    actions[39].trigger()
    assert clicked == [39]


def test_other_curves_take_the_place_of_the_old(row: LegendRow) -> None:
    row.set_entries(entries(40))
    row.set_entries(entries(2))
    assert row.shown == 2
    assert row.more.isHidden()


def test_a_curve_without_values_takes_no_room(row: LegendRow, qtbot: QtBot) -> None:
    found = entries(3)
    row.set_entries(found)
    found[1].set_listed(listed=False)
    qtbot.waitUntil(lambda: row.shown == 2)
    assert [one.isVisible() for one in found] == [True, False, True]
    found[1].set_listed(listed=True)
    qtbot.waitUntil(lambda: row.shown == 3)
    assert found[1].isVisible()


def test_values_give_way_where_names_fit_without_them(
    row: LegendRow, qtbot: QtBot
) -> None:
    found = entries(3)
    row.set_entries(found)
    row.resize(sum(one.label_room for one in found) + 40, 26)
    assert row.shown == 3
    row._row.activate()
    assert not overlaps(found)
    assert row.more.isHidden()
    # Of one that does not even fit by its name the begin is shown.
    long = LegendEntry("power " * 40, QColor("#0072B2"), Qt.PenStyle.SolidLine)
    row.set_entries([long, *entries(1)])
    row.resize(200, 26)
    qtbot.waitUntil(row.more.isVisible)
    row._row.activate()
    assert row.shown == 1
    assert long.geometry().right() < row.more.geometry().left()
    row.resize(5000, 26)
    row._row.activate()
    assert row.shown == 2
    assert long.width() == long.room


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_all_that_can_be_chosen_is_read_in_a_narrow_box(
    qtbot: QtBot, theme: Theme
) -> None:
    head = PlotHead()
    qtbot.addWidget(head)
    head.offer("Performance", ["IOPS", "Mean latency of everything, each device"])
    head.resize(600, 30)
    head.show()
    box = head._chooser
    box.showPopup()
    view = box.view()
    qtbot.waitUntil(view.isVisible)
    assert box.width() < view.sizeHintForColumn(0) <= view.viewport().width()
    box.hidePopup()
    narrow = box.sizeHint().width()
    head.choose(1)
    assert box.sizeHint().width() > narrow
