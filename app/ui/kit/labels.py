"""Labels that give way: a text that does not fit ends in dots."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOption

from instruments.errors import one_line


class ElidedLabel(QLabel):
    """One line that never asks for room.

    Args:
        text: What it says.
        mode: Where it is cut; in the middle what a name ends with is seen, too.
    """

    def __init__(
        self, text: str = "", mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight
    ) -> None:
        super().__init__(one_line(text))
        self._mode = mode
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def setText(self, text: str) -> None:
        """Say something else."""
        super().setText(one_line(text))

    def minimumSizeHint(self) -> QSize:
        """As narrow as need be."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Write as much as fits."""
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        self.style().drawPrimitive(
            QStyle.PrimitiveElement.PE_Widget, option, painter, self
        )
        room = self.contentsRect()
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), self.shown)

    @property
    def shown(self) -> str:
        """As much of the text as fits."""
        width = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), self._mode, width)


def make_chip(text: str, tip: str) -> QLabel:
    """Make a small framed label, such as "simulated"."""
    chip = QLabel(text)
    chip.setObjectName("chip")
    chip.setToolTip(tip)
    chip.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
    return chip


def tone(label: QLabel, token: str) -> None:
    """Write a label in a colour of the theme: ok, warn, error, accent or muted."""
    if label.property("tone") != token:
        label.setProperty("tone", token)
        label.style().unpolish(label)
        label.style().polish(label)
