"""Results made elsewhere: what they are, what has to be said of them, the import."""

import zoneinfo
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QLabel,
    QLineEdit,
    QWidget,
)

from app.operations.sessions.import_files import ImportResult
from app.record.imports.plan import FilePlan, ImportPlan, inspect
from app.ui.imports.answers import AnswersForm
from app.ui.imports.drop import dropped_files
from app.ui.imports.rows import import_columns, missing, same_recording
from app.ui.imports.work import ImportWish, ImportWork
from app.ui.kit.context import Context
from app.ui.kit.question import Question
from app.ui.kit.rows_model import RowsModel
from app.ui.kit.tables import WrappedTable
from app.ui.kit.widgets import (
    DIALOG_MARGINS,
    DialogButtons,
    column,
    make_button,
    make_note,
    row,
)
from instruments.errors import Aborted


class ImportNames(QFormLayout):
    """Two fields beside each other; both may be left empty.

    Attributes:
        name: Of the session.
        dut: The device under test.
    """

    def __init__(self) -> None:
        super().__init__()
        self.name = QLineEdit()
        self.name.setPlaceholderText("that of the first file")
        self.name.setAccessibleName("Name of the session")
        self.dut = QLineEdit()
        self.dut.setPlaceholderText("what was measured")
        self.dut.setAccessibleName("Device under test")
        device = QLabel("D&evice")
        device.setBuddy(self.dut)
        fields = row(self.name, device, self.dut, spacing=14)
        label = QLabel("&Session")
        label.setBuddy(self.name)
        self.setHorizontalSpacing(14)
        self.addRow(label, fields)


_CLOCK = 3
"""The column that takes the room that is left."""


