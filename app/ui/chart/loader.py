"""Reads for a chart: at most one request at a time, never one per sample."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot

from app.ui.chart.data import Answer, Request, read
from app.ui.kit.background import Background

_LEAST_REDRAW_MS = 60


class ChartLoader(QObject):
    """Asks the store for what a chart wants, off the GUI thread.

    Args:
        background: Where it is read.
        wanted: Says what is to be read now; None while nobody looks.
        parent: The chart.

    Signals:
        loaded: What was wanted has been read (Answer).
        failed: It could not be read, which the background has told.
    """

    loaded = Signal(object)
    failed = Signal()

    def __init__(
        self,
        background: Background,
        wanted: Callable[[], Request | None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._background = background
        self._wanted = wanted
        self._known: Request | None = None
        self._busy = self._dirty = False
        self._number = 0
        self._interval_ms = _LEAST_REDRAW_MS
        self._since = QElapsedTimer()
        self._since.start()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._load)

    def set_interval(self, milliseconds: int) -> None:
        """Choose how long to wait at least from one redraw to the next."""
        self._interval_ms = max(milliseconds, _LEAST_REDRAW_MS)

    def forget(self) -> None:
        """Read curves again, at once, whatever was read before or is being read."""
        self._known = None
        self._number += 1
        self._busy = False
        self._timer.stop()

    @Slot()
    def refresh(self) -> None:
        """Ask the store again soon; many calls become one request."""
        self._dirty = True
        if not self._busy and not self._timer.isActive():
            # From one reading to the next, however long the last one took.
            left = self._interval_ms - self._since.elapsed() if self._known else 0
            self._timer.start(max(left, 0))

    def stop(self) -> None:
        """Ask no more."""
        self._timer.stop()

    @Slot()
    def _load(self) -> None:
        request = self._wanted()
        if request is None:
            return
        self._busy, self._dirty = True, False
        self._since.start()
        # A replay moves only the limit: the curves are known already, and clipped.
        if self._known == replace(request, limit=None):
            request = replace(request, with_lines=False)
        self._background.run(
            lambda: read(request),
            partial(self._take, self._number, request),
            partial(self._give_up, self._number, request),
        )

    def _take(self, number: int, request: Request, answer: Answer) -> None:
        if number != self._number:
            return
        self._busy = False
        if request.with_lines:
            self._known = replace(request, limit=None)
        self.loaded.emit(answer)
        if self._dirty:
            self.refresh()

    def _give_up(self, number: int, request: Request, error: Exception) -> None:
        """Pass an error on, unless it is about a session that is shown no longer."""
        if number != self._number:
            return
        self._busy = False
        wanted = self._wanted()
        if wanted is not None and _sessions(wanted) == _sessions(request):
            self._background.failed.emit(error)
            self.failed.emit()
        else:
            self.refresh()


def _sessions(request: Request) -> set[int]:
    return {id(layer.session) for layer in request.layers}
