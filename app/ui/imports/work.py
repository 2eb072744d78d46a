"""One import that goes on: told of, cancelled, and answered in the GUI thread."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.operations.sessions.import_files import ImportResult, import_files
from app.record.imports.answers import Answers
from app.ui.kit.background import Background
from instruments.errors import Aborted


@dataclass(frozen=True, slots=True)
class ImportWish:
    """What is to be imported.

    Attributes:
        paths: The files.
        out: Folder of the session.
        answers: What was said of their clocks.
        name: Name of the session, "" for that of the first file.
        dut: The device under test.
        keep_rest: Whether damaged and foreign files are left out.
    """

    paths: Sequence[Path]
    out: Path
    answers: Answers
    name: str = ""
    dut: str = ""
    keep_rest: bool = False


class ImportWork(QObject):
    """Imports once; it can be cancelled until the session is being written.

    Signals:
        said: What is being done.
        done: It has ended with this ImportResult.
        failed: It has not, with this exception; Aborted when it was cancelled.
    """

    said = Signal(str)
    done = Signal(object)
    failed = Signal(object)

    def __init__(self, background: Background, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._cancel = threading.Event()

    def start(self, wish: ImportWish) -> None:
        """Begin."""
        cancel, said = self._cancel, self.said.emit

        def tell(text: str) -> None:
            if cancel.is_set():
                raise Aborted("the import was cancelled")
            said(text)

        def do() -> ImportResult:
            return import_files(
                wish.paths,
                wish.out,
                wish.answers,
                name=wish.name,
                dut=wish.dut,
                keep_rest=wish.keep_rest,
                progress=tell,
            )

        self._background.run(do, self.done.emit, self.failed.emit, lasting=True)

    def cancel(self) -> None:
        """Ask it to end at the next file."""
        self._cancel.set()
