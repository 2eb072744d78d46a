"""The campaign in hand, its draft, and all that is worked out of it; no widgets."""

import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance, Slot

from app.bench.model import Bench
from app.operations.editing.commands import preview
from app.operations.editing.drafts import Draft, DraftKeeper
from app.operations.run.foresee import foresee
from app.plan.campaign import Campaign
from app.ui.campaign.edits import CampaignEdits
from app.ui.campaign.file import CampaignFile
from app.ui.campaign.fio_advice import FioAdvice
from app.ui.kit.background import Background, nothing

_EVERY_MS = 2000
_log = logging.getLogger("bayscope")


class Autosave(QObject):
    """Writes a draft a moment after each change, and drops it once that is saved."""

    def __init__(
        self, file: CampaignFile, background: Background, keeper: DraftKeeper
    ) -> None:
        super().__init__(file)
        self._file = file
        self._background = background
        self._keeper = keeper
        self._has_warned = False
        self._forgotten = False
        self._timer = QTimer(self, singleShot=True, interval=_EVERY_MS)
        self._timer.timeout.connect(self._keep)
        file.changed.connect(self._plan)
        file.replaced.connect(self._plan)

    @Slot()
    def _plan(self) -> None:
        # Not started again: somebody who types without a pause would have no draft.
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def _keep(self) -> None:
        """Keep what is there now, or drop the draft where nothing would be lost."""
        file, keeper = self._file, self._keeper
        if not file.has_changes:
            self._background.run(keeper.drop, nothing, self._fail, lasting=True)
            return
        draft = self._draft()
        self._background.run(
            lambda: keeper.keep(draft), nothing, self._fail, lasting=True
        )

    def _fail(self, error: Exception) -> None:
        """Say once that drafts are not kept; editing goes on."""
        if not self._has_warned:
            self._has_warned = True
            _log.warning("drafts of campaigns cannot be saved: %s", error)

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


_LATER_MS = 250


class CampaignController(QObject):
    """Holds the campaign in hand and keeps what follows from it up to date.

    Args:
        bench: What it is worked out for.
        folder: Where earlier sessions are.

    Attributes:
        bench: What it is worked out for.
        file: The campaign in hand.
        edits: What changes its text.
        autosave: What keeps a draft of it.
        advice: What fio would do with its steps.
        rows: The steps whose commands are wanted; all where there is none.
        wants_commands: Whether commands are wanted at all.

    Signals:
        foreseen: The estimate (list of Forecast); None while there is a mistake.
        previewed: The commands (list of CommandPreview); None while there is a mistake.
    """

    foreseen = Signal(object)
    previewed = Signal(object)

    def __init__(
        self, background: Background, bench: Bench, folder: Path, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._background = background
        self.bench = bench
        self._folder = folder
        self.file = CampaignFile(background, self)
        self.edits = CampaignEdits(self.file)
        self.autosave = Autosave(self.file, background, DraftKeeper())
        self.advice = FioAdvice(self.file, background, bench)
        self.rows: Sequence[int] = ()
        self.wants_commands = False
        self._timer = QTimer(self, singleShot=True, interval=_LATER_MS)
        self._timer.timeout.connect(self._work_out)

    def set_bench(self, bench: Bench) -> None:
        """Take another bench."""
        self.bench = bench
        self.advice.set_bench(bench)
        self.begin()

    def set_folder(self, folder: Path) -> None:
        """Take another folder of earlier sessions."""
        self._folder = folder
        self.begin()

    @Slot()
    def begin(self) -> None:
        """Work it out in a moment, when nothing more has changed."""
        self._timer.start()

    @Slot()
    def _work_out(self) -> None:
        campaign, bench, folder = self.file.look().campaign, self.bench, self._folder
        if campaign is None:
            self.foreseen.emit(None)
            self.previewed.emit(None)
            return
        self._run(campaign, lambda: foresee(campaign, bench, folder), self.foreseen)
        if self.wants_commands:
            steps = campaign.steps
            labels = [steps[row].label for row in self.rows if row < len(steps)]
            self._run(
                campaign,
                lambda: preview(campaign, bench, labels or None),
                self.previewed,
            )

    def _run(
        self, campaign: Campaign, do: Callable[[], object], signal: SignalInstance
    ) -> None:
        """Work something out; it is dropped where the campaign is another one then."""

        def take(found: object) -> None:
            if campaign is self.file.look().campaign:
                signal.emit(found)

        self._background.run(do, take)
