"""The one box that says what went wrong; several errors share it."""

import logging

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMessageBox, QWidget

from app.ui.kit.icons import Icons
from app.ui.kit.messages import in_window, make_message
from instruments.errors import BenchError

_log = logging.getLogger("bayscope")


class ErrorBox(QObject):
    """Opens a box over a window; while it is open others are added to it."""

    def __init__(self, icons: Icons, window: QWidget) -> None:
        super().__init__(window)
        self._icons = icons
        self._window = window
        self._dialog: QMessageBox | None = None

    @property
    def dialog(self) -> QMessageBox | None:
        """The box, while it is open."""
        return self._dialog

    @Slot(object)
    def show(self, error: Exception) -> None:
        """Show what went wrong: a sentence, or for our own mistakes its name."""
        text = in_window(error)
        if not isinstance(error, BenchError):
            _log.error("a mistake in Bayscope", exc_info=error)
            text = f"Bayscope made a mistake: {type(error).__name__}: {error}"
        if self._dialog is not None:
            self._dialog.setText(f"{self._dialog.text()}\n\n{text}")
        else:
            dialog = make_message(self._icons, text, self._window)
            dialog.finished.connect(self._forget)
            self._dialog = dialog
            dialog.open()

    @Slot()
    def _forget(self) -> None:
        self._dialog = None
