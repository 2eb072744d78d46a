"""The Campaigns page: templates at the left, steps in the middle, one step's form."""

import logging
import time
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QLabel, QTabWidget, QWidget

from app.bench.model import Bench
from app.operations.editing.check import Checked, Mistake
from app.operations.editing.drafts import Draft, DraftKeeper, left_behind
from app.operations.editing.new_step import title_of
from app.plan.blocks import items
from app.plan.campaign import Campaign
from app.plan.step import ENGINES
from app.ui.campaign.bar import CampaignBar, make_add_menu
from app.ui.campaign.edits import CampaignEdits
from app.ui.campaign.file import CampaignFile
from app.ui.campaign.file_actions import CampaignFileActions
from app.ui.campaign.fio_catalogue_work import CatalogueWork
from app.ui.campaign.fio_jobs.actions import FioActions
from app.ui.campaign.form.field import CampaignField
from app.ui.campaign.form.form import CampaignForm
from app.ui.campaign.layout import lay_out
from app.ui.campaign.mistakes import MistakeLine
from app.ui.campaign.notice import DraftNotice
from app.ui.campaign.remarks import CampaignRemarks
from app.ui.campaign.settings import CampaignSettings
from app.ui.campaign.shelf import CampaignShelf
from app.ui.campaign.step_actions import StepActions
from app.ui.campaign.steps import StepsTable
from app.ui.campaign.steps_model import StepsModel
from app.ui.campaign.templates import TemplateList
from app.ui.campaign.text import CampaignText
from app.ui.campaign.tools import campaign_tools
from app.ui.campaign.work import CampaignWork
from app.ui.kit.background import Background, nothing
from app.ui.kit.context import Context
from app.ui.kit.settings import Settings

_NOTHING = "Each field is explained here while it has the cursor."
_LINES = 3


class FieldHelp(QLabel):
    """Explains a field as long as it has the focus, and the last one after that."""

    def __init__(self) -> None:
        super().__init__(_NOTHING)
        self.setObjectName("small")
        self.setWordWrap(True)
        self.setContentsMargins(14, 6, 14, 6)
        self.setFixedHeight(_LINES * self.fontMetrics().lineSpacing() + 12)
        self.setAccessibleName("What the field with the cursor is")
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._explain)

    @Slot(QWidget, QWidget)
    def _explain(self, _: QWidget | None, now: QWidget | None) -> None:
        field = now.parentWidget() if now is not None else None
        if isinstance(field, CampaignField):
            self.setText(f"{field.field.title}: {field.field.explained}")


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


STEPS, SETTINGS, COMMANDS, TEXT = range(4)


