"""The title row of a plot: what it shows and the value of each curve."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from app.ui.kit.theme import tabular
from instruments.errors import one_line

_DASHES = {
    Qt.PenStyle.DashLine: (3.0, 1.5),
    Qt.PenStyle.DotLine: (1.0, 1.0),
    Qt.PenStyle.DashDotLine: (3.0, 1.0, 1.0, 1.0),
    Qt.PenStyle.DashDotDotLine: (3.0, 1.0, 1.0, 1.0, 1.0, 1.0),
}
"""Strokes and pauses of a sample, in widths of its pen."""

_SAMPLE_HEIGHT = 11
_SPACING = 5


class Swatch(QWidget):
    """A small sample of a curve: its colour, and its style where it has one."""

    def __init__(self, colour: QColor, style: Qt.PenStyle) -> None:
        super().__init__()
        self._colour = colour
        self._style = style
        self.setFixedSize(QSize(_sample_width(style), _SAMPLE_HEIGHT))

    def set_colour(self, colour: QColor) -> None:
        """Take another colour."""
        self._colour = colour
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Paint it."""
        _paint_sample(QPainter(self), self._colour, self._style)


class LegendEntry(QWidget):
    """One curve: sample, label, value at the cursor.

    It paints all of it: a legend of many curves is made of as many widgets, not of
    four times as many with a layout each.

    Args:
        label: What the curve is called.
        colour: Its colour.
        style: Its line style.
        width: Most characters that its value takes.

    Signals:
        clicked: The user clicked on it.
    """

    clicked = Signal()

    def __init__(
        self, label: str, colour: QColor, style: Qt.PenStyle, width: int = 6
    ) -> None:
        super().__init__()
        self._label = one_line(label)
        self._value = ""
        self._is_listed, self._is_off = True, False
        self._colour, self._style = colour, style
        self._figures = tabular()
        self._least = QFontMetrics(self._figures).horizontalAdvance("0" * width)
        self._before = _sample_width(style) + 2 * _SPACING
        self._before += self.fontMetrics().horizontalAdvance(self._label)
        self._room = self._width = self._before + self._least
        self.setFont(QApplication.font())
        self.setAccessibleName(label)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    @property
    def label(self) -> str:
        """What the curve is called."""
        return self._label

    @property
    def value(self) -> str:
        """What stands beside the label."""
        return self._value

    @property
    def room(self) -> int:
        """How wide it is with its value, in pixels."""
        return self._room

    @property
    def label_room(self) -> int:
        """How wide it is without its value."""
        return self._before

    def set_width(self, width: int) -> None:
        """Take this many pixels; where they are too few the value goes first."""
        if width != self._width:
            self._width = width
            self.updateGeometry()

    @property
    def is_listed(self) -> bool:
        """Whether its curve has anything to show."""
        return self._is_listed

    def set_listed(self, *, listed: bool) -> None:
        """Be in the legend or not, as its curve has something to show."""
        if listed != self._is_listed:
            self._is_listed = listed
            self.setVisible(listed)
            self.updateGeometry()

    def set_off(self, *, off: bool) -> None:
        """Look as a curve that the user has hidden, or as any other."""
        self._is_off = off
        self.setToolTip(f"{self._label}: a click {'shows' if off else 'hides'} it")
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Tell of a click."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()

    @property
    def sample(self) -> QPixmap:
        """A picture of its curve's sample."""
        return Swatch(self._colour, self._style).grab()

    def set_value(self, text: str) -> None:
        """Show a value, or nothing."""
        if text == self._value:
            return
        self._value = text
        self.setAccessibleName(f"{self._label} {text}".strip())
        long = QFontMetrics(self._figures).horizontalAdvance(text)
        room = self._before + max(long, self._least)
        if room != self._room:
            self._room = room
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as its text, and a line high."""
        return QSize(self._width, self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        """The legend deals out the room."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Paint the sample, and the words beside it."""
        painter = QPainter(self)
        painter.translate(0, (self.height() - _SAMPLE_HEIGHT) // 2)
        if not self._is_off:
            _paint_sample(painter, self._colour, self._style)
        painter.resetTransform()
        off = QPalette.ColorGroup.Disabled
        group = off if self._is_off else QPalette.ColorGroup.Active
        painter.setPen(self.palette().color(group, QPalette.ColorRole.WindowText))
        middle = Qt.AlignmentFlag.AlignVCenter
        box = self.rect()
        box.setLeft(_sample_width(self._style) + _SPACING)
        right = Qt.TextElideMode.ElideRight
        label = self.fontMetrics().elidedText(self._label, right, box.width())
        painter.drawText(box, middle, label)
        if self._width >= self._room:
            painter.setFont(self._figures)
            box.setLeft(self._before)
            painter.drawText(box, middle, "hidden" if self._is_off else self._value)


def _sample_width(style: Qt.PenStyle) -> int:
    return 11 if style == Qt.PenStyle.SolidLine else 24


def _paint_sample(painter: QPainter, colour: QColor, style: Qt.PenStyle) -> None:
    """Paint a square for a solid line and a dashed stroke for others."""
    if style == Qt.PenStyle.SolidLine:
        painter.fillRect(QRectF(0.5, 0.5, 10, 10), colour)
        return
    pen = QPen(colour, 2)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setDashPattern(_DASHES[style])
    painter.setPen(pen)
    painter.drawLine(0, 6, 24, 6)
