"""Work elsewhere, answers here."""

import threading
import time

import pytest
from PySide6.QtCore import QObject, Qt, QTimer
from pytestqt.qtbot import QtBot

from app.ui.kit import background as background_module
from app.ui.kit.background import Background, nothing
from instruments.errors import Aborted, BenchError


class Taker(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.taken: list[tuple[object, threading.Thread]] = []

    def take(self, value: object) -> None:
        self.taken.append((value, threading.current_thread()))


@pytest.mark.parametrize("lasting", [False, True])
def test_the_answer_comes_in_the_gui_thread(
    background: Background, qtbot: QtBot, lasting: bool
) -> None:
    taker = Taker()
    background.run(threading.get_ident, taker.take, lasting=lasting)
    qtbot.waitUntil(lambda: len(taker.taken) == 1)
    worker, here = taker.taken[0]
    assert worker != threading.get_ident()
    assert here is threading.main_thread()


@pytest.mark.parametrize("lasting", [False, True])
def test_a_failure_goes_to_its_callback(
    background: Background, qtbot: QtBot, lasting: bool
) -> None:
    def fail() -> None:
        raise BenchError("the meter is gone")

    found: list[Exception] = []
    background.run(fail, lambda _: None, found.append, lasting=lasting)
    qtbot.waitUntil(lambda: bool(found))
    assert str(found[0]) == "the meter is gone."


def test_a_failure_nobody_takes_is_a_signal(qtbot: QtBot) -> None:
    work = Background()
    with qtbot.waitSignal(work.failed) as failed:
        work.run(lambda: 1 / 0, lambda _: None)
    assert isinstance(failed.args[0], ZeroDivisionError)
    assert work.close()


def test_an_answer_for_a_dead_widget_is_dropped(
    background: Background, qtbot: QtBot
) -> None:
    taker, go = Taker(), threading.Event()
    taken = taker.taken
    background.run(go.wait, taker.take)
    taker.deleteLater()
    qtbot.wait(20)
    go.set()
    done: list[object] = []
    background.run(lambda: 1, done.append)
    qtbot.waitUntil(lambda: done == [1])
    qtbot.wait(20)
    assert taken == []


def test_close_joins_and_drops(qtbot: QtBot) -> None:
    work = Background()
    found: list[object] = []
    work.run(lambda: time.sleep(0.1), found.append)
    work.run(lambda: time.sleep(0.1), found.append, lasting=True)
    assert work.close()
    qtbot.wait(50)
    assert found == []
    work.run(lambda: 1, found.append)
    assert not [one for one in threading.enumerate() if "bayscope-" in one.name]


def test_close_tells_when_lasting_work_goes_on(qtbot: QtBot) -> None:
    work, go = Background(), threading.Event()
    work.run(go.wait, lambda _: None, lasting=True)
    assert not work.close(0.05)
    go.set()
    assert work.close(5)


def test_what_nobody_takes_any_more_is_dropped(qtbot: QtBot) -> None:
    work = Background()
    taken: list[int] = []
    dropped: list[int] = []
    begun, wait = threading.Event(), threading.Event()

    def slow() -> int:
        begun.set()
        return wait.wait(60) + 1

    work.run(lambda: 1, taken.append, drop=dropped.append)
    work.run(slow, taken.append, drop=dropped.append)
    assert begun.wait(60)
    threading.Timer(0.1, wait.set).start()
    assert work.close()
    assert taken == []
    assert sorted(dropped) == [1, 2]


def test_what_is_released_is_closed_even_at_the_end(qtbot: QtBot) -> None:
    work = Background()
    closed: list[int] = []
    wait = threading.Event()
    for _ in range(3):
        work.run(lambda: wait.wait(60), lambda _: None)
    work.release(lambda: closed.append(1))
    threading.Timer(0.1, wait.set).start()
    assert work.close()
    work.release(lambda: closed.append(2))
    assert closed == [1, 2]


class Kept(QObject):
    """Something of the window that its work knows, and soon nothing else does."""

    def __init__(self, gone_in: list[threading.Thread]) -> None:
        super().__init__()
        self._gate = threading.Event()
        self.destroyed.connect(
            lambda: gone_in.append(threading.current_thread()),
            Qt.ConnectionType.DirectConnection,
        )

    def give(self) -> None:
        self._gate.wait(60)

    def fail(self) -> None:
        self._gate.wait(60)
        raise BenchError("the meter is gone")

    def go_on(self) -> None:
        self._gate.set()


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("way", ["give", "fail"])
def test_what_only_the_work_knows_goes_in_the_gui_thread(
    background: Background, qtbot: QtBot, way: str, *, lasting: bool
) -> None:
    gone_in: list[threading.Thread] = []
    kept = Kept(gone_in)
    go_on = kept.go_on
    background.run(getattr(kept, way), nothing, nothing, lasting=lasting)
    del kept
    go_on()
    del go_on
    qtbot.waitUntil(lambda: bool(gone_in))
    assert gone_in == [threading.main_thread()]


def test_workers_that_hang_are_replaced_and_hold_up_no_end(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_module, "_LATE_S", 0.05)
    monkeypatch.setattr(background_module, "_LOOK_MS", 10)
    work, go = Background(), threading.Event()
    done: list[int] = []
    for _ in range(3):
        work.run(go.wait, nothing)
    work.run(lambda: 1, done.append)
    qtbot.waitUntil(lambda: done == [1])
    work.run(go.wait, nothing, lasting=True, reads=True)
    assert not work.close(0.05)
    assert work.hangs
    work.release(go.wait)  # as a file on the server that is gone
    go.set()
    assert work.close()
    assert not work.hangs


def test_workers_that_hang_are_not_replaced_for_ever(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_module, "_LATE_S", 0.0)
    monkeypatch.setattr(background_module, "_LOOK_MS", 1)
    work, go = Background(), threading.Event()
    most = background_module._MOST_WORKERS
    for _ in range(most + 3):
        work.run(go.wait, nothing)
    done: list[int] = []
    work.run(lambda: 1, done.append)
    names = [one.name for one in threading.enumerate()]
    assert names.count("bayscope-work") <= most
    go.set()
    qtbot.waitUntil(lambda: done == [1])
    assert work.close()


def test_what_writes_is_waited_for_and_does_not_hang(qtbot: QtBot) -> None:
    work, go = Background(), threading.Event()
    work.run(go.wait, nothing, lasting=True)
    assert not work.close(0.05)
    assert not work.hangs
    go.set()
    assert work.close()


@pytest.mark.usefixtures("qtbot")
def test_the_window_lives_on_while_something_is_waited_for(
    background: Background,
) -> None:
    lives = threading.Event()
    QTimer.singleShot(0, lives.set)  # by the GUI thread

    def work() -> tuple[bool, threading.Thread]:
        return lives.wait(60), threading.current_thread()

    lived, worker = background.wait_for(work)
    assert lived
    assert worker is not threading.main_thread()


@pytest.mark.usefixtures("qtbot")
def test_what_is_waited_for_raises_here(background: Background) -> None:
    def fail() -> None:
        raise BenchError("the server is gone")

    with pytest.raises(BenchError, match="server is gone"):
        background.wait_for(fail)


@pytest.mark.usefixtures("qtbot")
def test_nothing_is_waited_for_once_the_program_ends() -> None:
    background, ends = Background(), threading.Event()

    def end() -> None:
        ends.set()
        assert background.close(60.0)

    QTimer.singleShot(0, end)
    with pytest.raises(Aborted):
        background.wait_for(lambda: ends.wait(60))
    with pytest.raises(Aborted):
        background.wait_for(lambda: 1)
