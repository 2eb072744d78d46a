"""The controls of a replay."""
# mypy: disallow-untyped-calls=False

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.ui.kit.context import Context
from app.ui.session.playhead import SPEEDS, Playhead
from app.ui.session.replay_bar import ReplayBar
from instruments.reading import SECOND


@pytest.fixture
def head() -> Playhead:
    found = Playhead()
    found.set_extent(100 * SECOND, 190 * SECOND)
    return found


@pytest.fixture
def bar(qtbot: QtBot, context: Context, head: Playhead) -> ReplayBar:
    found = ReplayBar(context, head)
    qtbot.addWidget(found)
    return found


def button(bar: ReplayBar, name: str) -> QToolButton:
    found = bar.findChildren(QToolButton)
    return next(one for one in found if one.accessibleName() == name)


def test_a_session_of_a_moment_may_follow_one_of_hours(
    bar: ReplayBar, head: Playhead
) -> None:
    head.set_extent(0, 9000 * SECOND)
    head.seek(8000 * SECOND)
    head.set_extent(0, 1000)
    assert bar._slider.value() == bar._slider.maximum()


def test_it_shows_where_the_playhead_is(bar: ReplayBar, head: Playhead) -> None:
    assert bar._time.text() == "0:00 / 1:30"
    head.seek(145 * SECOND)
    assert bar._time.text() == "0:45 / 1:30"
    assert bar._slider.value() == bar._slider.maximum() // 2


def test_the_slider_moves_it(bar: ReplayBar, head: Playhead) -> None:
    bar._slider.setValue(bar._slider.maximum())
    assert head.position == head.end


def test_the_buttons_move_it(bar: ReplayBar, head: Playhead, qtbot: QtBot) -> None:
    left = Qt.MouseButton.LeftButton
    for name, seconds in (
        ("Forward 1 s", 1),
        ("To the end", 90),
        ("Back 1 s", 89),
        ("To the start", 0),
    ):
        qtbot.mouseClick(button(bar, name), left)
        assert head.position == head.start + seconds * SECOND
    qtbot.mouseClick(button(bar, "Play"), left)
    assert head.is_playing
    qtbot.mouseClick(button(bar, "Pause"), left)
    assert not head.is_playing


@pytest.mark.parametrize(
    ("key", "shift", "seconds"),
    [
        (Qt.Key.Key_Right, False, 31),
        (Qt.Key.Key_Right, True, 40),
        (Qt.Key.Key_Left, False, 29),
        (Qt.Key.Key_Left, True, 20),
        (Qt.Key.Key_Home, False, 0),
        (Qt.Key.Key_End, False, 90),
    ],
)
def test_keys_move_it(
    bar: ReplayBar, head: Playhead, key: Qt.Key, shift: bool, seconds: int
) -> None:
    head.seek(130 * SECOND)
    assert bar.press(key, shift=shift)
    assert head.position == head.start + seconds * SECOND


def test_the_speed_goes_up_and_down_and_stays_in_bounds(
    bar: ReplayBar, head: Playhead
) -> None:
    assert not bar.press(Qt.Key.Key_A, shift=False)
    for speed in (*SPEEDS[1:], SPEEDS[-1]):
        bar.press(Qt.Key.Key_Up, shift=False)
        assert head.speed == speed
        assert bar._speed.currentText() == f"{speed}x"
    bar._speed.activated.emit(0)
    bar.press(Qt.Key.Key_Down, shift=False)
    assert head.speed == 1


def test_every_control_says_its_name_and_its_key(bar: ReplayBar) -> None:
    for one in bar.findChildren(QToolButton):
        assert one.accessibleName()
        assert one.toolTip().endswith(")")
    assert bar._slider.accessibleName() == "Playhead"
    assert bar._speed.accessibleName() == "Replay speed"


def test_steps_are_gone_to_by_buttons_and_keys(
    bar: ReplayBar, head: Playhead, qtbot: QtBot
) -> None:
    head.set_stops([140 * SECOND, 110 * SECOND])
    seen = []
    for act in (
        lambda: qtbot.mouseClick(button(bar, "Next step"), Qt.MouseButton.LeftButton),
        lambda: bar.press(Qt.Key.Key_PageDown, shift=False),
        lambda: bar.press(Qt.Key.Key_PageDown, shift=False),
        lambda: bar.press(Qt.Key.Key_PageUp, shift=False),
        lambda: bar.press(Qt.Key.Key_PageUp, shift=False),
        lambda: qtbot.mouseClick(
            button(bar, "Previous step"), Qt.MouseButton.LeftButton
        ),
    ):
        act()
        seen.append(head.position // SECOND)
    assert seen == [110, 140, 190, 140, 110, 100]


def test_loop_is_a_switch(bar: ReplayBar, head: Playhead, qtbot: QtBot) -> None:
    seen = []
    qtbot.mouseClick(button(bar, "Loop"), Qt.MouseButton.LeftButton)
    seen.append(head.loops)
    bar.press(Qt.Key.Key_L, shift=False)
    assert [*seen, head.loops] == [True, False]
    assert not button(bar, "Loop").isChecked()
