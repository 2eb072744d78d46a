"""Opening the session that is wanted last, off the GUI thread."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.ui.kit.background import Background
from app.ui.session.record import Record, open_record

_LATE_MS = 3_000
"""An opening that takes longer is told of: what is shown meanwhile is another one."""


class SessionOpener(QObject):
    """Opens one session at a time; one that is wanted no longer is closed again.

    Args:
        background: Where files are opened.
        parent: What it belongs to.

    Signals:
        opened: The session that was wanted (Record), which is the receiver's now.
        live: The one that was wanted (Path) is being recorded.
        failed: Why it cannot be opened (Exception).
        late: The one that is wanted (Path) is still being opened.
    """

    opened = Signal(object)
    live = Signal(object)
    failed = Signal(object)
    late = Signal(object)

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._wanted: Path | None = None
        self._even_live = False
        self._later = QTimer(self, singleShot=True, interval=_LATE_MS)
        self._later.timeout.connect(lambda: self.late.emit(self._wanted))

    @property
    def wanted(self) -> Path | None:
        """The session that was wanted last."""
        return self._wanted

    def forget(self) -> None:
        """Open nothing that is still being opened."""
        self._wanted = None
        self._later.stop()

    def open(self, path: Path, *, even_live: bool) -> None:
        """Open a session file.

        Args:
            path: The file.
            even_live: Whether one that is being recorded is wanted too.
        """
        self._wanted = path
        self._even_live = even_live
        self._later.start()
        self._background.run(
            lambda: open_record(path),
            self._take,
            partial(self._give_up, path),
            drop=Record.close,
        )

    @Slot(object)
    def _take(self, record: Record) -> None:
        is_stale = record.path != self._wanted
        is_live = record.session.state == "recording" and not self._even_live
        if is_stale or is_live:
            self._background.release(record.session.close)
        if is_stale:
            return
        self._later.stop()
        if is_live:
            self.live.emit(record.path)
        else:
            self.opened.emit(record)

    def _give_up(self, path: Path, error: Exception) -> None:
        if path == self._wanted:
            self._later.stop()
            self.failed.emit(error)
