"""What the dialog for fio jobs is made of, and how that lies beside each other."""

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QSplitter,
    QVBoxLayout,
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
from workloads.fio.paste.finding import Finding

_HINT = (
    "Paste command lines of fio, with for loops around them,\n"
    "or a job file here, or open a file.\n\n"
    "Nothing of it is run, and no disk that it names is taken."
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
    """Shows what is to be known of a text; three of its columns have whole sentences.

    Attributes:
        findings: What it shows.
    """

    def __init__(self, context: Context) -> None:
        self.findings = RowsModel[Finding](finding_columns(), context)
        super().__init__(self.findings, "What is to be known of the text", stretch=_FIO)
        self.findings.setParent(self)
        for column in (_QUOTE, _TABLES_MADE):
            self.setItemDelegateForColumn(column, self.itemDelegateForColumn(_FIO))

    def _arrange(self) -> None:
        """Share the room between what fio does and what was made of it."""
        super()._arrange()
        head = self.horizontalHeader()
        head.setSectionResizeMode(_TABLES_MADE, QHeaderView.ResizeMode.Stretch)
        head.setSectionResizeMode(_QUOTE, QHeaderView.ResizeMode.Interactive)
        head.resizeSection(_QUOTE, _QUOTE_WIDTH)

    @property
    def choice(self) -> Finding | None:
        """The chosen one."""
        records, row = self.findings.records, self.chosen_row()
        return records[row] if 0 <= row < len(records) else None


def make_steps_table(context: Context) -> tuple[Table, RowsModel[Step]]:
    """Make the table of the steps that a text makes, and its model."""
    model = RowsModel[Step](step_columns(), context)
    table = Table(model, "Steps that are made of the text", stretch=_OPTIONS)
    model.setParent(table)
    return table, model


def make_targets_table(context: Context) -> tuple[Table, RowsModel[NamedTarget]]:
    """Make the table of the files and disks that a text names, and its model."""
    model = RowsModel[NamedTarget](target_columns(), context)
    table = Table(model, "Files and disks in the text, none of which is taken")
    model.setParent(table)
    return table, model


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
        self._clock = QTimer(self)
        self._clock.setInterval(_SECOND_MS)
        self._clock.timeout.connect(self._tick)
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setFixedSize(*_BAR)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("The text is being read")
        self.stop_button = QPushButton(icons.get("square"), " S&top")
        self.stop_button.setToolTip("Give up reading this text (Alt+T)")
        self.stop_button.setAutoDefault(False)
        self.stop_button.clicked.connect(self.stopped)
        self.reason = QLabel("")
        self.reason.setObjectName("muted")
        self.reason.setWordWrap(True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(self.bar)
        row.addWidget(self.stop_button)
        row.addWidget(self.reason, 1)
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
_NOTHING = "What fio would really do with the text, and what is to be decided."
_NO_TARGETS = "Files and disks in the text"
_TARGETS_TIP = "What is tested says the bench: [dut] target and size"


class FioJobsLayout:
    """Widgets of the dialog: text and what is made of it above, findings below.

    Args:
        dialog: Where they go.
        context: What the parts of the window share.
    """

    def __init__(self, dialog: QDialog, context: Context) -> None:
        self.text = JobTextEdit(context.theme)
        self.findings = FindingsTable(context)
        self.steps, self.steps_model = make_steps_table(context)
        self.targets, self.targets_model = make_targets_table(context)
        self.source = ElidedLabel("")
        self.source.setObjectName("muted")
        self.open_button = _button(
            context.icons,
            "folder-open",
            " &Open...",
            "Open a job file or a script (Alt+O)",
        )
        self.paste_button = _button(
            context.icons,
            "file-text",
            " &Paste",
            "Take what is on the clipboard (Alt+P)",
        )
        self.clear_button = _button(
            context.icons, "x", " C&lear", "Empty the text (Alt+L)"
        )
        self.trouble = QLabel("")
        self.trouble.setObjectName("mistake")
        self.trouble.setWordWrap(True)
        self.trouble.setAccessibleName("Why no step can be made")
        self.busy = BusyLine(context.icons)
        self.steps_head = _heading("Steps")
        self.targets_head = _heading("")
        self.findings_head = _heading("Findings")
        self.counts = QLabel("")
        self.counts.setObjectName("muted")
        self.buttons = QDialogButtonBox()
        roles = QDialogButtonBox.ButtonRole
        self.new_button = self.buttons.addButton("&New campaign", roles.ActionRole)
        self.new_button.setToolTip("Begin a campaign with these steps (Alt+N)")
        self.add_button = self.buttons.addButton(
            "&Add steps to this campaign", roles.ActionRole
        )
        self.add_button.setToolTip("Put them behind the chosen step (Alt+A)")
        cancel = self.buttons.addButton("Cancel", roles.RejectRole)
        self.new_button.setDefault(True)
        for button in (self.add_button, cancel):
            button.setAutoDefault(False)
        self._lay_out(dialog)

    def _lay_out(self, dialog: QDialog) -> None:
        bar = QHBoxLayout()
        for button in (self.open_button, self.paste_button, self.clear_button):
            bar.addWidget(button)
        bar.addWidget(self.source, 1)
        made = QSplitter(Qt.Orientation.Vertical)
        made.addWidget(_below(self.steps_head, self.steps))
        self._targets_part = _below(self.targets_head, self.targets)
        made.addWidget(self._targets_part)
        made.setSizes([_STEPS, _TARGETS])
        upper = QSplitter(Qt.Orientation.Horizontal)
        upper.addWidget(self.text)
        upper.addWidget(made)
        upper.setSizes([_TEXT, _MADE])
        head = QHBoxLayout()
        head.addWidget(self.findings_head)
        head.addWidget(self.counts, 1)
        lower = QWidget()
        column = QVBoxLayout(lower)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.trouble)
        column.addLayout(head)
        column.addWidget(self.findings, 1)
        whole = QSplitter(Qt.Orientation.Vertical)
        whole.addWidget(upper)
        whole.addWidget(lower)
        whole.setSizes([_UPPER, _LOWER])
        for split in (made, upper, whole):
            split.setChildrenCollapsible(False)
            split.setHandleWidth(1)
        bottom = QHBoxLayout()
        bottom.setSpacing(10)
        bottom.addWidget(self.busy, 1)
        bottom.addWidget(self.buttons)
        layout = QVBoxLayout(dialog)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(10)
        layout.addLayout(bar)
        layout.addWidget(whole, 1)
        layout.addLayout(bottom)

    def show_heads(self, counts: str, trouble: str) -> None:
        """Say what the tables have, and why no step could be made."""
        steps, targets = self.steps_model.rowCount(), self.targets_model.rowCount()
        self.steps_head.setText(f"Steps ({steps})" if steps else "Steps")
        self.targets_head.setText(f"{_NO_TARGETS}, not taken ({targets})")
        self.targets_head.setToolTip(_TARGETS_TIP)
        self._targets_part.setVisible(bool(targets))
        self.counts.setText(counts or _NOTHING)
        self.trouble.setText(trouble)
        self.trouble.setVisible(bool(trouble))


def _button(icons: Icons, icon: str, text: str, tip: str) -> QPushButton:
    button = QPushButton(icons.get(icon), text)
    button.setToolTip(tip)
    button.setAutoDefault(False)
    return button


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("heading")
    return label


def _below(head: QLabel, part: QWidget) -> QWidget:
    found = QWidget()
    column = QVBoxLayout(found)
    column.setContentsMargins(10, 6, 0, 6)
    column.setSpacing(4)
    column.addWidget(head)
    column.addWidget(part, 1)
    return found
