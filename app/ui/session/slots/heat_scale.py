"""The colours of a slot map with the temperatures they mean."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.ui.kit.theme import Theme, tabular
from app.ui.session.slots.heat import heat


class HeatScale(QWidget):
    """The colours with the temperatures they mean."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._low, self._high = 20.0, 60.0
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Scale of the colours")
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """A bar with a number at each end."""
        return QSize(260, 22)

    def set_span(self, low: float, high: float) -> None:
        """Say which temperatures the ends mean, in degC."""
        self._low, self._high = low, high
        self.setToolTip("Colours mean the same temperature in the whole session")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Draw the bar."""
        painter = QPainter(self)
        bar = QRectF(54, 5, self.width() - 108, self.height() - 10)
        ramp = QLinearGradient(bar.topLeft(), bar.topRight())
        for step in range(9):
            ramp.setColorAt(step / 8, heat(step / 8))
        painter.fillRect(bar, ramp)
        painter.setPen(QColor(self._theme.tokens.muted))
        painter.setFont(tabular())
        middle = Qt.AlignmentFlag.AlignVCenter
        left, right = QRectF(self.rect()), QRectF(self.rect())
        left.setWidth(48)
        right.setLeft(self.width() - 48)
        flags = int(middle | Qt.AlignmentFlag.AlignRight)
        painter.drawText(left, flags, f"{self._low:.0f} °C")
        flags = int(middle | Qt.AlignmentFlag.AlignLeft)
        painter.drawText(right, flags, f"{self._high:.0f} °C")
