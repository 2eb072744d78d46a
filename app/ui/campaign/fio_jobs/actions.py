"""fio jobs of the Campaigns page: pasted or opened, and saved."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from app.operations.editing.open import with_findings
from app.operations.editing.templates import own_folder
from app.ui.campaign.fio_jobs.dialog import (
    PASTED,
    FioJobsDialog,
    JobsTaken,
    ask_for_jobs,
)
from app.ui.campaign.fio_jobs.export_dialog import FioExportDialog, written_text
from app.ui.kit.background import Background
from app.ui.kit.icons import Icons
from app.ui.kit.messages import make_message
from app.ui.kit.theme import Theme
from instruments.errors import BadInput

if TYPE_CHECKING:
    from app.ui.campaign.view import CampaignView


class FioActions(QObject):
    """Asks the user, and changes the campaign in hand.

    Args:
        view: The page.
        theme: The look.
        icons: Icons of the theme.
        background: Where texts are read and files written.

    Attributes:
        menu: What can be done, for a button.
    """

    def __init__(
        self, view: "CampaignView", theme: Theme, icons: Icons, background: Background
    ) -> None:
        super().__init__(view)
        self._view = view
        self._theme = theme
        self._icons = icons
        self._background = background
        self.menu = QMenu(view)
        self.menu.setAccessibleName("fio jobs")
        self.menu.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        for text, tip, keys, act in (
            (
                "&Paste or open fio jobs...",
                "Make steps of command lines, scripts and job files",
                "Ctrl+Shift+V",
                self.ask,
            ),
            (
                "&Save as fio jobs...",
                "Write a job file of each fio step, for the plain fio",
                "Ctrl+Shift+E",
                self.save,
            ),
        ):
            action = QAction(text, self.menu)
            action.setToolTip(tip)
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(act)
            self.menu.addAction(action)
            view.addAction(action)

    @Slot()
    def ask(self) -> None:
        """Ask for a text with fio jobs."""
        self._show(self._dialog())

    @Slot(str)
    def ask_about(self, text: str, name: str = PASTED) -> None:
        """Show a text with fio jobs, and ask what becomes of it."""
        dialog = self._dialog()
        dialog.show_text(text, name)
        self._show(dialog)

    @Slot(object)
    def open_file(self, path: Path) -> None:
        """Show a file with fio jobs, and ask what becomes of it."""
        dialog = self._dialog()
        dialog.open_file(path)
        self._show(dialog)

    def _dialog(self) -> FioJobsDialog:
        dialog = FioJobsDialog(
            self._theme, self._icons, self._background, parent=self._view.window()
        )
        dialog.parts.add_button.setVisible(self._view.file.trouble is None)
        return dialog

    def _show(self, dialog: FioJobsDialog) -> None:
        taken = ask_for_jobs(dialog)
        if taken is None:
            return
        if taken.is_new:
            self._begin(taken)
        else:
            view = self._view
            view.edits.paste(taken.found.campaign_text, view.table.rows())

    def _begin(self, taken: JobsTaken) -> None:
        if self._view.files.may_leave():
            self._view.file.begin(with_findings(taken.found, taken.name))

    @Slot()
    def save(self) -> None:
        """Ask where the fio steps are to be written as job files."""
        view = self._view
        campaign = view.campaign
        if campaign is None:
            mistake = view.file.look().mistakes[0]
            view.show_mistake(mistake)
            self._background.failed.emit(
                BadInput(
                    "it has a mistake, so no job file is made of it",
                    where=view.file.name,
                    way_out=mistake.words,
                )
            )
            return
        path = view.file.path
        folder = (own_folder() if path is None else path.parent) / "fio-jobs"
        dialog = FioExportDialog(
            campaign, folder, self._background, parent=view.window()
        )
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        try:
            done = dialog.written if dialog.exec() else None
        finally:
            dialog.deleteLater()
        if done is not None:
            box = make_message(self._icons, written_text(done), view.window())
            box.setIconPixmap(self._icons.get("circle-check", "ok").pixmap(32, 32))
            box.open()
