"""Sentences below what they are about: they may be many, and are copied."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QWidget

from app.ui.kit.labels import WrappedLabel
from app.ui.kit.widgets import column
from instruments.errors import printable


class SentenceLabel(WrappedLabel):
    """Wrapped sentences below what they are about; hidden while there are none.

    A form layout asks a wrapped label for the height of a wider field, and then cuts
    it off; this one asks for the height of its own width.
    """

    def __init__(self, role: str = "") -> None:
        """Make it; `role` is its object name in the style sheet."""
        super().__init__()
        self.setObjectName(role)
        self.hide()

    def say(self, text: str) -> None:
        """Show a text; "" takes it back."""
        self.setText(text)
        self.setVisible(bool(text))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take the room that the text needs at this width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        # Qt counts the last minimum into the height of a label, which would ever grow.
        self.setMinimumHeight(0)
        if self.text():
            self.setMinimumHeight(self.heightForWidth(self.width()))


class ReservedLine(QWidget):
    """Room for a line below a field, kept while there is nothing to say.

    What is below it stays under the mouse when a mistake is said or taken back.

    Args:
        labels: What may be said there, one below the other.
        lines: For so many lines there is room.
    """

    def __init__(self, *labels: QLabel, lines: int = 1) -> None:
        super().__init__()
        self._lines = lines
        self.setObjectName("reserved")
        column(*labels, None, of=self, spacing=0)
        self._labels = labels

    def minimumSizeHint(self) -> QSize:
        """Its lines at least, or what the sentences have taken at their width."""
        first = self._labels[0]
        first.ensurePolished()
        said = [one.minimumHeight() for one in self._labels if not one.isHidden()]
        least = self._lines * first.fontMetrics().lineSpacing()
        return QSize(0, max(least, sum(said)))

    def sizeHint(self) -> QSize:
        """The same: a label that wraps would ask for lines of a width of its own."""
        return self.minimumSizeHint()

    def hasHeightForWidth(self) -> bool:
        """No: a form would lay all its rows otherwise once anything is said."""
        return False


class Sentences(QPlainTextEdit):
    """Shows one sentence a line; never higher than what it has to say.

    Args:
        name: What a screen reader calls it.
        tip: What they are.
        few: This many lines are shown without asking; the others scroll.
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