class CampaignView(QWidget):
    """Shows the campaign in hand, changes it, and starts it.

    Args:
        context: What the parts of the window share.
        settings: Where the last campaigns are kept.
        bench: What estimate and commands are for.
        folder: Where earlier sessions are.

    Attributes:
        file: The campaign in hand.
        files: What is done with it as a whole.
        shelf: The campaigns that could be in hand.
        steps: What is done with the chosen steps.
        edits: What changes its text.
        fio: What is done with fio jobs.

    Signals:
        start_wanted: The campaign in hand is to be run.
    """

    start_wanted = Signal()

    def __init__(
        self,
        context: Context,
        settings: Settings,
        *,
        bench: Bench,
        folder: Path,
    ) -> None:
        super().__init__()
        self._context = context
        self.file = CampaignFile(context.background, self)
        self.files = CampaignFileActions(self.file, context, settings, self)
        self.edits = CampaignEdits(self.file)
        self.autosave = Autosave(self.file, context.background, DraftKeeper())
        self.templates = TemplateList(context.theme)
        self.shelf = CampaignShelf(
            self.templates, self.file, self.files, context.background
        )
        self.model = StepsModel(context, self)
        self.table = StepsTable(self.model)
        self.form = CampaignForm(context.icons)
        self.catalogue = CatalogueWork(context.background, self)
        self.steps = StepActions(self.edits, self.table, self.form)
        self.settings = CampaignSettings(context.icons)
        self.help = FieldHelp()
        self.work = CampaignWork(self.file, context.background, bench, folder)
        self.text = CampaignText(context.theme)
        self.fio = FioActions(self, context)
        engines = {name: title_of(name) for name in ENGINES}
        menu = make_add_menu(engines, self.steps.add, self)
        self.bar = CampaignBar(context, campaign_tools(self), menu)
        self.tabs = QTabWidget()
        self.trouble = MistakeLine()
        self.notice = DraftNotice()
        self.remarks = CampaignRemarks(self)
        lay_out(self)
        self._connect()
        self._show_file()
        context.background.run(left_behind, self.notice.offer, nothing)

    def _connect(self) -> None:
        self.file.changed.connect(self._show_file)
        self.file.replaced.connect(self._show_replaced)
        self.file.checked.connect(self._show_checked)
        self.files.jobs_found.connect(self.fio.open_file)
        self.steps.jobs_found.connect(self.fio.ask_about)
        self.file.stack.indexChanged.connect(self._show_undo)
        self.templates.start_wanted.connect(self.start)
        self.table.chosen.connect(self._show_step)
        self.form.catalogue_wanted.connect(self.catalogue.ask)
        self.catalogue.found.connect(self.form.set_catalogue)
        self.settings.edited.connect(self.edits.set_top)
        self.settings.listed.connect(self.edits.set_tables)
        self.text.edited.connect(self._type)
        self.text.undo_wanted.connect(self.file.stack.undo)
        self.text.redo_wanted.connect(self.file.stack.redo)
        menu = self.bar.buttons["add"].menu()
        menu.aboutToShow.connect(lambda: self.tabs.setCurrentIndex(STEPS))
        self.tabs.currentChanged.connect(self._show_tab)
        self.trouble.wanted.connect(self.show_mistake)
        self.notice.wanted.connect(self._bring_back)

    @property
    def campaign(self) -> Campaign | None:
        """The campaign in hand, None where it has a mistake."""
        return self.file.look().campaign

    @property
    def source(self) -> Path | None:
        """Its file, None where that has not all of it."""
        return None if self.file.has_changes else self.file.path

    def showEvent(self, event: QShowEvent) -> None:
        """Look again for campaigns: another program may have written one."""
        super().showEvent(event)
        self.shelf.refresh()

    @Slot()
    def _show_replaced(self) -> None:
        self.shelf.mark()
        if self.model.rowCount():
            self.table.choose_rows([0])
        self._show_step()

    @Slot()
    def _show_file(self) -> None:
        """Show the text that holds now, in every view of it."""
        file = self.file
        rows = self.table.rows()
        steps = items(file.values, "step")
        self.model.set_steps(steps)
        if steps and not self.table.rows():
            near = [row for row in rows if row < len(steps)]
            self.table.choose_rows(
                near or [min(rows[0] if rows else 0, len(steps) - 1)]
            )
        self.text.show_text(file.text)
        self.settings.show_values(file.values)
        editable = file.trouble is None
        for part in (self.table, self.form, self.settings):
            part.setEnabled(editable)
        self._show_step()
        self._show_bar()
        self._show_undo()

    def _show_bar(self) -> None:
        file = self.file
        place = str(file.path) if file.path else "not in a file yet"
        if file.is_shipped:
            place = "Template of Bayscope; saving makes a copy of your own"
        self.bar.show_campaign(
            file.name, place, writes=file.writes, unsaved=file.has_changes
        )

    @Slot()
    def _show_step(self) -> None:
        """Show the form of the chosen steps, and what can be done with them."""
        rows = self.table.rows()
        steps = self.model.steps
        row = self.table.row()
        step = steps[row] if 0 <= row < len(steps) else {}
        self.form.show_steps([steps[r] for r in rows if r < len(steps)], (row, *rows))
        self.remarks.show_mistakes()
        self.remarks.show_advice_of_step()
        if step.get("engine") == "fio":
            self.catalogue.look_up()
        editable = self.file.trouble is None
        self.bar.allow(rows, len(steps), editable=editable)
        self.remarks.show_runs()
        self.work.rows = rows
        self.work.begin()

    @Slot(object)
    def _show_checked(self, _: Checked) -> None:
        self.remarks.show_mistakes()
        self._show_bar()
        self.remarks.show_runs()
        self.work.begin()

    @Slot(object)
    def show_mistake(self, mistake: Mistake) -> None:
        """Go where a mistake is."""
        if mistake.item is not None and mistake.item[0] == "step":
            self.tabs.setCurrentIndex(STEPS)
            self.table.choose_rows([mistake.item[1]])
        elif mistake.line:
            self.tabs.setCurrentIndex(TEXT)
            self.text.go_to(mistake.line)

    @Slot()
    def _show_undo(self) -> None:
        self.bar.show_undo(self.file.stack)

    @Slot(int)
    def _show_tab(self, tab: int) -> None:
        is_shown = tab in (STEPS, COMMANDS)
        self.form.setVisible(is_shown)
        side = self.form.parentWidget()
        if side is not None:  # with the line of help below
            side.setVisible(is_shown)
        if tab == TEXT:
            self.text.go_to_step(self.table.row())
        self.work.begin()

    @Slot(str)
    def _type(self, text: str) -> None:
        self.file.change("typing", lambda _: text, merge="typing")

    @Slot()
    def start(self) -> None:
        """Ask for the run of the campaign in hand; one with a mistake says so."""
        mistakes = self.file.look().mistakes
        if mistakes:
            self.show_mistake(mistakes[0])
        elif self.files.is_as_shown():
            self.start_wanted.emit()

    def _bring_back(self, draft: Draft) -> None:
        self.files.restore(draft)
        if self.file.text == draft.text:
            self.autosave.keep_now()
            self.notice.next()

    def shut(self) -> None:
        """Let go of drafts at the end of the program."""
        self.notice.shut()
        self.autosave.shut()
