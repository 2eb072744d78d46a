"""What a user does with a campaign as a whole: new, open, take a template."""

import contextlib
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.operations.editing.check import Checked, check_campaign
from app.operations.editing.drafts import Draft
from app.operations.editing.open import SUFFIX
from app.operations.editing.templates import Template, own_folder
from app.plan.blocks import split
from app.ui.campaign.file import CampaignFile
from app.ui.kit.context import Context
from app.ui.kit.document import DocumentSaving, RecentFiles
from app.ui.kit.document_bar import Tool
from app.ui.kit.messages import tell
from app.ui.kit.settings import Settings
from instruments.errors import Aborted, BadInput
from instruments.files.foreign_text import read_text

_FILTERS = (
    "Campaigns and fio jobs (*.toml *.fio *.job *.ini *.sh *.bat *.cmd *.txt);;"
    "All files (*)"
)

CAMPAIGN_TOOLS = {
    "new": Tool("", "file-plus", "Start an empty campaign", "Ctrl+N", name="New"),
    "open": Tool(
        "",
        "folder-open",
        "Open a campaign.toml, or make a campaign from fio jobs",
        "Ctrl+O",
        name="Open",
    ),
    "save": Tool("Save", "save", "Save this campaign", "Ctrl+S", name="Save"),
    "save_as": Tool(
        "Save as", "save", "Save it under another name", "Ctrl+Shift+S", name="Save as"
    ),
    "fio": Tool(
        "fio",
        "import",
        "Paste or open fio jobs, or save the steps as fio jobs",
        "Ctrl+J",
        name="fio jobs",
    ),
}
"""The tools for the campaign as a whole."""


class CampaignFileActions(QObject):
    """Asks the user, and changes which campaign is in hand.

    Attributes:
        file: The campaign in hand.
        saving: What saves it.
        recent: The files that were opened or saved last.

    Signals:
        listed: The list of the last campaigns, or the user's folder, is another one.
        jobs_found: A file (Path) is not a campaign, and may have fio jobs.
    """

    listed = Signal()
    jobs_found = Signal(object)

    def __init__(
        self,
        file: CampaignFile,
        context: Context,
        settings: Settings,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self.file = file
        self._context = context
        self.recent = RecentFiles(settings, "recent_campaigns")
        self._window = window
        self.saving = DocumentSaving(file, "campaign", own_folder, context, window)
        self.saving.saved.connect(self._tell_saved)

    def remember(self, path: Path) -> None:
        """Put a file in front of the last ones."""
        self.recent.put(path)
        self.listed.emit()

    @Slot()
    def new(self) -> None:
        """Start an empty campaign."""
        self._leave(self.file.begin)

    def take(self, template: Template) -> None:
        """Take a template, a file of the user's or one of the last ones."""

        def put() -> None:
            path, campaign = template.path, template.campaign
            text, shipped = template.text, path is None
            checked = (
                Checked(text, campaign, writes=campaign.writes) if campaign else None
            )
            self.file.take(text, path, shipped=shipped, checked=checked)

        self._leave(put)

    def restore(self, draft: Draft) -> None:
        """Take what was left behind by a program that ended."""
        self._leave(
            lambda: self.file.begin(
                draft.text, Path(draft.file) if draft.file else None
            )
        )

    def _leave(self, go: Callable[[], object]) -> None:
        if self.saving.may_leave():
            go()

    @Slot()
    def choose(self) -> None:
        """Ask for a campaign.toml."""
        path = self.saving.choose("Open a campaign, or fio jobs", _FILTERS)
        if path and (path.suffix.lower() != SUFFIX or self.saving.may_leave()):
            self.open(path)

    def open(self, path: Path) -> None:
        """Read a file; one with mistakes is opened, so that they can be mended."""
        if path.suffix.lower() == SUFFIX:
            self._context.background.run(lambda: (path, _read(path)), self._opened)
        else:
            self.jobs_found.emit(path)

    def _opened(self, found: tuple[Path, Checked]) -> None:
        path, checked = found
        self.file.take(checked.text, path, checked=checked)
        tell(self._window, f"Opened {path}.")
        self.remember(path)

    @Slot(object)
    def _tell_saved(self, path: Path) -> None:
        self.remember(path)
        wrong = " It still has a mistake." if self.file.look().mistakes else ""
        tell(self._window, f"Saved as {path}.{wrong}")

    def is_as_shown(self) -> bool:
        """Tell whether the campaign can be started; ask where its file is another one.

        A run takes the file, where the window has no changes to it: what another
        program wrote there is shown before it is run.
        """
        path = self.file.path
        try:
            if self.file.has_changes or not self.saving.is_changed_elsewhere():
                return True
        except Aborted:
            return False
        question = "Read it again to see what would be run?"
        if path and self.saving.ask_of_change(question, yes="Read it again"):
            self.open(path)
        return False


def _read(path: Path) -> Checked:
    """Read a file in a worker, and split it: the window asks for its blocks at once."""
    text = read_text(path)
    with contextlib.suppress(BadInput):
        split(text)
    return check_campaign(text)
