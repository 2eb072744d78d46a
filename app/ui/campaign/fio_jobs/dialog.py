"""fio jobs that are pasted or opened: what was found in them, the steps they make."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFileDialog, QWidget

from app.operations.editing.fio_jobs import (
    FioImport,
    NothingToImportError,
    import_fio_text,
    read_job_text,
)
from app.ui.campaign.fio_jobs.layout import FioJobsLayout
from app.ui.campaign.fio_jobs.rows import count_text, in_order
from app.ui.kit.context import Context
from app.ui.kit.question import Question
from instruments.sizes import counted
from workloads.fio.paste.finding import Finding

PASTED = "Pasted fio jobs"
_SIZE = (1180, 660)
_FILTER = "fio jobs, scripts (*.fio *.job *.ini *.sh *.bat *.cmd *.txt);;All files (*)"
_NO_STEP = "No step can be made from the text; the findings say why."
_STOPPED = "The text was not read to the end. Change it to have it read again."
_DECIDE = "change the text above until it says what you want, or the steps afterwards."


class JobsTaken(NamedTuple):
    """An import, its name, and whether a new campaign is begun with its steps."""

    found: FioImport
    name: str
    is_new: bool


class FioJobsDialog(QDialog):
    """Reads the text whenever it changes; a step is made only by its last buttons.

    Attributes:
        parts: Its text, tables and buttons.
        reader: What reads the text.
        found: What the text comes to; None where nothing can be made of it.
        taken: What the user chose, once the dialog was accepted.
    """

    def __init__(self, context: Context, *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Paste or open fio jobs")
        self._name = PASTED
        self._folder: Path | None = None
        self.found: FioImport | None = None
        self.taken: JobsTaken | None = None
        self.reader = Question(context.background, self, one_at_a_time=True)
        self._background = context.background
        self.parts = FioJobsLayout(self, context)
        self._connect()
        self.resize(*_SIZE)
        self._show(None, ())
        self.parts.text.setFocus()

    def _connect(self) -> None:
        parts = self.parts
        parts.text.textChanged.connect(self._read)
        parts.open_button.clicked.connect(self._choose)
        parts.paste_button.clicked.connect(self._paste)
        parts.clear_button.clicked.connect(lambda: self.show_text(""))
        parts.busy.stopped.connect(self._stop)
        parts.findings.selectionModel().selectionChanged.connect(self._show_place)
        parts.new_button.clicked.connect(lambda: self._end(is_new=True))
        parts.add_button.clicked.connect(lambda: self._end(is_new=False))
        parts.buttons.rejected.connect(self.reject)
        self.reader.answered.connect(lambda found: self._show(found, found.findings))
        self.reader.failed.connect(self._fail)

    def show_text(
        self, text: str, name: str = PASTED, folder: Path | None = None
    ) -> None:
        """Read another text.

        Args:
            text: The text.
            name: What the campaign will be called.
            folder: Where files are that it includes, None where none may be read.
        """
        self._name, self._folder = name, folder
        self.parts.source.setText("" if folder is None else str(folder / name))
        self.parts.text.setPlainText(text)
        self.parts.text.setFocus()

    def open_file(self, path: Path) -> None:
        """Show the text of a file and read it."""
        self._background.run(
            lambda: read_job_text(path),
            lambda text: self.show_text(text, path.name, path.parent),
            self._fail,
        )

    @Slot()
    def _choose(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, "Open fio jobs", str(self._folder or ""), _FILTER
        )
        if name:
            self.open_file(Path(name))

    @Slot()
    def _paste(self) -> None:
        self.show_text(QGuiApplication.clipboard().text())

    @Slot()
    def _read(self) -> None:
        """Read what stands there now, in a moment."""
        self.found = None
        self.parts.text.mark_lines(())
        text, name, folder = self.parts.text.toPlainText(), self._name, self._folder
        include = None if folder is None else lambda one: read_job_text(folder / one)
        if text.strip():
            self.reader.forget()
            self.reader.ask(text, lambda: import_fio_text(text, name, include))
            self.parts.busy.begin()
            self._allow()
        else:
            self.reader.forget()
            self._show(None, ())

    @Slot(object)
    def _fail(self, error: Exception) -> None:
        findings = error.findings if isinstance(error, NothingToImportError) else ()
        is_explained = any(one.decide for one in findings)
        self._show(None, findings, _NO_STEP if is_explained else str(error))

    def _show(
        self, found: FioImport | None, findings: Sequence[Finding], trouble: str = ""
    ) -> None:
        parts = self.parts
        self.found = found
        parts.findings_model.set_records(in_order(findings))
        parts.findings.clearSelection()
        parts.findings.scrollToTop()
        parts.steps_model.set_records(found.campaign.steps if found else ())
        parts.targets_model.set_records(found.targets if found else ())
        parts.show_heads(count_text(findings), trouble)
        self._allow()

    def _allow(self) -> None:
        """Say what can be done now."""
        found, parts = self.found, self.parts
        for button in (parts.add_button, parts.new_button):
            button.setEnabled(found is not None)
        if not self.reader.is_open:
            number = len(found.decisions) if found else 0
            things = counted(number, "thing")
            parts.busy.end(f"{things} to decide: {_DECIDE}" if number else "")

    @Slot()
    def _stop(self) -> None:
        self.reader.forget()
        self._show(None, (), _STOPPED)

    @Slot()
    def _show_place(self) -> None:
        choice = self.parts.findings_model.at(self.parts.findings.chosen_row())
        self.parts.text.show_lines(choice.lines if choice else ())

    def _end(self, *, is_new: bool) -> None:
        if self.found is not None:
            self.taken = JobsTaken(self.found, self._name, is_new)
            self.accept()

    def done(self, result: int) -> None:
        """Close; a text that is still being read is given up."""
        self.reader.forget()
        super().done(result)
