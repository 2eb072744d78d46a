"""The folder of sessions that a page offers, listed off the GUI thread."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.record.store import SessionSummary, sessions
from app.ui.kit.background import Background


class SessionFolder(QObject):
    """Lists a folder; a list that comes after the folder was left is dropped.

    Args:
        background: Where folders are read.
        path: The folder to begin with.
        parent: What it belongs to.

    Signals:
        listed: What is in it (list of SessionSummary).
    """

    listed = Signal(object)

    def __init__(self, background: Background, path: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._path = path

    @property
    def path(self) -> Path:
        """Where sessions are looked for."""
        return self._path

    def choose(self, path: Path) -> None:
        """Look for sessions elsewhere, from the next time on."""
        self._path = path

    @Slot()
    def refresh(self) -> None:
        """List the folder again."""
        path = self._path
        self._background.run(lambda: (path, sessions(path)), self._take)

    @Slot(object)
    def _take(self, answer: tuple[Path, list[SessionSummary]]) -> None:
        path, found = answer
        if path == self._path:
            self.listed.emit(found)