class ImportList(QWidget):
    """A table of files with its buttons.

    Attributes:
        model: The files as they were recognised.
        table: The table.
        keep_rest: Whether what is damaged or foreign is left out.

    Signals:
        changed: Other files are wanted, or what is damaged is left out.
        chosen: Another file is chosen, or none.
    """

    changed = Signal()
    chosen = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._paths: list[Path] = []
        self.model = RowsModel[FilePlan](import_columns(), context, self)
        self.table = WrappedTable(self.model, "Files to import", stretch=_CLOCK)
        self.add_button = make_button(
            "&Add files...",
            "Results of fio, VDBench, IOzone, WARP, an HMC8015",
            icon=context.icons.get("file-plus"),
        )
        self.remove_button = make_button(
            "&Remove",
            "Take the chosen file off the list (Alt+R)",
            icon=context.icons.get("trash-2"),
        )
        self.remove_button.setEnabled(False)
        self.keep_rest = QCheckBox("&Skip damaged or unrecognised files")
        self.keep_rest.setToolTip("The session names the files that were skipped")
        for button in (self.add_button, self.remove_button):
            button.setAutoDefault(False)
        bar = row(self.add_button, self.remove_button, None, self.keep_rest)
        column(bar, self.table, of=self, grows=self.table, spacing=10)
        self.add_button.clicked.connect(self._ask)
        self.remove_button.clicked.connect(self.remove)
        self.keep_rest.toggled.connect(self.changed)
        self.table.selectionModel().selectionChanged.connect(self._choose)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that are wanted, recognised or not yet."""
        return tuple(self._paths)

    def add(self, paths: Sequence[Path]) -> None:
        """Want further files, each once."""
        self._paths += [path for path in paths if path not in self._paths]
        self.changed.emit()

    @Slot()
    def remove(self) -> None:
        """Take the chosen file off the list."""
        if (choice := self.choice) is not None:
            self._paths.remove(choice.path)
            self.changed.emit()

    @property
    def choice(self) -> FilePlan | None:
        """The chosen file."""
        chosen, records = self.table.chosen_row(), self.model.records
        return records[chosen] if 0 <= chosen < len(records) else None

    @property
    def read_together(self) -> list[Path]:
        """The chosen file, and those that are read as one recording with it."""
        choice = self.choice
        if choice is None or choice.error or not choice.kind:
            return []
        others = (record for record in self.model.records if record.path != choice.path)
        return [choice.path, *(o.path for o in others if same_recording(o, choice))]

    def show_files(self, files: Sequence[FilePlan]) -> None:
        """Show what was recognised; a file that was chosen stays so."""
        choice = self.choice
        self.model.set_records(files)
        places = [file.path for file in files]
        if choice is not None and choice.path in places:
            self.table.choose_row(places.index(choice.path))
        self._choose()

    @Slot()
    def _choose(self) -> None:
        self.remove_button.setEnabled(self.choice is not None)
        self.chosen.emit()

    @Slot()
    def _ask(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, "Results to import")
        self.add([Path(name) for name in names])


_SIZE = (1060, 620)


class ImportDialog(QDialog):
    """Shows what was recognised; Import waits until nothing is left to be said.

    Args:
        paths: Files to begin with.
        folder: Where the session goes.
        context: What the parts of the window share.
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
        context: Context,
        *,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Import results")
        self.setAcceptDrops(True)
        self._folder = folder
        self._background = context.background
        self._plan: ImportPlan | None = None
        self._work: ImportWork | None = None
        self._session: Path | None = None
        self._is_wanted = False  # Import was pressed while the files are looked at
        self._looking = Question(context.background, self)
        self.files = ImportList(context)
        self.answers = AnswersForm()
        self.names = ImportNames()
        self.error = make_note(look="mistake")
        self.reason = make_note(name="What is missing")
        self.buttons = DialogButtons(self, "Import")
        self._build()
        self._looking.answered.connect(self._take)
        self._looking.failed.connect(self._fail)
        self.files.changed.connect(self._look)
        self.files.chosen.connect(self._show_choice)
        self.answers.changed.connect(self._look)
        context.background.run(zoneinfo.available_timezones, self.answers.set_zones)
        self.resize(*_SIZE)
        self.files.add(paths)

    def _build(self) -> None:
        self.error.hide()
        self.buttons.yes.setToolTip("Make one session of these files (Enter)")
        bottom = row(self.reason, self.buttons, grows=self.reason, spacing=14)
        parts = (self.files, self.answers, self.names, self.error, bottom)
        margins = DIALOG_MARGINS
        column(*parts, of=self, grows=self.files, margins=margins, spacing=10)

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
        if answers is None or self._looking.ask(
            (paths, repr(answers)), lambda: inspect(paths, answers)
        ):
            self._is_wanted = False  # of what stood there before
        self._allow()

    @Slot(object)
    def _take(self, plan: ImportPlan) -> None:
        self._plan = plan
        self.files.show_files(plan.files)
        alone = not any(file.has_clock for file in plan.files)
        self.answers.show_questions(plan.questions, alone=alone)
        self._complain(plan.error)
        is_wanted, self._is_wanted = self._is_wanted, False
        self._allow()
        if is_wanted:
            self.accept()

    @Slot(object)
    def _fail(self, error: Exception) -> None:
        self._plan, self._is_wanted = None, False
        self._complain(str(error))
        self._allow()

    def _complain(self, text: str) -> None:
        self.error.setText(text)
        self.error.setVisible(bool(text))

    @Slot()
    def _show_choice(self) -> None:
        choice = self.files.choice
        clocked = choice is not None and choice.has_clock
        self.answers.choose_files(self.files.read_together, has_clock=clocked)

    @property
    def _is_looking(self) -> bool:
        """Whether nothing is known to be missing until files were looked at."""
        return (
            bool(self.files.paths)
            and self.answers.answers is not None
            and self._looking.is_open
        )

    @property
    def missing(self) -> str:
        """Why nothing can be imported as it stands, "" where it can."""
        if not self.files.paths:
            return "Add the files, or drop them here."
        if self.answers.answers is None:
            return "There is a mistake in one of the fields."
        if self._looking.is_open:
            begins = " Then they are imported." if self._is_wanted else ""
            return f"Looking at the files ...{begins}"
        if self._plan is None:
            return "The files could not be looked at."
        return missing(self._plan, keep_rest=self.files.keep_rest.isChecked())

    @Slot()
    def _allow(self) -> None:
        if self._work is None:
            self.reason.setText(self.missing)
        is_possible = self._is_looking or not self.missing
        self.buttons.yes.setEnabled(is_possible and self._work is None)

    def accept(self) -> None:
        """Import, once they are looked at; it stays until the session is there."""
        answers = self.answers.answers
        self._is_wanted = self._is_looking
        self._allow()
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
        self._is_wanted = False
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
    context: Context,
    *,
    parent: QWidget,
) -> Path | None:
    """Show the dialog; give the session that was made, None without one."""
    dialog = ImportDialog(paths, folder, context, parent=parent)
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    try:
        return dialog.session if dialog.exec() else None
    finally:
        dialog.deleteLater()
