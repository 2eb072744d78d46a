"""What a user does with a campaign as a whole: new, open, save, take a template."""

import contextlib
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.operations.editing.drafts import Draft
from app.operations.editing.open import SUFFIX
from app.operations.editing.templates import Template, own_folder
from app.ui.campaign.file import CampaignFile
from app.ui.kit.context import Context
from app.ui.kit.messages import ask, ask_to_save, tell
from app.ui.kit.recent_files import RecentFiles
from app.ui.kit.save_place import ask_where, file_name
from app.ui.kit.settings import Settings
from instruments.errors import BadInput
from instruments.files.foreign_text import read_text

_FILTER = "Campaigns (*.toml)"


class CampaignFileActions(QObject):
    """Asks the user, and changes which campaign is in hand.

    Args:
        file: The campaign in hand.
        context: What the parts of the window share.
        settings: Where the last campaigns are kept.
        window: What dialogs belong to.

    Attributes:
        file: The campaign in hand.
        recent: The files that were opened or saved last.

    Signals:
        listed: The list of the last campaigns, or the user's folder, is another one.
        jobs_found: A file (Path) is no campaign, and may have fio jobs.
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

    def remember(self, path: Path) -> None:
        """Put a file in front of the last ones."""
        self.recent.put(path)
        self.listed.emit()

    @Slot()
    def new(self) -> None:
        """Begin an empty campaign."""
        self._leave(self.file.begin)

    def take(self, template: Template) -> None:
        """Take a template, a file of the user's or one of the last ones."""

        def put() -> None:
            shipped = template.path is None
            self.file.take(template.text, template.path, shipped=shipped)

        self._leave(put)

    def restore(self, draft: Draft) -> None:
        """Take what was left behind by a program that ended."""
        self._leave(
            lambda: self.file.begin(
                draft.text, Path(draft.file) if draft.file else None
            )
        )

    def _leave(self, go: Callable[[], object]) -> None:
        if self.may_leave():
            go()

    @Slot()
    def choose(self) -> None:
        """Ask for a campaign.toml."""
        name, _ = QFileDialog.getOpenFileName(
            self._window,
            "Open a campaign, or fio jobs",
            str(self._folder()),
            f"{_FILTER};;fio jobs, scripts and command lines (*)",
        )
        if name and (not name.lower().endswith(SUFFIX) or self.may_leave()):
            self.open(Path(name))

    def open(self, path: Path) -> None:
        """Read a file; one with mistakes is opened, so that they can be mended."""
        if path.suffix.lower() == SUFFIX:
            self._context.background.run(lambda: (path, read_text(path)), self._opened)
        else:
            self.jobs_found.emit(path)

    def _opened(self, found: tuple[Path, str]) -> None:
        path, text = found
        self.file.take(text, path)
        self.remember(path)

    @Slot()
    def save(self) -> bool:
        """Write it where it lies, or ask where; tell whether it was written."""
        path = self.file.path
        return self.save_as() if path is None else self._save(path)

    @Slot()
    def save_as(self) -> bool:
        """Ask where to write it; tell whether it was written."""
        name = file_name(self.file.name, "mine")
        path = self.file.path or self._folder() / name
        path.parent.mkdir(parents=True, exist_ok=True)
        wanted = ask_where(self._window, "Save the campaign", path, _FILTER)
        return wanted is not None and self._save(wanted)

    def _save(self, path: Path) -> bool:
        if not self._may_overwrite(path):
            return False
        try:
            self.file.save(path)
        except BadInput as error:
            self._context.background.failed.emit(error)
            return False
        self.remember(path)
        wrong = " It has a mistake still." if self.file.look().mistakes else ""
        tell(self._window, f"Saved as {path}.{wrong}")
        return True

    def is_as_shown(self) -> bool:
        """Tell whether the campaign can be started; ask where its file is another one.

        A run takes the file, where the window has no changes to it: what another
        program wrote there is shown before it is run.
        """
        path = self.file.path
        if path is None or self.file.has_changes or not self._is_other(path):
            return True
        if ask(
            self._context.icons,
            "Changed elsewhere",
            f"Another program has changed {path.name} since it was opened here. "
            "Read it again to see what would be run?",
            yes="Read it again",
            no="Cancel",
            parent=self._window,
        ):
            self.open(path)
        return False

    def _is_other(self, path: Path) -> bool:
        """Tell whether a file is not what was read or written here last."""
        if not path.is_file():
            return False
        with contextlib.suppress(BadInput):
            return read_text(path) != self.file.saved
        return True

    def _may_overwrite(self, path: Path) -> bool:
        """Ask where another program has changed the file meanwhile."""
        if path != self.file.path or not self._is_other(path):
            return True  # the file dialog has asked
        return ask(
            self._context.icons,
            "Changed elsewhere",
            f"Another program has changed {path.name} since it was opened here.",
            yes="Overwrite it",
            no="Cancel",
            parent=self._window,
        )

    def may_leave(self) -> bool:
        """Ask what becomes of changes; tell whether the campaign may be let go."""
        if not self.file.has_changes:
            return True
        wanted = ask_to_save(
            self._context.icons, self.file.name, self._window, kind="campaign"
        )
        return self.save() if wanted is None else wanted

    def _folder(self) -> Path:
        path = self.file.path
        return own_folder() if path is None else path.parent
