"""The curves of a plot as one picture, drawn a few milliseconds at a time."""

from collections import deque
from collections.abc import Callable, Sequence
from time import perf_counter

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QImage, QPaintEngine, QPainter, QTransform

from app.ui.chart.plot_backdrop import PlotBackdrop
from app.ui.chart.strokes import Frame

Draw = Callable[[QPainter, Frame], None]

_SLICE_S = 0.008
"""Longest time in one go; a stroke that has begun is drawn to its end."""


class PlotPicture(PlotBackdrop):
    """Draws strokes into a picture and shows that.

    Seventy curves of a thousand points take a quarter of a second: as items of
    their own they would hold up the event loop whenever anything in the plot is
    painted. Here they are drawn once for each change. What takes longer than a
    slice is continued when the event loop comes round again; until it is done
    the picture before is shown, moved and stretched to where its values are now.

    Args:
        shown: Called when it is on the screen.
    """

    def __init__(self, shown: Callable[[], object] = lambda: None) -> None:
        super().__init__(self._show)
        self._shown = shown
        self._is_new = False
        self._strokes: Callable[[], Sequence[Draw]] = list
        self._picture = QImage()
        self._place = QRectF()
        self._is_stale = True
        self._next = QImage()
        self._frame = Frame(QRectF(), 1.0, 1.0)
        self._due: deque[Draw] = deque()
        self._timer = QTimer()
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._go_on)
        self.setZValue(-10)

    def set_strokes(self, strokes: Callable[[], Sequence[Draw]]) -> None:
        """Say what gives the strokes, from the lowest to the topmost."""
        self._strokes = strokes
        self.redraw()

    def redraw(self) -> None:
        """Draw again: something looks different."""
        self._is_stale = True
        self.update()

    @property
    def is_busy(self) -> bool:
        """Whether what is shown is not yet what was asked for."""
        return self._is_stale or self._is_new or bool(self._due)

    def stop(self) -> None:
        """Draw no more; called before the plot is taken apart."""
        self._timer.stop()
        self._due.clear()
        self._strokes = list

    def _show(self, painter: QPainter, values: QRectF, to_pixels: QTransform) -> None:
        """Show the picture; begin another one where it does not fit any more."""
        box = to_pixels.mapRect(values)
        if painter.paintEngine().type() == QPaintEngine.Type.SVG:
            self._draw_all(painter, values, box)
            return
        ratio = painter.device().devicePixelRatioF()
        size = QSize(round(box.width() * ratio), round(box.height() * ratio))
        fits = self._place == values and self._picture.size() == size
        if (self._is_stale or not fits) and not self._due and not size.isEmpty():
            self._begin(values, size, ratio)
        if self._picture.isNull():
            return
        painter.drawImage(to_pixels.mapRect(self._place), self._picture)
        if self._is_new:
            self._is_new = False
            self._shown()

    def _draw_all(self, painter: QPainter, values: QRectF, box: QRectF) -> None:
        """Draw all strokes at once, as lines: it is a file that is painted."""
        frame = Frame(values, box.width(), box.height())
        painter.save()
        painter.setClipRect(box)
        painter.translate(box.topLeft())
        for stroke in self._strokes():
            stroke(painter, frame)
        painter.restore()

    def _begin(self, values: QRectF, size: QSize, ratio: float) -> None:
        self._is_stale = False
        self._next = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
        self._next.fill(Qt.GlobalColor.transparent)
        self._next.setDevicePixelRatio(ratio)
        self._frame = Frame(values, size.width() / ratio, size.height() / ratio)
        self._due = deque(self._strokes())
        self._draw()

    @Slot()
    def _go_on(self) -> None:
        self._draw()
        if not self._due:
            self.update()

    def _draw(self) -> None:
        """Draw for as long as a slice lasts; the rest comes later."""
        painter = QPainter(self._next)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        until = perf_counter() + _SLICE_S
        try:
            while self._due:
                self._due.popleft()(painter, self._frame)
                if perf_counter() > until:
                    break
        finally:
            painter.end()
        if self._due:
            self._timer.start()
        else:
            self._picture, self._place = self._next, self._frame.values
            self._is_new = True
