"""The one way to do something slow: in a thread, with the answer in the GUI thread."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal, Slot

_T = TypeVar("_T")
_SHORT_WORKERS = 3


class Background(QObject):
    """Runs work off the GUI thread and hands back success or failure in it.

    Short work (a trace, a table) shares a few workers; lasting work (a campaign)
    has a thread of its own. `do` never touches a widget. An answer for a widget
    that is gone by then, or that comes after `close`, is dropped; what holds a
    file says how it is closed then.

    Signals:
        failed: An exception that no `failure` callback took.
    """

    failed = Signal(object)
    _answered = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(_SHORT_WORKERS, "bayscope-work")
        self._lasting: list[threading.Thread] = []
        self._closed = False
        # Queued always: work that is done at once must not call back from `run`.
        self._answered.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        do: Callable[[], _T],
        success: Callable[[_T], object],
        failure: Callable[[Exception], object] | None = None,
        *,
        drop: Callable[[_T], object] | None = None,
        lasting: bool = False,
    ) -> None:
        """Do something elsewhere, then call back here.

        Args:
            do: The work; runs in another thread.
            success: Takes its result, in the GUI thread.
            failure: Takes its exception instead; by default `failed` is emitted.
            drop: Takes a result that nobody wants any more, in any thread.
            lasting: Whether it takes longer than a few seconds.
        """
        if self._closed:
            return
        if lasting:
            future: Future[_T] = Future()
            thread = threading.Thread(
                target=_fulfil, args=(future, do), name="bayscope-lasting"
            )
            self._lasting = [one for one in self._lasting if one.is_alive()]
            self._lasting.append(thread)
            thread.start()
        else:
            future = self._pool.submit(do)
        future.add_done_callback(
            lambda done: self._post(done, success, failure, drop or nothing)
        )

    def release(self, close: Callable[[], object]) -> None:
        """Let go of something that may be in use elsewhere; never left undone."""
        if self._closed:
            close()
            return
        future = self._pool.submit(close)
        future.add_done_callback(
            lambda done: (
                close()
                if done.cancelled()
                else self._post(done, nothing, None, nothing)
            )
        )

    def close(self, seconds: float = 10.0) -> bool:
        """Drop what has not begun and join every thread.

        Args:
            seconds: How long to wait for lasting work.

        Returns:
            Whether every thread has ended.
        """
        self._closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)
        for thread in self._lasting:
            thread.join(seconds)
        # Answers on their way: nobody takes them now, so they are dropped here.
        QCoreApplication.sendPostedEvents(self, QEvent.Type.MetaCall.value)
        return not any(thread.is_alive() for thread in self._lasting)

    def _post(
        self,
        done: Future[Any],
        success: Callable[[Any], object],
        failure: Callable[[Exception], object] | None,
        drop: Callable[[Any], object],
    ) -> None:
        """Send the answer over; runs in the worker's thread."""
        if done.cancelled():
            return
        error = done.exception()
        if error is not None:
            if not self._closed:
                self._answered.emit((failure or self.failed.emit, error, nothing))
        elif self._closed:
            drop(done.result())
        else:
            self._answered.emit((success, done.result(), drop))

    @Slot(object)
    def _deliver(
        self,
        answer: tuple[Callable[[Any], object], Any, Callable[[Any], object]],
    ) -> None:
        callback, value, drop = answer
        owner = getattr(getattr(callback, "func", callback), "__self__", None)
        gone = isinstance(owner, QObject) and not shiboken6.isValid(owner)
        if self._closed or gone:
            drop(value)
        else:
            callback(value)


def nothing(_: object) -> None:
    """Take the answer of work whose result does not matter."""


def _fulfil(future: Future[_T], do: Callable[[], _T]) -> None:
    try:
        result = do()
    except BaseException as error:  # noqa: BLE001 - handed on, as an executor does
        future.set_exception(error)
    else:
        future.set_result(result)
