"""Doing something in the start dialog as soon as it is open, on a slow machine too."""

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.ui.start_dialog import StartDialog

_PAUSE_MS = 50
_TRIES = 400


def when_asked(do: Callable[[StartDialog], object], tries: int = _TRIES) -> None:
    """Call with the start dialog once it is open; give up after some seconds."""

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, StartDialog):
            do(dialog)
        elif tries:
            when_asked(do, tries - 1)

    QTimer.singleShot(_PAUSE_MS, look)
