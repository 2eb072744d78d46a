"""The title row of a plot: what it shows and the value of each curve."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.ui.theme import tabular

_DASHES = {Qt.PenStyle.DashLine: (3.0, 1.5), Qt.PenStyle.DotLine: (1.0, 1.0)}
"""Strokes and pauses of a sample, in widths of its pen."""


class Swatch(QWidget):
    """A small sample of a curve: its colour, and its style where it has one."""

    def __init__(self, colour: QColor, style: Qt.PenStyle) -> None:
        super().__init__()
        self._colour = colour
        self._style = style
        solid = style == Qt.PenStyle.SolidLine
        self.setFixedSize(QSize(11 if solid else 24, 11))

    def set_colour(self, colour: QColor) -> None:
        """Take another colour."""
        self._colour = colour
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Paint a square for a solid line and a dashed stroke for others."""
        painter = QPainter(self)
        if self._style == Qt.PenStyle.SolidLine:
            painter.fillRect(QRectF(0.5, 0.5, 10, 10), self._colour)
        else:
            pen = QPen(self._colour, 2)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            pen.setDashPattern(_DASHES[self._style])
            painter.setPen(pen)
            painter.drawLine(0, 6, 24, 6)


class LegendEntry(QWidget):
    """One curve: sample, label, value at the cursor.

    Args:
        label: What the curve is called.
        colour: Its colour.
        style: Its line style.
        width: Most characters that its value takes.
    """

    def __init__(
        self, label: str, colour: QColor, style: Qt.PenStyle, width: int = 6
    ) -> None:
        super().__init__()
        self._label = label
        self._is_listed = True
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(5)
        self._swatch = Swatch(colour, style)
        layout.addWidget(self._swatch)
        layout.addWidget(QLabel(label))
        self._value = QLabel("")
        self._value.setFont(tabular())
        self._value.setMinimumWidth(
            self._value.fontMetrics().horizontalAdvance("0" * width)
        )
        layout.addWidget(self._value)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    @property
    def label(self) -> str:
        """What the curve is called."""
        return self._label

    @property
    def value(self) -> str:
        """What stands beside the label."""
        return self._value.text()

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

    @property
    def sample(self) -> QPixmap:
        """A picture of its curve's sample."""
        return self._swatch.grab()

    def set_value(self, text: str) -> None:
        """Show a value, or nothing."""
        self._value.setText(text)
        self.setAccessibleName(f"{self._label} {text}".strip())
