"""Limits in a plot: of steps over their measured windows, of interlocks over all."""

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen, QTransform

from app.ui.chart.limit_lines import LimitLine
from app.ui.chart.plot_backdrop import PlotBackdrop
from app.ui.kit.theme import tabular

_BESIDE, _ABOVE = 4.0, 3.0
"""Pixels between a line and what it says."""


class LimitMarks(PlotBackdrop):
    """Draws those in sight; each says once what it is."""

    def __init__(self) -> None:
        super().__init__(self._draw)
        self._lines: tuple[LimitLine, ...] = ()
        self._is_log = False
        self._pen = QPen()
        self.setZValue(-10)

    def set_lines(self, lines: Sequence[LimitLine]) -> None:
        """Show these and no others."""
        if tuple(lines) != self._lines:
            self._lines = tuple(lines)
            self.update()

    def set_log(self, *, log: bool) -> None:
        """Take decimal logarithms for the values, or the values themselves."""
        self._is_log = log
        self.update()

    def set_pen(self, pen: QPen) -> None:
        """Choose how they look."""
        self._pen = pen
        self.update()

    def _height(self, value: float) -> float:
        if not self._is_log:
            return value
        return math.log10(value) if value > 0 else -math.inf

    def _draw(self, painter: QPainter, values: QRectF, to_pixels: QTransform) -> None:
        painter.setPen(self._pen)
        painter.setFont(tabular(8.5))
        room = to_pixels.mapRect(values)
        told = set()
        for line in self._lines:
            left, right = max(line.start, values.left()), min(line.end, values.right())
            height = self._height(line.value)
            if right <= left or not values.top() <= height <= values.bottom():
                continue
            start = to_pixels.map(QPointF(left, height))
            painter.drawLine(start, to_pixels.map(QPointF(right, height)))
            if line.text not in told:
                told.add(line.text)
                beside = self._beside(start, line.text, room, painter)
                painter.drawText(beside, line.text)

    @staticmethod
    def _beside(start: QPointF, text: str, room: QRectF, painter: QPainter) -> QPointF:
        """Find where a text begins: above its line, or below where that is the top.

        Where the line begins late, or has only begun, it ends with the plot.
        """
        metrics = painter.fontMetrics()
        ascent = metrics.ascent()
        is_free = start.y() - _ABOVE - ascent >= room.top()
        last = room.right() - metrics.horizontalAdvance(text) - _BESIDE
        x = max(min(start.x() + _BESIDE, last), room.left() + _BESIDE)
        return QPointF(x, start.y() + (-_ABOVE if is_free else _ABOVE + ascent))
