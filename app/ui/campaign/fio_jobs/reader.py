"""A text with fio jobs as it is being read: off the GUI thread, one text at a time."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.operations.editing.fio_jobs import FioImport, import_fio_text, read_job_text
from app.ui.kit.background import Background

_PAUSE_MS = 300
"""After the last change, before a text is read."""


@dataclass(frozen=True, slots=True)
class JobText:
    """A text with fio jobs.

    Attributes:
        text: What was pasted, or stands in a file.
        name: What the campaign will be called.
        folder: Where files are that it includes, None where none may be read.
    """

    text: str
    name: str
    folder: Path | None = None

    def read(self) -> FioImport:
        """Make a campaign of it; some odd texts take seconds.

        Raises:
            BadInput: There is no fio job in it of which a step can be made.
        """
        return import_fio_text(self.text, self.name, self._include())

    def _include(self) -> "_Include | None":
        return None if self.folder is None else _Include(self.folder)


@dataclass(frozen=True, slots=True)
class _Include:
    folder: Path

    def __call__(self, name: str) -> str:
        return read_job_text(self.folder / name)


class JobReader(QObject):
    """Reads the text that was wanted last.

    A text that takes long cannot be ended, only be given up: the next one is read when
    it is through, so that never more than one is.

    Signals:
        read: What came of the text (FioImport).
        failed: Its exception instead.
        busy: Whether a text that is wanted is still being read (bool).
    """

    read = Signal(object)
    failed = Signal(object)
    busy = Signal(bool)

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._wanted: JobText | None = None
        self._reading: JobText | None = None
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_PAUSE_MS)
        self._later.timeout.connect(self._begin)

    @property
    def is_busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._wanted is not None

    def ask(self, text: JobText) -> None:
        """Want a text to be read, in a moment; one before is given up."""
        self._wanted = text
        self._later.start()
        self.busy.emit(True)

    @Slot()
    def give_up(self) -> None:
        """Want nothing any more."""
        self._wanted = None
        self._later.stop()
        self.busy.emit(False)

    @Slot()
    def _begin(self) -> None:
        if self._wanted is None or self._reading is not None:
            return
        self._reading = self._wanted
        self._background.run(self._reading.read, self._take, self._fail, lasting=True)

    def _take(self, found: FioImport) -> None:
        if self._is_answer():
            self.read.emit(found)

    def _fail(self, error: Exception) -> None:
        if self._is_answer():
            self.failed.emit(error)

    def _is_answer(self) -> bool:
        """Tell whether what was read is what is wanted; else read that."""
        done, self._reading = self._reading, None
        if done is not self._wanted:
            self._begin()
            return False
        self._wanted = None
        self.busy.emit(False)
        return True
