"""Keeps the unsaved campaign every few seconds, off the GUI thread."""

import logging
import time

from PySide6.QtCore import QObject, QTimer, Slot

from app.operations.editing.drafts import Draft, DraftKeeper
from app.ui.campaign.file import CampaignFile
from app.ui.kit.background import Background, nothing

_EVERY_MS = 2000
_log = logging.getLogger("bayscope")


class Autosave(QObject):
    """Writes a draft a moment after each change, and drops it once that is saved.

    Args:
        file: The campaign in hand.
        background: Where drafts are written.
        keeper: What writes them.
    """

    def __init__(
        self, file: CampaignFile, background: Background, keeper: DraftKeeper
    ) -> None:
        super().__init__(file)
        self._file = file
        self._background = background
        self._keeper = keeper
        self._was_said = False
        self._forgotten = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self._keep)
        file.changed.connect(self._plan)
        file.replaced.connect(self._plan)

    @Slot()
    def _plan(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def _keep(self) -> None:
        """Keep what is there now, or drop the draft where nothing would be lost."""
        file, keeper = self._file, self._keeper
        if not file.has_changes:
            self._background.run(keeper.drop, nothing, self._fail)
            return
        draft = self._draft()
        self._background.run(lambda: keeper.keep(draft), nothing, self._fail)

    def _fail(self, error: Exception) -> None:
        """Say once that drafts are not kept; editing goes on."""
        if not self._was_said:
            self._was_said = True
            _log.warning("drafts of campaigns are not kept: %s", error)

    def keep_now(self) -> None:
        """Write the draft at once; for what has just been brought back."""
        try:
            self._keeper.keep(self._draft())
        except OSError as error:
            self._fail(error)

    def forget(self) -> None:
        """Drop the draft for good: the user was asked and does not want it."""
        self._timer.stop()
        self._forgotten = True

    def shut(self) -> None:
        """Let go at the end of the program; what was not saved is kept until then."""
        self._timer.stop()
        if self._forgotten or not self._file.has_changes:
            self._keeper.drop()
        else:
            self.keep_now()
        self._keeper.close()

    def _draft(self) -> Draft:
        file = self._file
        return Draft(file.name, file.text, str(file.path or ""), time.time())
