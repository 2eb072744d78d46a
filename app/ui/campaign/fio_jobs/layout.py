"""What the dialog for fio jobs is made of, and how that lies beside each other."""

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QProgressBar,
    QWidget,
)

from app.plan.fio.targets import NamedTarget
from app.plan.step import Step
from app.ui.campaign.fio_jobs.rows import finding_columns, step_columns, target_columns
from app.ui.campaign.text import CampaignText
from app.ui.kit.context import Context
from app.ui.kit.icons import Icons
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.rows_model import RowsModel
from app.ui.kit.tables import Table, WrappedTable
from app.ui.kit.theme import Theme
from app.ui.kit.widgets import (
    DIALOG_MARGINS,
    column,
    make_button,
    make_heading,
    make_note,
    named,
    panel,
    row,
    split,
)
from workloads.fio.paste.finding import Finding

_HINT = (
    "Paste command lines of fio, with for loops around them,\n"
    "or a job file here, or open a file.\n\n"
    "Nothing in it is run, and no disk that it names is used."
)


class JobTextEdit(CampaignText):
    """A text with its own undo; the lines of a finding are marked in it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.colours.setDocument(None)  # those are of a campaign.toml
        self.setUndoRedoEnabled(True)
        self.setTabChangesFocus(True)
        self.setAccessibleName("Text with fio jobs")
        self.setPlaceholderText(_HINT)
        self.undo_wanted.connect(self.undo)
        self.redo_wanted.connect(self.redo)

    def show_lines(self, lines: tuple[int, ...]) -> None:
        """Mark lines, counted from 1, and go to the first one."""
        self.mark_lines(lines)
        if lines:
            self.go_to(lines[0])


_QUOTE, _FIO, _TABLES_MADE = 2, 3, 4
_QUOTE_WIDTH = 210
_OPTIONS = 1


class FindingsTable(WrappedTable):
    """Shows the findings in a text; three of its columns have whole sentences."""

    def __init__(self, model: RowsModel[Finding]) -> None:
        super().__init__(model, "Findings in the text", stretch=_FIO)
        for section in (_QUOTE, _TABLES_MADE):
            self.setItemDelegateForColumn(section, self.itemDelegateForColumn(_FIO))

    def _arrange(self) -> None:
        """Share the room between what fio does and what was made of it."""
        super()._arrange()
        head = self.horizontalHeader()
        head.setSectionResizeMode(_TABLES_MADE, QHeaderView.ResizeMode.Stretch)
        head.setSectionResizeMode(_QUOTE, QHeaderView.ResizeMode.Interactive)
        head.resizeSection(_QUOTE, _QUOTE_WIDTH)


_SECOND_MS = 1000
_BAR = (90, 10)


class BusyLine(QWidget):
    """Counts the seconds while it is busy; else it has room for a sentence.

    Signals:
        stopped: The user does not want to wait any longer.
    """

    stopped = Signal()

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._seconds = 0
        self._clock = QTimer(self, interval=_SECOND_MS)
        self._clock.timeout.connect(self._tick)
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setFixedSize(*_BAR)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("The text is being read")
        tip = "Give up reading this text (Alt+T)"
        self.stop_button = make_button("S&top", tip, icon=icons.get("square"))
        self.stop_button.clicked.connect(self.stopped)
        self.reason = make_note()
        parts = (self.bar, self.stop_button, self.reason)
        row(*parts, of=self, grows=self.reason, spacing=10)
        self.end("")

    def begin(self) -> None:
        """Say that a text is being read, and count from here."""
        self._seconds = 0
        self._clock.start()
        self.reason.setText("Reading the text ...")
        self._show(is_busy=True)

    def end(self, sentence: str) -> None:
        """Say something else."""
        self._clock.stop()
        self.reason.setText(sentence)
        self._show(is_busy=False)

    def _show(self, *, is_busy: bool) -> None:
        self.bar.setVisible(is_busy)
        self.stop_button.setVisible(is_busy)

    @Slot()
    def _tick(self) -> None:
        self._seconds += 1
        self.reason.setText(f"Reading the text ... {self._seconds} s")


_TEXT, _MADE = 520, 620
_UPPER, _LOWER = 270, 260
_STEPS, _TARGETS = 150, 100
_NOTHING = "What fio would really do with the text, and what you have to decide."
_NO_TARGETS = "Files and disks in the text"
_TARGETS_TIP = "The bench says what is tested: target and size of [dut]"


class FioJobsLayout:
    """Widgets of the dialog: text and what is made of it above, findings below.

    Args:
        dialog: Where they go.
    """

    def __init__(self, dialog: QDialog, context: Context) -> None:
        self.text = JobTextEdit(context.theme)
        self.findings_model = RowsModel[Finding](finding_columns(), context, dialog)
        self.findings = FindingsTable(self.findings_model)
        self.steps_model = RowsModel[Step](step_columns(), context, dialog)
        name = "Steps made from the text"
        self.steps = Table(self.steps_model, name, stretch=_OPTIONS)
        self.targets_model = RowsModel[NamedTarget](target_columns(), context, dialog)
        name = "Files and disks in the text, which are not used"
        self.targets = Table(self.targets_model, name)
        self.source = named(ElidedLabel(), "", look="muted")
        icons = context.icons
        tip = "Open a job file or a script (Alt+O)"
        self.open_button = make_button("&Open...", tip, icon=icons.get("folder-open"))
        tip = "Take the text of the clipboard (Alt+P)"
        self.paste_button = make_button("&Paste", tip, icon=icons.get("file-text"))
        tip = "Empty the text (Alt+L)"
        self.clear_button = make_button("C&lear", tip, icon=icons.get("x"))
        self.trouble = make_note("", "mistake", name="Why no step can be made")
        self.busy = BusyLine(icons)
        self.steps_head = make_heading("Steps")
        self.targets_head = make_heading("")
        self.targets_head.setToolTip(_TARGETS_TIP)
        self.counts = named(QLabel(), "", look="muted")
        self.buttons = QDialogButtonBox()
        roles = QDialogButtonBox.ButtonRole
        self.new_button = self.buttons.addButton("&New campaign", roles.ActionRole)
        self.new_button.setToolTip("Start a campaign with these steps (Alt+N)")
        self.add_button = self.buttons.addButton(
            "&Add steps to this campaign", roles.ActionRole
        )
        self.add_button.setToolTip("Put them after the selected step (Alt+A)")
        cancel = self.buttons.addButton("Cancel", roles.RejectRole)
        self.new_button.setDefault(True)
        for button in (self.add_button, cancel):
            button.setAutoDefault(False)
        self._lay_out(dialog)

    def _lay_out(self, dialog: QDialog) -> None:
        bar = row(
            self.open_button,
            self.paste_button,
            self.clear_button,
            self.source,
            grows=self.source,
        )
        self._targets_part = _below(self.targets_head, self.targets)
        made = split(
            _below(self.steps_head, self.steps),
            self._targets_part,
            sizes=(_STEPS, _TARGETS),
            is_vertical=True,
        )
        upper = split(self.text, made, sizes=(_TEXT, _MADE))
        lower = panel(
            self.trouble,
            row(make_heading("Findings"), self.counts, grows=self.counts),
            self.findings,
            grows=self.findings,
            margins=(0, 8, 0, 0),
            spacing=6,
        )
        whole = split(upper, lower, sizes=(_UPPER, _LOWER), is_vertical=True)
        column(
            bar,
            whole,
            row(self.busy, self.buttons, grows=self.busy, spacing=10),
            of=dialog,
            grows=whole,
            margins=DIALOG_MARGINS,
            spacing=10,
        )

    def show_heads(self, counts: str, trouble: str) -> None:
        """Say what the tables have, and why no step could be made."""
        steps, targets = self.steps_model.rowCount(), self.targets_model.rowCount()
        self.steps_head.setText(f"Steps ({steps})" if steps else "Steps")
        self.targets_head.setText(f"{_NO_TARGETS}, not used ({targets})")
        self._targets_part.setVisible(bool(targets))
        self.counts.setText(counts or _NOTHING)
        self.trouble.setText(trouble)
        self.trouble.setVisible(bool(trouble))


def _below(head: QLabel, part: QWidget) -> QWidget:
    return panel(head, part, grows=part, margins=(10, 6, 0, 6), spacing=4)
