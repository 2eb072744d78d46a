"""Replay: by keys, to the playhead's moment, with its readouts."""
# mypy: disallow-untyped-calls=False

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.ui.session.playhead import SPEEDS
from app.ui.session.view import SessionsView
from app.ui.window.main_window import MainWindow
from instruments.reading import SECOND
from tests.app.ui.sample import (
    START,
)
from tests.app.ui.session.sessions_page import card, open_first


def test_replay_by_keys(view: SessionsView, qtbot: QtBot) -> None:
    open_first(view, qtbot)
    page, chart = view.page, view.page.pane.chart
    chart.setFocus()
    qtbot.keyClick(chart, Qt.Key.Key_Home)
    assert page.playhead.position == START
    qtbot.keyClick(chart, Qt.Key.Key_Right)
    qtbot.keyClick(chart, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert page.playhead.position == START + 11 * SECOND
    qtbot.keyClick(chart, Qt.Key.Key_Left)
    assert page.playhead.position == START + 10 * SECOND
    for _ in range(10):
        qtbot.keyClick(chart, Qt.Key.Key_Up)
    assert page.playhead.speed == SPEEDS[-1]
    qtbot.keyClick(chart, Qt.Key.Key_Space)
    assert page.playhead.is_playing
    qtbot.waitUntil(lambda: not page.playhead.is_playing)
    assert page.playhead.position == page.playhead.end
    qtbot.keyClick(chart, Qt.Key.Key_End)
    qtbot.keyClick(chart, Qt.Key.Key_Tab)


def test_after_a_click_on_play_the_keys_choose_the_speed(
    view: SessionsView, qtbot: QtBot
) -> None:
    view.window().activateWindow()
    qtbot.waitUntil(view.window().isActiveWindow)
    open_first(view, qtbot)
    head, row = view.page.playhead, view.list.currentIndex().row()
    before = head.speed
    qtbot.mouseClick(view.page.replay._play, Qt.MouseButton.LeftButton)
    focused = view.window().focusWidget()
    assert focused is not None
    assert focused is not view.list
    qtbot.keyClick(focused, Qt.Key.Key_Up)
    assert head.speed > before
    assert view.list.currentIndex().row() == row
    head.pause()


def test_replay_by_keys_from_the_list(view: SessionsView, qtbot: QtBot) -> None:
    view.window().activateWindow()
    qtbot.waitUntil(view.window().isActiveWindow)
    open_first(view, qtbot)
    assert view.list.hasFocus()
    head = view.page.playhead
    qtbot.keyClick(view.list, Qt.Key.Key_Left)
    assert head.position == head.end - SECOND
    play = view.page.replay._play
    qtbot.keyClick(view.list, Qt.Key.Key_Space)
    assert play.accessibleName() == "Pause"
    qtbot.keyClick(view.list, Qt.Key.Key_Space)
    assert play.accessibleName() == "Play"
    before = view.list.currentIndex().row()
    other = Qt.Key.Key_Down if before == 0 else Qt.Key.Key_Up
    with qtbot.waitSignal(view.session_opened):
        qtbot.keyClick(view.list, other)
    assert view.list.hasFocus()


def test_readouts_have_names_before_their_values(
    view: SessionsView, qtbot: QtBot
) -> None:
    open_first(view, qtbot)
    names = [one.accessibleName() for one in view.page.readouts.cards]
    assert names
    assert all(": " in name for name in names)


def test_replay_shows_the_past_only(view: SessionsView, qtbot: QtBot) -> None:
    open_first(view, qtbot)
    page = view.page
    page.playhead.seek(START + 20 * SECOND)

    def until_there() -> bool:
        row = page.pane.chart.rows[1]
        line = row.curves[0][1]
        return line is not None and 19 < float(line.x.max()) < 20.5

    qtbot.waitUntil(until_there)
    power = card(view, "Power")
    qtbot.waitUntil(lambda: power.shown.value[:2] in ("54", "55"))
    page.playhead.seek(START + int(30.9 * SECOND))
    qtbot.waitUntil(lambda: power.shown.gap == "timeout")
    assert power.accessibleName() == "Power: gap: timeout"


def test_charts_keep_up_with_the_playhead_at_once(
    view: SessionsView, qtbot: QtBot
) -> None:
    open_first(view, qtbot)
    page = view.page
    rows = page.pane.chart.rows
    qtbot.waitUntil(lambda: all(one.line is not None for one in rows[1].drawn))
    axis = rows[1]._plot.getViewBox().viewRange()[1]
    for seconds in (20, 60, 11):
        page.playhead.seek(START + seconds * SECOND)
        line = rows[1].curves[0][1]
        assert line is not None
        assert line.x.max() == pytest.approx(seconds, abs=0.3)
    page.playhead.seek(START)
    line = rows[1].curves[0][1]
    assert line is not None
    assert len(line.x) <= 1
    assert rows[1]._plot.getViewBox().viewRange()[1] == axis
    assert axis[0] > 300


def test_legend_and_readouts_say_the_same(view: SessionsView, qtbot: QtBot) -> None:
    open_first(view, qtbot)
    page = view.page
    rows, panel = page.pane.chart.rows, page.readouts
    qtbot.waitUntil(lambda: panel.title == "Session means")
    assert rows[1].legend == ["Power"]
    page.playhead.seek(START + 20 * SECOND)
    qtbot.waitUntil(lambda: panel.title == "At the playhead")
    power = card(view, "Power")
    assert rows[1].legend == [f"Power {power.shown.value}"]


def test_a_click_in_the_chart_moves_the_playhead(
    view: SessionsView, qtbot: QtBot
) -> None:
    open_first(view, qtbot)
    page = view.page
    assert page.playhead.position == page.playhead.end
    page.pane.chart.clicked.emit(33.0)
    assert page.playhead.position == START + 33 * SECOND
    page.pane.chart.clicked.emit(12.0)
    assert page.playhead.position == START + 12 * SECOND


def test_leaving_the_page_pauses(
    view: SessionsView, window: MainWindow, qtbot: QtBot
) -> None:
    open_first(view, qtbot)
    view.page.playhead.play()
    window.navigation.choose("Bench")
    assert not view.page.playhead.is_playing
