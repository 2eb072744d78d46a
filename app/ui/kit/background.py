"""Doing something slow, in a thread with the answer in the GUI thread; its garbage."""

import contextlib
import gc
import itertools
import math
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import shiboken6
from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QEventLoop,
    QObject,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog

from instruments.errors import Aborted

_T = TypeVar("_T")
_SHORT_WORKERS, _MOST_WORKERS = 3, 12
_PATIENCE_MS = 2_000
"""So long the user waits without being asked."""
_LATE_S, _LOOK_MS = 5.0, 1_000
"""One who is at one thing for longer, as on a server that is gone, is replaced, as long
as there are not too many."""


@dataclass(slots=True)
class _Work:
    """Something to do, and what came of it.

    Attributes:
        do: The work; it does not raise.
        success: Takes what it gave.
        failure: Takes what it raised.
        drop: Takes what it gave where nobody wants that any more.
        always: Whether it is done even where `close` comes before it.
        is_done: Whether it was done.
        value: What it gave.
        error: What it raised.
    """

    do: Callable[[], Any]
    success: Callable[[Any], object]
    failure: Callable[[Any], object]
    drop: Callable[[Any], object]
    always: bool = False
    is_done: bool = False
    value: Any = None
    error: BaseException | None = None


def _wait_with(box: QDialog, loop: QEventLoop) -> None:
    """Wait on, until the user closes the box."""
    box.finished.connect(loop.quit)
    box.open()
    loop.exec()
    box.hide()
    box.deleteLater()


class Perform(Protocol):
    """Does something slow, here or elsewhere, and hands back what it gave."""

    def __call__(self, do: Callable[[], _T], /) -> _T:
        """Do it."""


def at_once(do: Callable[[], _T], /) -> _T:
    """Do it here; for what waits for no window."""
    return do()


