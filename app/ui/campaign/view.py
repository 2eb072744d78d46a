"""The Campaigns page: templates at the left, steps in the middle, one step's form."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QMenu, QTabWidget, QWidget

from app.bench.model import Bench
from app.operations.editing.check import Checked, Mistake
from app.operations.editing.drafts import Draft, left_behind
from app.operations.editing.new_step import title_of
from app.plan.blocks import items
from app.plan.campaign import Campaign
from app.plan.step import ENGINES
from app.ui.campaign.controller import CampaignController
from app.ui.campaign.file_actions import CAMPAIGN_TOOLS, CampaignFileActions
from app.ui.campaign.fio_jobs.actions import FioActions
from app.ui.campaign.form.form import CampaignForm
from app.ui.campaign.notices import DraftNotice, MistakeLine
from app.ui.campaign.previews import CampaignCommands, ForecastStrip
from app.ui.campaign.settings import CampaignSettings
from app.ui.campaign.step_actions import STEP_TOOLS, StepActions
from app.ui.campaign.steps import StepsTable
from app.ui.campaign.steps_model import StepsModel
from app.ui.campaign.templates import TemplateChoice, TemplateList
from app.ui.campaign.text import CampaignText
from app.ui.kit.background import nothing
from app.ui.kit.context import Context
from app.ui.kit.document_bar import DocumentBar, DocumentHead
from app.ui.kit.focus import lead_focus
from app.ui.kit.labels import WrappedLabel
from app.ui.kit.messages import tell
from app.ui.kit.option_field import OptionField
from app.ui.kit.settings import Settings
from app.ui.kit.widgets import panel, row, split
from instruments.durations import format_duration
from instruments.sizes import counted

_NOTHING = "Select a field to see what it does."
_LINES = 3


class FieldHelp(WrappedLabel):
    """Explains a field as long as it has the focus, and the last one after that."""

    def __init__(self) -> None:
        super().__init__(_NOTHING)
        self.setObjectName("small")
        self.setContentsMargins(14, 6, 14, 6)
        self.setFixedHeight(_LINES * self.fontMetrics().lineSpacing() + 12)
        self.setAccessibleDescription("Help on the field with the cursor")
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._explain)

    @Slot(QWidget, QWidget)
    def _explain(self, _: QWidget | None, now: QWidget | None) -> None:
        field = now.parentWidget() if now is not None else None
        if isinstance(field, OptionField):
            self.setText(f"{field.title}: {field.option.explained}")


_TEMPLATES, _MIDDLE, _FORM = 240, 574, 368
STEPS, SETTINGS, COMMANDS, TEXT = range(4)


class CampaignView(QWidget):
    """Shows the campaign in hand, changes it, and starts it.

    Args:
        bench: What estimate and commands are for.
        folder: Where earlier sessions are.

    Attributes:
        controller: The campaign in hand and what follows from it.
        file: The campaign in hand.
        files: What is done with it as a whole.
        choice: The campaigns that could be in hand.
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
        self.controller = CampaignController(context.background, bench, folder, self)
        self.file, self.edits = self.controller.file, self.controller.edits
        self.files = CampaignFileActions(self.file, context, settings, self)
        self.templates = TemplateList(context.theme)
        self.choice = TemplateChoice(
            self.templates, self.file, self.files, context.background
        )
        self.model = StepsModel(context, self)
        self.table = StepsTable(self.model)
        self.form = CampaignForm(context.icons)
        self.steps = StepActions(self.edits, self.table, self.form)
        self.settings = CampaignSettings(context.icons)
        self.help = FieldHelp()
        self.forecast = ForecastStrip()
        self.commands = CampaignCommands()
        self.text = CampaignText(context.theme)
        self.fio = FioActions(self.files, self.edits, self.table, context, self)
        self.addActions(self.fio.menu.actions())
        menu = QMenu(self)
        for engine in ENGINES:
            menu.addAction(title_of(engine), partial(self.steps.add, engine))
        menu.setAccessibleName("Add a step")
        menu.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.head = DocumentHead(
            ("overwrites", "Some of its steps write to the target of the bench"),
            "This campaign has changes that are not saved (Ctrl+S)",
        )
        self.bar = DocumentBar(
            context, self.head, CAMPAIGN_TOOLS, STEP_TOOLS, margin=14
        )
        self.bar.buttons["fio"].setMenu(self.fio.menu)
        self.bar.buttons["add"].setMenu(menu)
        self.tabs = QTabWidget()
        self.tabs.setUsesScrollButtons(False)
        self.trouble = MistakeLine()
        self.notice = DraftNotice()
        self._lay_out()
        self._connect()
        self._show_file()
        context.background.run(left_behind, self.notice.offer, nothing)

    def _lay_out(self) -> None:
        """Lay it out: templates, the campaign with its tabs, the form of a step."""
        tabs = self.tabs
        tabs.addTab(self.table, "Ste&ps")
        tabs.addTab(self.settings, "&Campaign")
        tabs.addTab(self.commands, "Co&mmands")
        tabs.addTab(self.text, "Te&xt")
        tabs.setAccessibleName("Views of the campaign")
        inner = split(
            panel(tabs, self.trouble, self.forecast, grows=tabs, spacing=0),
            panel(self.form, self.help, grows=self.form, spacing=0),
            sizes=(_MIDDLE, _FORM),
        )
        inner.setStretchFactor(0, 1)
        middle = panel(self.notice, self.bar, inner, grows=inner, spacing=0)
        middle.setObjectName("surface")
        middle.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        outer = split(self.templates, middle, sizes=(_TEMPLATES, _MIDDLE + _FORM))
        outer.setCollapsible(0, True)
        outer.setStretchFactor(1, 1)
        row(outer, of=self)
        lead_focus(self, self.templates)

    def _connect(self) -> None:
        self.file.changed.connect(self._show_file)
        self.file.replaced.connect(self._show_replaced)
        self.file.checked.connect(self._show_checked)
        self.files.jobs_found.connect(self.fio.open_file)
        self.steps.jobs_found.connect(self.fio.ask_about)
        self.file.stack.indexChanged.connect(self._show_undo)
        self.templates.start_wanted.connect(self.start)
        self.file.placed.connect(self.table.choose_rows)
        self.table.chosen.connect(self._show_step)
        work = self.controller
        work.advice.changed.connect(self._show_advice)
        work.foreseen.connect(self.forecast.show_forecasts)
        work.previewed.connect(
            lambda found: self.commands.show_previews(found, work.bench.name)
        )
        self.settings.edited.connect(self.edits.set_top)
        self.settings.listed.connect(self.edits.set_tables)
        self.text.edited.connect(self._type)
        self.text.undo_wanted.connect(self.file.stack.undo)
        self.text.redo_wanted.connect(self.file.stack.redo)
        files, steps, stack = self.files, self.steps, self.file.stack
        for name, act in (
            ("new", files.new),
            ("open", files.choose),
            ("save", files.saving.save),
            ("save_as", files.saving.save_as),
            ("duplicate", steps.duplicate),
            ("delete", steps.delete),
            ("up", steps.move_up),
            ("down", steps.move_down),
            ("switch", steps.switch),
            ("undo", stack.undo),
            ("redo", stack.redo),
        ):
            self.bar.buttons[name].clicked.connect(act)
        menu = self.bar.buttons["add"].menu()
        menu.aboutToShow.connect(lambda: self.tabs.setCurrentIndex(STEPS))
        self.tabs.currentChanged.connect(self._show_tab)
        self.trouble.wanted.connect(self.show_mistake)
        self.fio.refused.connect(self.show_mistake)
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
        self.choice.refresh()

    @Slot()
    def _show_replaced(self) -> None:
        self.choice.mark()
        if self.model.rowCount():
            self.table.choose_rows([0])
        self._show_step()
        if self.file.trouble is not None and self.file.mistakes:
            self.show_mistake(self.file.mistakes[0])

    @Slot()
    def _show_file(self) -> None:
        """Show the text that holds now, in every view of it."""
        file = self.file
        rows = self.table.rows()
        steps = items(file.values, "step")
        self.model.set_records(steps)
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
        place = str(file.path) if file.path else "not saved to a file yet"
        if file.is_shipped:
            place = "Template of Bayscope; saving makes your own copy"
        self.head.show_document(
            file.name, place, has_chip=file.writes, is_changed=file.has_changes
        )
        self.head.facts.setToolTip(place)

    @Slot()
    def _show_step(self) -> None:
        """Show the form of the chosen steps, and what can be done with them."""
        rows = self.table.rows()
        steps = self.model.records
        row = self.table.row()
        self.form.show_steps([steps[r] for r in rows if r < len(steps)], (row, *rows))
        self._show_mistakes()
        self._show_advice_of_step()
        editable = self.file.trouble is None
        self._allow(rows, len(steps), editable=editable)
        self._show_runs()
        self.controller.rows = rows
        self.controller.begin()

    def _allow(self, rows: Sequence[int], count: int, *, editable: bool) -> None:
        chosen, buttons = bool(rows) and editable, self.bar.buttons
        for name in ("duplicate", "delete", "switch"):
            buttons[name].setEnabled(chosen)
        buttons["up"].setEnabled(chosen and rows[0] > 0)
        buttons["down"].setEnabled(chosen and rows[-1] < count - 1)
        buttons["add"].setEnabled(editable)

    @Slot(object)
    def _show_checked(self, _: Checked) -> None:
        self._show_mistakes()
        self._show_bar()
        self._show_runs()
        self.controller.begin()

    def _show_mistakes(self) -> None:
        """Say what is wrong, beside where it stands."""
        mistakes, row = self.file.mistakes, self.table.row()
        self.model.set_mistakes(mistakes)
        self.form.show_mistakes(
            [mistake for mistake in mistakes if mistake.item == ("step", row)]
        )
        self.settings.show_mistakes(mistakes)
        self.text.mark_lines(
            tuple(mistake.line for mistake in mistakes if mistake.line)
        )
        self.trouble.show_mistakes(mistakes)

    @Slot()
    def _show_advice(self) -> None:
        """Say what fio would make of the steps."""
        self.model.set_advice(self.controller.advice.rows)
        self._show_advice_of_step()

    def _show_advice_of_step(self) -> None:
        self.form.show_advice(self.controller.advice.of(self.table.row()))

    def _show_runs(self) -> None:
        """Say how many rows the chosen step makes, and the whole campaign."""
        row, file = self.table.row(), self.file
        campaign = None if file.mistakes else file.campaign_before
        if campaign is None or not 0 <= row < len(campaign.steps):
            self.form.show_runs(0, "")
            self.settings.show_runs("")
            return
        runs = campaign.steps[row].runs
        seconds = sum(step.duration_s for _, step in runs)
        self.form.show_runs(len(runs), format_duration(round(seconds)))
        whole = campaign.configurations
        count = len(whole.all()) if whole is not None else 0
        rows = (
            f"{counted(count, 'configuration')}, {counted(len(campaign.runs), 'row')}"
        )
        self.settings.show_runs(rows if count else "")

    @Slot(object)
    def show_mistake(self, mistake: Mistake) -> None:
        """Go where a mistake is."""
        if mistake.item is not None and mistake.item[0] == "step":
            self.tabs.setCurrentIndex(STEPS)
            self.table.choose_rows([mistake.item[1]])
            return
        self.tabs.setCurrentIndex(TEXT)
        self.text.go_to(mistake.line)
        self.text.setFocus()

    @Slot()
    def _show_undo(self) -> None:
        stack = self.file.stack
        for name, able, text in (
            ("undo", stack.canUndo(), stack.undoText()),
            ("redo", stack.canRedo(), stack.redoText()),
        ):
            button = self.bar.buttons[name]
            button.setEnabled(able)
            keys = button.shortcut().toString()
            button.setToolTip(f"{name.capitalize()} {text} ({keys})".replace("  ", " "))

    @Slot(int)
    def _show_tab(self, tab: int) -> None:
        is_shown = tab in (STEPS, COMMANDS)
        self.form.setVisible(is_shown)
        side = self.form.parentWidget()
        if side is not None:  # with the line of help below
            side.setVisible(is_shown)
        if tab == TEXT:
            self.text.go_to_step(self.table.row())
        self.controller.wants_commands = tab == COMMANDS
        self.controller.begin()

    @Slot(str)
    def _type(self, text: str) -> None:
        self.file.change("typing", lambda _: text, merge="typing")

    @Slot()
    def start(self) -> None:
        """Ask for the run of the campaign in hand; one with a mistake says so."""
        mistakes = self.file.look().mistakes
        if mistakes:
            self.show_mistake(mistakes[0])
            tell(self, "Nothing was started: correct the campaign first.")
        elif self.files.is_as_shown():
            self.start_wanted.emit()

    def _bring_back(self, draft: Draft) -> None:
        self.files.restore(draft)
        if self.file.text == draft.text:
            self.controller.autosave.keep_now()
            self.notice.next()

    def shut(self) -> None:
        """Let go of drafts at the end of the program."""
        self.notice.shut()
        self.controller.autosave.shut()
