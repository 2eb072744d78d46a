"""A label of whole sentences that takes the room they need, and none without any."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel


class SentenceLabel(QLabel):
    """Wrapped sentences below what they are about; hidden while there are none.

    A form layout asks a wrapped label for the height of a wider field, and then cuts
    it off; this one asks for the height of its own width.
    """

    def __init__(self, role: str = "") -> None:
        """Make it; `role` is its object name in the style sheet."""
        super().__init__("")
        self.setObjectName(role)
        self.setWordWrap(True)
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
        self.setMinimumHeight(self.heightForWidth(self.width()) if self.text() else 0)
