"""fio jobs that are pasted or opened: what was found in them, the steps they make."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFileDialog, QLabel, QWidget

from app.operations.editing.fio_jobs import (
    FioImport,
    NothingToImportError,
    import_fio_text,
    included,
    read_job_text,
)
from app.operations.editing.values import summary
from app.plan.fio.targets import NamedTarget
from app.plan.step import Step
from app.ui.campaign.fio_jobs.parts import BusyLine, FindingsTable, JobTextEdit
from app.ui.kit.context import Context
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.question import Question
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.states import Look
from app.ui.kit.tables import Table
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
from instruments.durations import format_duration
from instruments.sizes import counted
from workloads.fio.paste.finding import Finding, Weight

PASTED = "Pasted fio jobs"
_SIZE = (1180, 660)
_TEXT, _MADE = 520, 620
_UPPER, _LOWER = 270, 260
_STEPS, _TARGETS = 150, 100
_NOTHING = "How fio would behave, and the decisions you have to make."
_NO_TARGETS = "Files and disks in the text"
_TARGETS_TIP = "The bench defines what is tested: target and size in [dut]"
_FILTER = "fio jobs, scripts (*.fio *.job *.ini *.sh *.bat *.cmd *.txt);;All files (*)"
_NO_STEP = "No step can be made from the text; the findings say why."
_STOPPED = "The text was not read to the end. Change it to have it read again."
_DECIDE = "change the text above until it says what you want, or the steps afterwards."


class JobsTaken(NamedTuple):
    """An import, its name, and whether a new campaign is begun with its steps."""

    found: FioImport
    name: str
    is_new: bool


class FioJobsDialog(QDialog):
    """Reads the text whenever it changes; a step is made only by its last buttons.

    Attributes:
        reader: What reads the text.
        found: What the text comes to; None where nothing can be made of it.
        taken: What the user chose, once the dialog was accepted.
    """

    def __init__(self, context: Context, *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Paste or open fio jobs")
        self._name = PASTED
        self._folder: Path | None = None
        self.found: FioImport | None = None
        self.taken: JobsTaken | None = None
        self.reader = Question(context.background, self, one_at_a_time=True)
        self._background = context.background
        self.text = JobTextEdit(context.theme)
        self.findings_model = RowsModel[Finding](finding_columns(), context, self)
        self.findings = FindingsTable(self.findings_model)
        self.steps_model = RowsModel[Step](step_columns(), context, self)
        name = "Steps made from the text"
        self.steps = Table(self.steps_model, name, stretch=1)
        self.targets_model = RowsModel[NamedTarget](target_columns(), context, self)
        name = "Files and disks in the text, which are not used"
        self.targets = Table(self.targets_model, name)
        self.source = named(ElidedLabel(), "", look="muted")
        icons = context.icons
        tip = "Open a job file or a script (Alt+O)"
        self.open_button = make_button(
            "&Open...", tip, self._choose, icon=icons.get("folder-open")
        )
        tip = "Take the text of the clipboard (Alt+P)"
        self.paste_button = make_button(
            "&Paste", tip, self._paste, icon=icons.get("file-text")
        )
        tip = "Empty the text (Alt+L)"
        self.clear_button = make_button(
            "C&lear", tip, lambda: self.show_text(""), icon=icons.get("x")
        )
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
        self._lay_out()
        self._connect()
        self.resize(*_SIZE)
        self._show(None, ())
        self.text.setFocus()

    def _lay_out(self) -> None:
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
            of=self,
            grows=whole,
            margins=DIALOG_MARGINS,
            spacing=10,
        )

    def _connect(self) -> None:
        self.text.textChanged.connect(self._read)
        self.busy.stopped.connect(self._stop)
        self.findings.selectionModel().selectionChanged.connect(self._show_place)
        self.new_button.clicked.connect(lambda: self._end(is_new=True))
        self.add_button.clicked.connect(lambda: self._end(is_new=False))
        self.buttons.rejected.connect(self.reject)
        self.reader.answered.connect(lambda found: self._show(found, found.findings))
        self.reader.failed.connect(self._fail)

    def show_text(
        self, text: str, name: str = PASTED, folder: Path | None = None
    ) -> None:
        """Read another text.

        Args:
            text: The text.
            name: What the campaign will be called.
            folder: Where files are that it includes, None where none may be read.
        """
        self._name, self._folder = name, folder
        self.source.setText("" if folder is None else str(folder / name))
        self.text.setPlainText(text)
        self.text.setFocus()

    def open_file(self, path: Path) -> None:
        """Show the text of a file and read it."""
        self._background.run(
            lambda: read_job_text(path),
            lambda text: self.show_text(text, path.name, path.parent),
            self._refuse,
        )

    @Slot()
    def _choose(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, "Open fio jobs", str(self._folder or ""), _FILTER
        )
        if name:
            self.open_file(Path(name))

    @Slot()
    def _paste(self) -> None:
        self.show_text(QGuiApplication.clipboard().text())

    @Slot()
    def _read(self) -> None:
        """Read what stands there now, in a moment."""
        self.found = None
        self.text.mark_lines(())
        text, name, folder = self.text.toPlainText(), self._name, self._folder
        include = None if folder is None else included(folder)
        if text.strip():
            # Not the last text again: its name or folder may be others.
            self.reader.forget()
            self.reader.ask(text, lambda: import_fio_text(text, name, include))
            self.busy.begin()
            self._allow()
        else:
            self.reader.forget()
            self._show(None, ())

    @Slot(object)
    def _refuse(self, error: Exception) -> None:
        """Say why a file cannot be opened; what stands there stays as it is."""
        self.trouble.setText(str(error))
        self.trouble.show()

    @Slot(object)
    def _fail(self, error: Exception) -> None:
        findings = error.findings if isinstance(error, NothingToImportError) else ()
        is_explained = any(one.decide for one in findings)
        self._show(None, findings, _NO_STEP if is_explained else str(error))

    def _show(
        self, found: FioImport | None, findings: Sequence[Finding], trouble: str = ""
    ) -> None:
        self.found = found
        self.findings_model.set_records(in_order(findings))
        self.findings.clearSelection()
        self.findings.scrollToTop()
        self.steps_model.set_records(found.campaign.steps if found else ())
        self.targets_model.set_records(found.targets if found else ())
        steps, targets = self.steps_model.rowCount(), self.targets_model.rowCount()
        self.steps_head.setText(f"Steps ({steps})" if steps else "Steps")
        self.targets_head.setText(f"{_NO_TARGETS}, not used ({targets})")
        self._targets_part.setVisible(bool(targets))
        self.counts.setText(count_text(findings) or _NOTHING)
        self.trouble.setText(trouble)
        self.trouble.setVisible(bool(trouble))
        self._allow()

    def _allow(self) -> None:
        """Say what can be done now."""
        found = self.found
        for button in (self.add_button, self.new_button):
            button.setEnabled(found is not None)
        if not self.reader.is_open:
            number = len(found.decisions) if found else 0
            needed = counted(number, "decision")
            self.busy.end(f"{needed} needed: {_DECIDE}" if number else "")

    @Slot()
    def _stop(self) -> None:
        self.reader.forget()
        self._show(None, (), _STOPPED)

    @Slot()
    def _show_place(self) -> None:
        choice = self.findings_model.at(self.findings.chosen_row())
        self.text.show_lines(choice.lines if choice else ())

    def _end(self, *, is_new: bool) -> None:
        if self.found is not None:
            self.taken = JobsTaken(self.found, self._name, is_new)
            self.accept()

    def done(self, result: int) -> None:
        """Close; a text that is still being read is given up."""
        self.reader.forget()
        super().done(result)


def _below(head: QLabel, part: QWidget) -> QWidget:
    return panel(head, part, grows=part, margins=(10, 6, 0, 6), spacing=4)


_MARK = Look("decide", "triangle-alert", "error")
_LOOKS = {
    Weight.TRAP: Look("trap", "triangle-alert", "warn"),
    Weight.EXCLUDED: Look("excluded", "ban", "muted"),
    Weight.NOTE: Look("note", "info", "muted"),
}
_ORDER = tuple(_LOOKS)
_MOST_LINES = 4


def finding_columns() -> list[Column[Finding]]:
    """Make the columns of findings."""
    return [
        Column("", lambda one: look_of_finding(one).word, look=look_of_finding),
        Column("Line", lambda one: lines_text(one.lines), tip=_lines_tip, right=True),
        Column("Text", lambda one: one.quote),
        Column("fio's behaviour", lambda one: one.fio),
        Column("Imported as", lambda one: one.made),
    ]


def look_of_finding(one: Finding) -> Look:
    """Get how much a finding matters."""
    return _MARK if one.decide else _LOOKS[one.weight]


def in_order(findings: Sequence[Finding]) -> list[Finding]:
    """Put what has to be decided first, then traps, what is left out, and notes."""
    return sorted(
        findings, key=lambda one: (not one.decide, _ORDER.index(one.weight), one.lines)
    )


def lines_text(lines: Sequence[int]) -> str:
    """Write lines, such as "3, 5" or "2, 5, 8, 11 ..."."""
    shown = ", ".join(str(line) for line in lines[:_MOST_LINES])
    return f"{shown} ..." if len(lines) > _MOST_LINES else shown


def count_text(findings: Sequence[Finding]) -> str:
    """Tell how many findings there are of each kind, "" without any."""
    decide = sum(finding.decide for finding in findings)
    counts = [(decide, "decision needed" if decide == 1 else "decisions needed")]
    for weight, word in (
        (Weight.TRAP, "traps"),
        (Weight.EXCLUDED, "excluded"),
        (Weight.NOTE, "notes"),
    ):
        several = sum(
            finding.weight is weight and not finding.decide for finding in findings
        )
        counts.append((several, word.removesuffix("s") if several == 1 else word))
    return ", ".join(f"{count} {word}" for count, word in counts if count)


def step_columns() -> list[Column[Step]]:
    """Make the columns of the steps that a text makes."""
    return [
        Column("Step", lambda one: one.label),
        Column("Options", _options),
        Column("Runtime", lambda one: format_duration(one.runtime_s), right=True),
    ]


def _options(step: Step) -> str:
    options = {k: v for k, v in step.options.items() if (k, v) != ("numjobs", "1")}
    return summary({"engine": step.engine, step.engine: options})


def target_columns() -> list[Column[NamedTarget]]:
    """Make the columns of the targets that a text names."""
    return [
        Column("File or disk", lambda one: one.path),
        Column("Size", lambda one: one.size, right=True),
        Column("Jobs", lambda one: "write" if one.writes else "read"),
        Column("Line", lambda one: lines_text(one.lines), tip=_lines_tip, right=True),
    ]


def _lines_tip(one: Finding | NamedTarget) -> str:
    return ", ".join(str(line) for line in one.lines)
