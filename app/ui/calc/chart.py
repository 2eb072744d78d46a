"""The chart of a calculator: a few lines over one input, painted without a scene."""

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from app.calc.calculator import Chart, figure
from app.ui.kit.theme import Theme, tabular

_STYLES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine)
_LEFT, _TOP, _RIGHT, _BELOW = 66, 28, 18, 40
_ROOM = 1.06
"""How far above the highest point the axis goes."""
_PIXELS_A_TICK = (90, 32)
_SWATCH = 22


def ticks(low: float, high: float, count: int) -> list[float]:
    """Get some round numbers between two: 1, 2 or 5 times a power of ten."""
    wanted = (high - low) / max(count, 1)
    if wanted <= 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(wanted))
    step = next(one * power for one in (1, 2, 5, 10) if one * power >= wanted * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [n * step for n in range(first, math.floor(high / step + 1e-9) + 1)]


class CalculatorChart(QWidget):
    """Draws what an answer looks like; hidden where it has no chart."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._chart: Chart | None = None
        self.setAccessibleName("Chart of the result")
        self.setMinimumHeight(120)
        theme.changed.connect(self.update)
        self.hide()

    def sizeHint(self) -> QSize:
        """Room enough to read it."""
        return QSize(480, 260)

    @property
    def names(self) -> list[str]:
        """The names of the lines drawn."""
        return [] if self._chart is None else [c.name for c in self._chart.courses]

    def show_chart(self, chart: Chart | None) -> None:
        """Draw another one."""
        self._chart = chart
        if chart is not None:
            told = f"{chart.up} over {chart.across}: {', '.join(self.names)}"
            self.setAccessibleDescription(told)
        self.setVisible(chart is not None)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint axes, grid, lines and legend."""
        chart, tokens = self._chart, self._theme.tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.surface))
        if chart is None:
            return
        painter.setFont(tabular(8.5))
        box = QRectF(self.rect()).adjusted(_LEFT, _TOP, -_RIGHT, -_BELOW)
        scale = _Scale(chart, box)
        self._paint_axes(painter, chart, scale)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left = box.left()
        for number, course in enumerate(chart.courses):
            pen = QPen(tokens.trace(number), 1, _STYLES[number > 0])
            painter.setPen(pen)
            painter.drawPolyline(QPolygonF([scale.at(*one) for one in course.points]))
            painter.drawLine(QPointF(left, 14), QPointF(left + _SWATCH, 14))
            painter.setPen(QColor(tokens.text))
            painter.drawText(QPointF(left + _SWATCH + 6, 18), course.name)
            width = painter.fontMetrics().horizontalAdvance(course.name)
            left += _SWATCH + 6 + width + 18

    def _paint_axes(self, painter: QPainter, chart: Chart, scale: "_Scale") -> None:
        tokens, box = self._theme.tokens, scale.box
        grid, words = QColor(tokens.grid), QColor(tokens.muted)
        middle = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for value in scale.across_ticks:
            x = scale.at(value, 0).x()
            painter.setPen(grid)
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            painter.setPen(words)
            room = QRectF(x - 45, box.bottom() + 4, 90, 16)
            painter.drawText(room, int(middle), figure(value))
        for value in scale.up_ticks:
            y = scale.at(scale.first, value).y()
            painter.setPen(grid)
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setPen(words)
            room = QRectF(0, y - 8, box.left() - 6, 16)
            painter.drawText(room, int(right), figure(value))
        below = QRectF(box.left(), box.bottom() + 20, box.width(), 18)
        painter.drawText(below, int(middle), chart.across)
        painter.save()
        painter.translate(12, box.center().y())
        painter.rotate(-90)
        painter.drawText(QRectF(-box.height(), -8, 2 * box.height(), 16),
                         int(Qt.AlignmentFlag.AlignCenter), chart.up)  # fmt: skip
        painter.restore()
        painter.setPen(QColor(tokens.border))
        painter.drawRect(box)


class _Scale:
    """Where points of a chart are in a box of pixels."""

    def __init__(self, chart: Chart, box: QRectF) -> None:
        points = [point for course in chart.courses for point in course.points]
        self.box = box
        self._is_log = chart.is_log
        self.first, self._last = min(points)[0], max(points)[0]
        self._most = _ROOM * max(y for _, y in points) or 1.0
        room, high = (
            max(1, int(pixels / least))
            for pixels, least in zip(
                (box.width(), box.height()), _PIXELS_A_TICK, strict=True
            )
        )
        self.up_ticks: Sequence[float] = ticks(0.0, self._most, high)
        self.across_ticks: Sequence[float] = (
            self._doublings(room)
            if chart.is_log
            else ticks(self.first, self._last, room)
        )

    def _doublings(self, room: int) -> list[float]:
        """Get powers of two, as sizes are, so many that their labels have room."""
        low, high = math.log2(self.first), math.log2(self._last)
        every = max(1, math.ceil((high - low) / room))
        return [2.0**n for n in range(math.ceil(low), math.floor(high) + 1, every)]

    def at(self, x: float, y: float) -> QPointF:
        """Get where a point is."""
        first, last = self.first, self._last
        if self._is_log:
            x, first, last = math.log2(x), math.log2(first), math.log2(last)
        share = (x - first) / ((last - first) or 1.0)
        return QPointF(
            self.box.left() + share * self.box.width(),
            self.box.bottom() - y / self._most * self.box.height(),
        )
