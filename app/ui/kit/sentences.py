"""Sentences below what they are about: they may be many, and are copied."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from instruments.errors import printable


class Sentences(QPlainTextEdit):
    """Shows one sentence a line; never higher than what it has to say.

    Args:
        name: What a screen reader calls it.
        tip: What they are.
        few: So many lines are shown without asking; the others scroll.
    """

    def __init__(self, name: str, tip: str, *, few: int = 6) -> None:
        super().__init__()
        self._few = few
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setObjectName("notes")
        self.setTabChangesFocus(True)
        self.setAccessibleName(name)
        self.setToolTip(f"{tip}; copy with Ctrl+C")
        self.document().setDocumentMargin(8)
        self.hide()

    def tell(self, sentences: Sequence[str]) -> None:
        """Show these; hide where there is none."""
        self.setPlainText("\n".join(map(printable, sentences)))
        self.setVisible(bool(sentences))
        self._fit()

    def sizeHint(self) -> QSize:
        """Room for a few lines."""
        return QSize(super().sizeHint().width(), self._height(self._few))

    def minimumSizeHint(self) -> QSize:
        """Room for a line."""
        return QSize(super().minimumSizeHint().width(), self._height(1))

    def _height(self, lines: int) -> int:
        room = 2 * self.document().documentMargin() + 2
        return int(lines * self.fontMetrics().lineSpacing() + room)

    @property
    def full_height(self) -> int:
        """Pixels that show all of them."""
        # A plain document counts its height in lines, as they are broken now.
        return self._height(int(self.document().size().height()))

    def _fit(self) -> None:
        self.setMaximumHeight(self.full_height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Count the lines again, which are broken at another width."""
        super().resizeEvent(event)
        self._fit()
