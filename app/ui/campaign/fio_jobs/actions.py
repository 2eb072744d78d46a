"""fio jobs of the Campaigns page: pasted or opened, and saved."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.operations.editing.fio_jobs import FioExport, export_fio
from app.operations.editing.open import with_findings
from app.operations.editing.templates import own_folder
from app.plan.campaign import Campaign
from app.plan.fio.targets import is_disk
from app.ui.campaign.edits import CampaignEdits
from app.ui.campaign.file_actions import CampaignFileActions
from app.ui.campaign.fio_jobs.dialog import PASTED, FioJobsDialog, ask_for_jobs
from app.ui.campaign.steps import StepsTable
from app.ui.kit.background import Background
from app.ui.kit.context import Context
from app.ui.kit.messages import make_message
from instruments.errors import BadInput
from instruments.sizes import counted

_WIDTH = 560
_VARIABLES = (
    "One job file for each fio step and each point of its sweep. Target and size left "
    "empty are the variables ${TARGET} and ${SIZE}, without which fio refuses a file."
)
_WRITES = (
    "A job file asks nobody before it writes: with a target in it, fio overwrites that "
    "as soon as it is started."
)


class FioExportDialog(QDialog):
    """Writes the files itself; it stays open where that fails.

    Args:
        campaign: The campaign.
        folder: Where the files go at first.
        background: Where they are written.
        parent: The window that waits.

    Attributes:
        written: What was written, once the dialog was accepted.
    """

    def __init__(
        self,
        campaign: Campaign,
        folder: Path,
        background: Background,
        *,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Save as fio jobs")
        self._campaign = campaign
        self._background = background
        self.written: FioExport | None = None
        self.folder = QLineEdit(str(folder))
        self.folder.setAccessibleName("Folder of the job files")
        self.target = QLineEdit()
        self.target.setAccessibleName("Target in the job files")
        self.target.setPlaceholderText("${TARGET}")
        self.target.setToolTip("A file or a disk, as fio's filename has it")
        self.amount = QLineEdit()
        self.amount.setAccessibleName("Size in the job files")
        self.amount.setPlaceholderText("${SIZE}")
        self.amount.setToolTip("How much of it is used, such as 64g; of a disk all")
        self.warning = _note(_WRITES, "mistake")
        self.trouble = _note("", "mistake")
        self.buttons = QDialogButtonBox()
        roles = QDialogButtonBox.ButtonRole
        self.go = self.buttons.addButton("Save", roles.AcceptRole)
        self.go.setDefault(True)
        self.go.setToolTip("Write the job files (Enter)")
        self.buttons.addButton("Cancel", roles.RejectRole).setAutoDefault(False)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.folder.textChanged.connect(self._check)
        self.target.textChanged.connect(self._check)
        self._lay_out()
        self.setMinimumWidth(_WIDTH)
        self._check()

    def _lay_out(self) -> None:
        choose = QPushButton("...", autoDefault=False)
        choose.setToolTip("Choose folder...")
        choose.setFixedWidth(40)
        choose.setAccessibleName("Choose folder")
        choose.clicked.connect(self._choose)
        place = QHBoxLayout()
        place.addWidget(self.folder, 1)
        place.addWidget(choose)
        form = QFormLayout()
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(7)
        folder = QLabel("&Folder")
        folder.setBuddy(self.folder)
        form.addRow(folder, place)
        form.addRow("&Target", self.target)
        form.addRow("Si&ze", self.amount)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(12)
        layout.addWidget(_note(_VARIABLES, "muted"))
        layout.addLayout(form)
        layout.addWidget(self.warning)
        layout.addWidget(self.trouble)
        layout.addWidget(self.buttons)

    @Slot()
    def _check(self) -> None:
        target = self.target.text().strip()
        named = bool(target)
        self.amount.setPlaceholderText("all of it" if is_disk(target) else "${SIZE}")
        self.warning.setVisible(named and self._campaign.writes)
        self.trouble.hide()
        self.go.setEnabled(bool(self.folder.text().strip()))

    @Slot()
    def _choose(self) -> None:
        name = QFileDialog.getExistingDirectory(
            self, "Folder of the job files", self.folder.text()
        )
        if name:
            self.folder.setText(name)

    def accept(self) -> None:
        """Write the files; the dialog stays until they are there."""
        campaign, target = self._campaign, self.target.text().strip()
        folder = Path(self.folder.text().strip()).expanduser()
        size = self.amount.text().strip()
        self.go.setEnabled(False)
        self._background.run(
            lambda: export_fio(campaign, folder, target, size), self._end, self._fail
        )

    def _end(self, written: FioExport) -> None:
        self.written = written
        super().accept()

    def _fail(self, error: Exception) -> None:
        self.go.setEnabled(True)
        self.trouble.setText(str(error))
        self.trouble.show()


def written_text(written: FioExport) -> str:
    """Tell what was written, and what of the campaign is in none of the files."""
    files = counted(len(written.files), "job file")
    told = f"{files} in {written.files[0].parent}"
    if written.left_out:
        told += "\n\nNot in them:\n" + "\n".join(written.left_out)
    return told


def _note(text: str, look: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName(look)
    label.setWordWrap(True)
    return label


class FioActions(QObject):
    """Asks the user, and changes the campaign in hand.

    Args:
        files: What is done with the campaign as a whole.
        edits: What changes its steps.
        table: Where steps are chosen.
        context: What the parts of the window share.
        page: What dialogs belong to.

    Attributes:
        menu: What can be done, for a button.

    Signals:
        refused: Nothing was written because of this Mistake.
    """

    refused = Signal(object)

    def __init__(
        self,
        files: CampaignFileActions,
        edits: CampaignEdits,
        table: StepsTable,
        context: Context,
        page: QWidget,
    ) -> None:
        super().__init__(page)
        self._files = files
        self._file = files.file
        self._edits = edits
        self._table = table
        self._context = context
        self._page = page
        self.menu = QMenu(page)
        self.menu.setAccessibleName("fio jobs")
        self.menu.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        tip = "Make steps of command lines, scripts and job files"
        self._add("&Paste or open fio jobs...", tip, "Ctrl+Shift+V", self.ask)
        tip = "Write a job file of each fio step, for the plain fio"
        self._add("&Save as fio jobs...", tip, "Ctrl+Shift+E", self.save)

    def _add(self, text: str, tip: str, keys: str, act: Callable[[], None]) -> None:
        action = QAction(text, self.menu)
        action.setToolTip(tip)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(act)
        self.menu.addAction(action)

    @Slot()
    def ask(self) -> None:
        """Ask for a text with fio jobs."""
        self._ask(lambda _: None)

    @Slot(str)
    def ask_about(self, text: str, name: str = PASTED) -> None:
        """Show a text with fio jobs, and ask what becomes of it."""
        self._ask(lambda dialog: dialog.show_text(text, name))

    @Slot(object)
    def open_file(self, path: Path) -> None:
        """Show a file with fio jobs, and ask what becomes of it."""
        self._ask(lambda dialog: dialog.open_file(path))

    def _ask(self, fill: Callable[[FioJobsDialog], None]) -> None:
        dialog = FioJobsDialog(self._context, parent=self._page.window())
        dialog.parts.add_button.setVisible(self._file.trouble is None)
        fill(dialog)
        taken = ask_for_jobs(dialog)
        if taken is None:
            return
        if not taken.is_new:
            self._edits.paste(taken.found.campaign_text, self._table.rows())
        elif self._files.saving.may_leave():
            self._file.begin(with_findings(taken.found, taken.name))

    @Slot()
    def save(self) -> None:
        """Ask where the fio steps are to be written as job files."""
        looked = self._file.look()
        campaign = looked.campaign
        if campaign is None:
            mistake = looked.mistakes[0]
            self.refused.emit(mistake)
            self._context.background.failed.emit(
                BadInput(
                    "it has a mistake, so no job file is made of it",
                    where=self._file.name,
                    way_out=mistake.words,
                )
            )
            return
        path = self._file.path
        folder = (own_folder() if path is None else path.parent) / "fio-jobs"
        dialog = FioExportDialog(
            campaign, folder, self._context.background, parent=self._page.window()
        )
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        try:
            done = dialog.written if dialog.exec() else None
        finally:
            dialog.deleteLater()
        if done is not None:
            icons = self._context.icons
            box = make_message(icons, written_text(done), self._page.window())
            box.setIconPixmap(icons.get("circle-check", "ok").pixmap(32, 32))
            box.open()
