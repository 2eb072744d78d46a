"""Results made elsewhere: what they are, what has to be said of them, the import."""

import zoneinfo
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from app.operations.sessions.import_files import ImportResult
from app.record.imports.plan import ImportPlan, inspect
from app.ui.imports.answers import AnswersForm
from app.ui.imports.drop import dropped_files
from app.ui.imports.list import ImportList
from app.ui.imports.names import ImportNames
from app.ui.imports.rows import has_clock, missing
from app.ui.imports.work import ImportWish, ImportWork
from app.ui.kit.background import Background
from app.ui.kit.icons import Icons
from app.ui.kit.question import Question
from app.ui.kit.theme import Theme
from instruments.errors import Aborted

_SIZE = (1060, 620)


class ImportDialog(QDialog):
    """Shows what was recognised; Import waits until nothing is left to be said.

    Args:
        paths: Files to begin with.
        folder: Where the session goes.
        theme: The look.
        icons: Icons of the theme.
        background: Where files are read.
        parent: The window that waits.

    Attributes:
        files: The files.
        answers: The fields for what files do not say.
        names: What the session is called.
        reason: What is missing, or what is being done.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        folder: Path,
        theme: Theme,
        icons: Icons,
        background: Background,
        *,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Import results")
        self.setAcceptDrops(True)
        self._folder = folder
        self._background = background
        self._plan: ImportPlan | None = None
        self._work: ImportWork | None = None
        self._session: Path | None = None
        self._looking = Question(background, self)
        self.files = ImportList(theme, icons)
        self.answers = AnswersForm()
        self.names = ImportNames()
        self.error = QLabel("")
        self.reason = QLabel("")
        self.buttons = QDialogButtonBox()
        self._build()
        self._looking.answered.connect(self._take)
        self._looking.failed.connect(self._fail)
        self.files.changed.connect(self._look)
        self.files.chosen.connect(self._show_choice)
        self.answers.changed.connect(self._look)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        background.run(zoneinfo.available_timezones, self.answers.set_zones)
        self.resize(*_SIZE)
        self.files.add(paths)

    def _build(self) -> None:
        self.error.setObjectName("mistake")
        self.error.hide()
        self.reason.setObjectName("muted")
        self.reason.setAccessibleName("What is missing")
        for label in (self.error, self.reason):
            label.setWordWrap(True)
        roles = QDialogButtonBox.ButtonRole
        self.go = self.buttons.addButton("Import", roles.AcceptRole)
        self.go.setDefault(True)
        self.go.setToolTip("Make one session of these files (Enter)")
        self.buttons.addButton("Cancel", roles.RejectRole).setAutoDefault(False)
        bottom = QHBoxLayout()
        bottom.setSpacing(14)
        bottom.addWidget(self.reason, 1)
        bottom.addWidget(self.buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(10)
        layout.addWidget(self.files, 1)
        layout.addWidget(self.answers)
        layout.addLayout(self.names)
        layout.addWidget(self.error)
        layout.addLayout(bottom)

    @property
    def session(self) -> Path | None:
        """The session that was made, once the dialog was accepted."""
        return self._session

    @Slot()
    def _look(self) -> None:
        """Look at the files with what was said so far, off the GUI thread."""
        paths = self.files.paths
        self.answers.forget_shifts(paths)
        answers = self.answers.answers
        if answers is not None:
            self._looking.ask((paths, repr(answers)), lambda: inspect(paths, answers))
        self._allow()

    @Slot(object)
    def _take(self, plan: ImportPlan) -> None:
        self._plan = plan
        self.files.show_files(plan.files)
        alone = not any(has_clock(one) for one in plan.files)
        self.answers.show_questions(plan.questions, alone=alone)
        self._complain(plan.error)
        self._allow()

    @Slot(object)
    def _fail(self, error: Exception) -> None:
        self._complain(str(error))

    def _complain(self, text: str) -> None:
        self.error.setText(text)
        self.error.setVisible(bool(text))

    @Slot()
    def _show_choice(self) -> None:
        choice = self.files.choice
        clocked = choice is not None and has_clock(choice)
        self.answers.choose_files(self.files.read_together, has_clock=clocked)

    @property
    def missing(self) -> str:
        """Why nothing can be imported as it stands, "" where it can."""
        if not self.files.paths:
            return "Add the files, or drop them here."
        if self.answers.answers is None:
            return "There is a mistake in what was said."
        if self._plan is None or self._looking.is_open:
            return "Looking at the files ..."
        return missing(self._plan, keep_rest=self.files.keep_rest.isChecked())

    @Slot()
    def _allow(self) -> None:
        if self._work is None:
            self.reason.setText(self.missing)
        self.go.setEnabled(not self.missing and self._work is None)

    def accept(self) -> None:
        """Import; the dialog stays until the session is there."""
        answers = self.answers.answers
        if self.missing or answers is None or self._work is not None:
            return
        self._complain("")
        work = self._work = ImportWork(self._background, self)
        work.said.connect(self._say)
        work.done.connect(self._end)
        work.failed.connect(self._break)
        self._allow()
        work.start(
            ImportWish(
                self.files.paths,
                self._folder,
                answers,
                self.names.name.text().strip(),
                self.names.dut.text().strip(),
                self.files.keep_rest.isChecked(),
            )
        )

    @Slot(str)
    def _say(self, text: str) -> None:
        self.reason.setText(f"{text[:1].upper()}{text[1:]} ...")

    @Slot(object)
    def _end(self, result: ImportResult) -> None:
        self._session = result.session
        super().accept()

    @Slot(object)
    def _break(self, error: Exception) -> None:
        self._work = None
        if isinstance(error, Aborted):
            super().reject()
            return
        self._complain(str(error))
        self._allow()

    def reject(self) -> None:
        """Close; an import that goes on is ended first."""
        if self._work is None:
            super().reject()
            return
        self._work.cancel()
        self.reason.setText("Stopping ...")

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Look at files that were dropped."""
        self.files.add(dropped_files(event.mimeData()))
        event.acceptProposedAction()


def ask_for_import(
    paths: Sequence[Path],
    folder: Path,
    theme: Theme,
    icons: Icons,
    background: Background,
    *,
    parent: QWidget,
) -> Path | None:
    """Show the dialog; give the session that was made, None without one."""
    dialog = ImportDialog(paths, folder, theme, icons, background, parent=parent)
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    try:
        return dialog.session if dialog.exec() else None
    finally:
        dialog.deleteLater()
