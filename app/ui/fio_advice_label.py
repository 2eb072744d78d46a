"""A line that says what fio would do, in the colour of how bad that is."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel

from app.ui.fio_advice import Advice
from app.ui.labels import tone


class AdviceLabel(QLabel):
    """Whole sentences below what they are about; hidden while there are none."""

    def __init__(self, name: str) -> None:
        super().__init__("")
        self.setWordWrap(True)
        self.setAccessibleName(f"What fio would do with {name}")
        self.hide()

    def advise(self, advice: Advice | None) -> None:
        """Say it; None takes it back."""
        if advice is not None:
            tone(self, "error" if advice.is_bad else "warn")
        self.setText("" if advice is None else advice.text)
        self.setVisible(advice is not None)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take the room that the text needs at this width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Ask for that room: a form layout asks for that of a wider field."""
        self.setMinimumHeight(self.heightForWidth(self.width()) if self.text() else 0)
