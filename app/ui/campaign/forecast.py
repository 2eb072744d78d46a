"""What the campaign in hand will take: time, bytes written, energy, cost."""

from collections.abc import Sequence

from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.operations.run.foresee import Forecast
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.theme import tabular

_NAMES = ("Duration", "Written", "Energy", "Cost")
_UNKNOWN = "\N{EN DASH}"


class ForecastStrip(QWidget):
    """Four figures in a row, each with what it rests on as its tool tip."""

    def __init__(self) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 7, 14, 8)
        row.setSpacing(18)
        self.values: dict[str, QLabel] = {}
        for name in _NAMES:
            title = QLabel(name)
            title.setObjectName("small")
            value = ElidedLabel(_UNKNOWN)
            value.setFont(tabular())
            value.setAccessibleName(f"Estimated {name.lower()}")
            column = QVBoxLayout()
            column.setSpacing(1)
            column.addWidget(title)
            column.addWidget(value)
            row.addLayout(column, 1)
            self.values[name] = value
        self.setAccessibleName("Estimate")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a line above, where a page ends that can be scrolled."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.Mid))
        painter.drawLine(0, 0, self.width(), 0)

    def show_forecasts(self, found: Sequence[Forecast]) -> None:
        """Show what was estimated."""
        for one in found:
            if one.name in self.values:
                self.values[one.name].setText(one.value)
                self.values[one.name].setToolTip(f"{one.value}\n{one.basis}")

    def forget(self) -> None:
        """Show that nothing can be estimated of a campaign with a mistake."""
        for value in self.values.values():
            value.setText(_UNKNOWN)
            value.setToolTip("Nothing can be estimated while there is a mistake")
