"""Where the focus goes that is given to a part of the window as a whole."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QWidget


class _Lead(QObject):
    def __init__(self, part: QWidget, first: QWidget) -> None:
        super().__init__(part)
        self._first = first
        part.installEventFilter(self)

    def eventFilter(self, _part: QObject, event: QEvent) -> bool:
        """Pass the focus on."""
        if isinstance(event, QFocusEvent) and event.gotFocus():
            self._first.setFocus(event.reason())
        return False


def lead_focus(part: QWidget, first: QWidget) -> None:
    """Let the focus that is given to a part go to a widget in it.

    With a focus proxy Qt 6.11 takes what is in the part out of the ring that Tab goes
    round in: it never left the part again, or never came to it.
    """
    _Lead(part, first)