class Background(QObject):
    """Runs work off the GUI thread and hands back success or failure in it.

    Short work (a trace, a table) shares a few workers, not counting those that hang;
    lasting work (a campaign) has its own thread. `do` never touches a widget. An
    answer for a widget that is gone by then, or that comes after `close`, is dropped;
    what holds a file says how it is closed then.

    The threads keep nothing of it: whatever was captured may be the last that knows a
    widget, and that has to go in the GUI thread.

    Signals:
        failed: An exception that no `failure` callback took.
    """

    failed = Signal(object)
    _ended = Signal()
    _answered = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._workers: dict[threading.Thread, float] = {}  # since when each is at it
        self._lasting: list[threading.Thread] = []
        self._closed = False
        self._numbers = itertools.count()
        self._works: dict[int, _Work] = {}
        # Queued always: work that is done at once must not call back from `run`.
        self._answered.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._look = QTimer(self, interval=_LOOK_MS)
        self._look.timeout.connect(self._hire)

    def run(
        self,
        do: Callable[[], _T],
        success: Callable[[_T], object],
        failure: Callable[[Exception], object] | None = None,
        *,
        drop: Callable[[_T], object] | None = None,
        lasting: bool = False,
        reads: bool = False,
    ) -> None:
        """Do something elsewhere, then call back here.

        Args:
            do: The work; runs in another thread.
            success: Takes its result, in the GUI thread.
            failure: Takes its exception instead; by default `failed` is emitted.
            drop: Takes a result that nobody wants any more, in any thread.
            lasting: Whether it takes longer than a few seconds, or writes: the program
                may end before short work does.
            reads: Whether the program may end before such work, as it changes nothing.
        """
        if self._closed:
            return
        work = _Work(do, success, failure or self.failed.emit, drop or nothing)
        self._begin(work, lasting=lasting, reads=reads)

    def wait_for(
        self,
        do: Callable[[], _T],
        *,
        reads: bool = False,
        box: Callable[[], QDialog] | None = None,
    ) -> _T:
        """Do something elsewhere, and go on here when it is done; the window lives on.

        What the user clicks and types meanwhile is done after it, or, once the box is
        open, not at all.

        Args:
            do: The work; runs in another thread.
            reads: As `run` has it.
            box: Makes what says that it takes long; closed, it is not waited for.

        Raises:
            Aborted: The program ends before it is done, or the user waits no longer;
                else what `do` raises.
        """
        loop = QEventLoop()
        values: list[_T] = []
        errors: list[Exception] = []

        def succeed(value: _T) -> None:
            values.append(value)
            loop.quit()

        def fail(error: Exception) -> None:
            errors.append(error)
            loop.quit()

        self.run(do, succeed, fail, lasting=True, reads=reads)
        if not self._closed:
            self._ended.connect(loop.quit)
            if box is not None:
                QTimer.singleShot(_PATIENCE_MS, loop, loop.quit)
            QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
            loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
            QGuiApplication.restoreOverrideCursor()
        if box is not None and not (values or errors or self._closed):
            _wait_with(box(), loop)
        if errors:
            raise errors.pop()  # left in the list it would keep this frame
        if not values:
            raise Aborted("the program ends" if self._closed else "it took too long")
        return values.pop()

    def release(self, close: Callable[[], object]) -> None:
        """Let go of something that may be in use elsewhere; never left undone."""
        if self._closed:
            last = threading.Thread(target=close, name="bayscope-last", daemon=True)
            self._lasting.append(last)
            last.start()
            last.join(_LATE_S)
            return
        self._begin(_Work(close, nothing, self.failed.emit, nothing, always=True))

    def close(self, seconds: float = 30.0) -> bool:
        """Drop what has not begun and join every thread.

        Args:
            seconds: How long to wait for all of them.

        Returns:
            Whether every thread has ended.
        """
        self._closed = True
        self._ended.emit()
        self._look.stop()
        with contextlib.suppress(queue.Empty):
            while True:
                self._waiting.get_nowait()
        threads = [*self._workers, *self._lasting]
        for _ in threads:
            self._waiting.put(None)
        end = time.monotonic() + seconds
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))
        # Answers on their way: nobody takes them now, so they are dropped here.
        QCoreApplication.sendPostedEvents(self, QEvent.Type.MetaCall.value)
        if self.hangs:  # What waits for it could not be let go of either.
            return False
        for number, work in list(self._works.items()):
            if work.always and not work.is_done:
                self._perform(number)
        have_ended = not any(thread.is_alive() for thread in threads)
        if have_ended:
            self._works.clear()
        return have_ended

    @property
    def hangs(self) -> bool:
        """Whether work that only reads goes on after `close`."""
        threads = (*self._workers, *self._lasting)
        return self._closed and any(one.daemon and one.is_alive() for one in threads)

    def _begin(
        self, work: _Work, *, lasting: bool = False, reads: bool = False
    ) -> None:
        number = next(self._numbers)
        self._works[number] = work
        if lasting:
            thread = threading.Thread(
                target=self._perform,
                args=(number,),
                name="bayscope-lasting",
                daemon=reads,
            )
            self._lasting = [one for one in self._lasting if one.is_alive()]
            self._lasting.append(thread)
            thread.start()
        else:
            self._waiting.put(number)
            self._hire()
            self._look.start()

    @Slot()
    def _hire(self) -> None:
        """Let so many workers be there as do not hang."""
        late = time.monotonic() - _LATE_S
        prompt = [since for since in list(self._workers.values()) if since > late]
        if len(prompt) < _SHORT_WORKERS and len(self._workers) < _MOST_WORKERS:
            worker = threading.Thread(
                target=self._serve, name="bayscope-work", daemon=True
            )
            self._workers[worker] = math.inf
            worker.start()
        if self._waiting.empty():
            self._look.stop()

    def _serve(self) -> None:
        """Do what waits; one that was late is replaced, and ends."""
        me = threading.current_thread()
        while (number := self._waiting.get()) is not None:
            began = self._workers[me] = time.monotonic()
            self._perform(number)
            if time.monotonic() - began > _LATE_S:
                break
            self._workers[me] = math.inf
        del self._workers[me]

    def _perform(self, number: int) -> None:
        """Do it, and send over that it is done; runs in the worker's thread."""
        work = self._works[number]
        try:
            work.value = work.do()
        except BaseException as error:  # noqa: BLE001 - handed on, as an executor does
            work.error = error
        work.is_done = True
        is_late = self._closed
        if is_late and work.error is None:
            work.drop(work.value)
        del work
        if not is_late:
            self._answered.emit(number)

    @Slot(int)
    def _deliver(self, number: int) -> None:
        work = self._works.pop(number)
        callback, value = work.success, work.value
        if work.error is not None:
            callback, value = work.failure, work.error
        owner = getattr(getattr(callback, "func", callback), "__self__", None)
        gone = isinstance(owner, QObject) and not shiboken6.isValid(owner)
        if not (self._closed or gone):
            callback(value)
        elif work.error is None:
            work.drop(value)


def nothing(_: object) -> None:
    """Take the answer of work whose result does not matter."""


_EVERY_MS = 1000


def collect_here(parent: QObject) -> None:
    """Collect garbage in this thread, now and then, and in no other any more.

    Python collects in whichever thread makes one object too many. Where a dialog that
    hangs in a reference cycle is found by a thread that reads a meter, shiboken
    destroys it there, beneath the hands of Qt's event loop, which crashes sooner or
    later: only objects of Qt's own classes are passed on to the GUI thread, not those
    of ours that derive from them.

    Args:
        parent: Garbage is collected for as long as this one lives.
    """
    gc.disable()
    timer = QTimer(parent)
    timer.timeout.connect(collect_if_due)
    timer.start(_EVERY_MS)


def collect_if_due() -> None:
    """Collect as Python would: the oldest generation that is over its threshold."""
    counted = list(zip(gc.get_count(), gc.get_threshold(), strict=True))
    for generation, (count, threshold) in reversed(list(enumerate(counted))):
        if count > threshold:
            gc.collect(generation)
            break
