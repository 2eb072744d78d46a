"""The line that says what is wrong with the campaign in hand, and leads there."""

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.operations.editing.check import Mistake


class MistakeLine(QWidget):
    """Says the first mistake; hidden while there is none.

    Signals:
        wanted: The user wants to see where this one (Mistake) is.
    """

    wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._first: Mistake | None = None
        self.text = QLabel("")
        self.text.setObjectName("mistake")
        self.text.setWordWrap(True)
        self.text.setAccessibleName("What is wrong with the campaign")
        self.show_button = QPushButton("Sho&w")
        self.show_button.setToolTip("Go where the mistake is (Alt+W)")
        self.show_button.setAutoDefault(False)
        self.show_button.clicked.connect(self._want)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 14, 0)
        row.setSpacing(10)
        row.addWidget(self.text, 1)
        row.addWidget(self.show_button)
        self.hide()

    def show_mistakes(self, mistakes: Sequence[Mistake]) -> None:
        """Say the first of these."""
        self._first = mistakes[0] if mistakes else None
        if self._first is not None:
            more = f" (and {len(mistakes) - 1} more)" if len(mistakes) > 1 else ""
            place = f"Line {self._first.line}: " if self._first.line else ""
            self.text.setText(f"{place}{self._first.words}{more}")
        self.setVisible(self._first is not None)

    @Slot()
    def _want(self) -> None:
        if self._first is not None:
            self.wanted.emit(self._first)
