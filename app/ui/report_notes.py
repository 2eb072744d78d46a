"""What is to be known of a report: sentences that may be many, and are copied."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit

_FEW = 6
"""So many lines are shown without asking; the others scroll."""


class ReportNotes(QPlainTextEdit):
    """Shows one sentence a line; never higher than what it has to say."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setObjectName("notes")
        self.setTabChangesFocus(True)
        self.setAccessibleName("Notes of the report")
        self.setToolTip("What is to be known of these figures; copy with Ctrl+C")
        self.document().setDocumentMargin(8)
        self.hide()

    def show_notes(self, notes: Sequence[str]) -> None:
        """Show these; hide where there is none."""
        self.setPlainText("\n".join(notes))
        self.setVisible(bool(notes))
        self._fit()

    def sizeHint(self) -> QSize:
        """Room for a few lines."""
        return QSize(super().sizeHint().width(), self._height(_FEW))

    def minimumSizeHint(self) -> QSize:
        """Room for a line."""
        return QSize(super().minimumSizeHint().width(), self._height(1))

    def _height(self, lines: int) -> int:
        room = 2 * self.document().documentMargin() + 2
        return int(lines * self.fontMetrics().lineSpacing() + room)

    def _fit(self) -> None:
        # A plain document counts its height in lines, as they are broken now.
        self.setMaximumHeight(self._height(int(self.document().size().height())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Count the lines again, which are broken at another width."""
        super().resizeEvent(event)
        self._fit()
