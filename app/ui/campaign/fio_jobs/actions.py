"""fio jobs of the Campaigns page: pasted or opened, and saved."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QLineEdit, QMenu, QWidget

from app.operations.editing.fio_jobs import FioExport, export_fio
from app.operations.editing.open import with_findings
from app.operations.editing.templates import own_folder
from app.plan.campaign import Campaign
from app.plan.fio.targets import is_disk
from app.ui.campaign.edits import CampaignEdits
from app.ui.campaign.file_actions import CampaignFileActions
from app.ui.campaign.fio_jobs.dialog import PASTED, FioJobsDialog
from app.ui.campaign.steps import StepsTable
from app.ui.kit.background import Background
from app.ui.kit.context import Context
from app.ui.kit.dialogs import shown
from app.ui.kit.messages import make_message
from app.ui.kit.sentences import SentenceLabel
from app.ui.kit.widgets import (
    DIALOG_MARGINS,
    DialogButtons,
    FolderField,
    column,
    make_form,
    make_note,
    named,
)
from instruments.errors import BadInput
from instruments.sizes import counted

_WIDTH = 560
_VARIABLES = (
    "One job file for each fio step and each point of its sweep. If target or size is "
    "empty, the file has the variables ${TARGET} and ${SIZE}, to be set for fio."
)
_WRITES = (
    "A job file does not ask before it writes: fio overwrites the target in it "
    "as soon as it is started."
)


class FioExportDialog(QDialog):
    """Writes the files itself; it stays open where that fails.

    Args:
        campaign: The campaign.
        folder: Where the files go at first.

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
        self.folder = FolderField(folder, "Folder of the job files")
        tip = "A file or disk, as in fio's option filename"
        self.target = named(QLineEdit(), "Target in the job files", tip)
        self.target.setPlaceholderText("${TARGET}")
        tip = "How much of it is used, such as 64g; empty: all of a disk"
        self.amount = named(QLineEdit(), "Size in the job files", tip)
        self.amount.setPlaceholderText("${SIZE}")
        self.warning = make_note(_WRITES, "mistake")
        self.trouble = SentenceLabel("mistake")
        self.buttons = DialogButtons(self, "Save")
        self.go = self.buttons.yes
        self.go.setToolTip("Write the job files (Enter)")
        self.folder.textChanged.connect(self._check)
        self.target.textChanged.connect(self._check)
        form = make_form(vertical=7)
        self.folder.add_to(form)
        form.addRow("&Target", self.target)
        form.addRow("Si&ze", self.amount)
        column(
            make_note(_VARIABLES),
            form,
            self.warning,
            self.trouble,
            self.buttons,
            of=self,
            margins=DIALOG_MARGINS,
            spacing=12,
        )
        self.setMinimumWidth(_WIDTH)
        self._check()

    @Slot()
    def _check(self) -> None:
        target = self.target.text().strip()
        named = bool(target)
        self.amount.setPlaceholderText("all of it" if is_disk(target) else "${SIZE}")
        self.warning.setVisible(named and self._campaign.writes)
        self.trouble.say("")
        self.go.setEnabled(bool(self.folder.text().strip()))

    def accept(self) -> None:
        """Write the files; the dialog stays until they are there."""
        campaign, target = self._campaign, self.target.text().strip()
        try:
            folder = self.folder.path
        except BadInput as error:
            self.trouble.say(str(error))
            return
        size = self.amount.text().strip()
        self.go.setEnabled(False)
        self._background.run(
            lambda: export_fio(campaign, folder, target, size),
            self._end,
            self._fail,
            lasting=True,
        )

    def _end(self, written: FioExport) -> None:
        self.written = written
        super().accept()

    def _fail(self, error: Exception) -> None:
        self.go.setEnabled(True)
        self.trouble.say(str(error))


def written_text(written: FioExport) -> str:
    """Tell what was written, and what of the campaign is in none of the files."""
    files = counted(len(written.files), "job file")
    text = f"{files} in {written.files[0].parent}"
    if written.left_out:
        text += "\n\nNot exported:\n" + "\n".join(written.left_out)
    return text


class FioActions(QObject):
    """Asks the user, and changes the campaign in hand.

    Args:
        files: What is done with the campaign as a whole.

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
        tip = "Make steps from command lines, scripts and job files"
        self._add("&Paste or open fio jobs...", tip, "Ctrl+Shift+V", self.ask)
        tip = "Write a job file for each fio step, for fio without Bayscope"
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
        dialog.add_button.setVisible(self._file.trouble is None)
        fill(dialog)
        with shown(dialog):
            taken = dialog.taken
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
                    "the campaign has a mistake, so no job file was written",
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
        with shown(dialog):
            done = dialog.written
        if done is not None:
            icons = self._context.icons
            box = make_message(icons, written_text(done), self._page.window())
            box.setIconPixmap(icons.get("circle-check", "ok").pixmap(32, 32))
            box.open()
