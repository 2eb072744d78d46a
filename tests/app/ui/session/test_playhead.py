"""The playhead: live it follows, in replay a timer moves it."""

import threading

import pytest
from pytestqt.qtbot import QtBot

from app.ui.session.playhead import SPEEDS, Playhead
from instruments.reading import SECOND


class Clock:
    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def playhead(qtbot: QtBot, clock: Clock) -> Playhead:
    head = Playhead(clock=clock)
    head.set_extent(100 * SECOND, 160 * SECOND)
    return head


def test_the_position_stays_inside(playhead: Playhead) -> None:
    assert playhead.position == 100 * SECOND
    playhead.seek(0)
    assert playhead.position == 100 * SECOND
    playhead.seek(999 * SECOND)
    assert playhead.position == 160 * SECOND
    playhead.step(-1.5)
    assert playhead.position == int(158.5 * SECOND)


@pytest.mark.parametrize("speed", SPEEDS)
def test_replay_moves_by_speed_and_stops_at_the_end(
    playhead: Playhead, clock: Clock, speed: int
) -> None:
    playhead.set_speed(speed)
    playhead.play()
    assert playhead.is_playing
    clock.now = SECOND // 2
    playhead.tick()
    assert playhead.position == min(100 + speed / 2, 160) * SECOND
    clock.now = 60 * SECOND
    playhead.tick()
    assert playhead.position == 160 * SECOND
    assert not playhead.is_playing


def test_play_at_the_end_begins_again(playhead: Playhead) -> None:
    playhead.seek(160 * SECOND)
    playhead.play()
    assert playhead.position == 100 * SECOND
    playhead.pause()
    assert not playhead.is_playing


def test_pause_keeps_the_place(playhead: Playhead, clock: Clock) -> None:
    playhead.play()
    clock.now = 3 * SECOND
    playhead.tick()
    playhead.pause()
    clock.now = 30 * SECOND
    playhead.tick()
    assert playhead.position == 103 * SECOND


def test_the_timer_really_ticks(qtbot: QtBot) -> None:
    head = Playhead()
    head.set_extent(0, 10 * SECOND)
    head.set_speed(100)
    with qtbot.waitSignal(head.moved):
        head.play()
    qtbot.waitUntil(lambda: head.position == 10 * SECOND)


def test_nothing_plays_in_an_empty_session(qtbot: QtBot) -> None:
    head = Playhead()
    head.play()
    assert not head.is_playing


def test_following_extends_and_may_come_from_any_thread(
    playhead: Playhead, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(playhead.moved) as moved:
        thread = threading.Thread(target=playhead.follow, args=(200 * SECOND,))
        thread.start()
        thread.join()
    assert moved.args == [200 * SECOND]
    assert playhead.end == 200 * SECOND


def test_other_speeds_are_refused(playhead: Playhead) -> None:
    with pytest.raises(ValueError, match="speed 3"):
        playhead.set_speed(3)


def test_a_loop_begins_again_and_plays_on(playhead: Playhead, clock: Clock) -> None:
    playhead.loops = True
    playhead.seek(159 * SECOND)
    playhead.play()
    clock.now += 5 * SECOND
    playhead.tick()
    assert playhead.position == playhead.end  # the end is seen, too
    playhead.tick()
    assert playhead.position == playhead.start
    clock.now += SECOND
    playhead.tick()
    assert playhead.position == playhead.start + SECOND
    assert playhead.is_playing
    playhead.pause()
