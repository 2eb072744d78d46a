"""The key that ends a run at once, also while a dialog has the keyboard."""

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QWindow

from app.ui.run.control import RunControl


class PanicKey(QObject):
    """Hears Shift+Escape in whichever window of the program has the keyboard.

    A shortcut would be dead under a modal dialog, and a filter on the application
    would see every event there is.
    """

    def __init__(self, run: RunControl, parent: QObject) -> None:
        super().__init__(parent)
        self._run = run
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            app.focusWindowChanged.connect(self._listen)
        self._listen(QGuiApplication.focusWindow())

    @Slot(QWindow)
    def _listen(self, window: QWindow | None) -> None:
        if window is not None:
            window.installEventFilter(self)  # once, however often it is asked

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """End the run where it is the key; everything else goes its way."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            wanted = (
                event.key() == Qt.Key.Key_Escape
                and event.modifiers() == Qt.KeyboardModifier.ShiftModifier
            )
            if wanted and self._run.is_running:
                self._run.stop()
                return True
        return super().eventFilter(watched, event)
