"""The report of a session on screen: every result, or in a form."""

from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QStackedWidget,
    QWidget,
)

from app.report.document import Document, build_document
from app.report.spread import with_spread
from app.report.table import WORDS
from app.report.table import Table as Report
from app.report.tables import result_at
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.context import Context
from app.ui.kit.labels import make_chip
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.sentences import Sentences
from app.ui.kit.settings import Settings
from app.ui.kit.shared_height import SharedHeight
from app.ui.kit.states import Look, look_of_run
from app.ui.kit.tables import Looked, SpreadTable
from app.ui.kit.widgets import column, make_heading, row
from app.ui.session.form_box import FormBox, make_spread_box
from app.ui.session.inspector import Inspected, Inspector
from app.ui.session.record import Record
from instruments.errors import one_line

Cells = tuple[str, ...]

_LEAST_HEAD, _BELOW = 44, 12


class ReportTable(SpreadTable):
    """Shows a table of a report as its files have it.

    Args:
        report: The table.
        name: What a screen reader calls it.
        context: What the parts of the window share.
        leads: Whether somebody shows what is behind rows and figures.

    Attributes:
        lines: Its rows as texts.

    Signals:
        row_wanted: The user wants what is behind a row (what stands first in it).
        cell_wanted: The user wants what is behind a figure: that, the result, and how
            they came there (Looked).
    """

    row_wanted = Signal(str)
    cell_wanted = Signal(str, str, object)

    def __init__(
        self, report: Report, name: str, context: Context, *, leads: bool = True
    ) -> None:
        self.lines = RowsModel[Cells](_columns(report), context)
        self.lines.set_records([tuple(row) for row in report.texts()])
        super().__init__(self.lines, name)
        self._report = report
        self.let_fold()
        # Rows of a sweep or a configuration differ at their ends.
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.lines.setParent(self)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        leading = (
            ("&Explain", lambda: self._look(self.currentIndex(), Looked.ASKED)),
            ("&Show in the charts", lambda: self._want_row(self.currentIndex())),
        )
        if leads:
            self.looked.connect(self._look)
            self.tell_looks()
        for text, act in (*(leading if leads else ()), ("&Copy", self.copy)):
            action = QAction(text, self)
            action.triggered.connect(act)
            self.addAction(action)
        if any("\n" in _title(head) for head in report.heads):
            self.horizontalHeader().setMinimumHeight(_LEAST_HEAD)

    @property
    def full_height(self) -> int:
        """Pixels that show all rows."""
        head = max(self.horizontalHeader().sizeHint().height(), _LEAST_HEAD)
        return head + self.verticalHeader().length() + _BELOW

    def copy(self) -> None:
        """Put the heads, and the selected rows or all, on the clipboard."""
        super().copy()
        clipboard = QGuiApplication.clipboard()
        heads = "\t".join(self._report.heads)
        clipboard.setText(f"{heads}\n{clipboard.text()}")

    @Slot(QModelIndex, object)
    def _look(self, index: QModelIndex, how: Looked) -> None:
        """Want what is behind a figure; of a name, where it is asked for, its row."""
        place = index.row(), index.column()
        name = result_at(self._report, *place, blank=True) if index.isValid() else ""
        if name:
            self.cell_wanted.emit(self._report.label_at(*place), name, how)
        elif how is Looked.ASKED:
            self._want_row(index)

    def _want_row(self, index: QModelIndex) -> None:
        if index.isValid():
            label = self._report.label_at(index.row(), index.column())
            self.row_wanted.emit(label)


def _title(head: str) -> str:
    return head.replace(" (", "\n(", 1)


def _columns(report: Report) -> list[Column[Cells]]:
    columns = []
    for index, one in enumerate(report.columns):
        title, cell = _title(one.head), itemgetter(index)
        if one.key == "verdict":
            columns.append(Column[Cells](title, cell, _look_at(index)))
        else:
            is_figure = one.key not in WORDS
            tip = None if is_figure else cell
            columns.append(Column[Cells](title, cell, tip=tip, right=is_figure))
    return columns


def _look_at(index: int) -> Callable[[Cells], Look]:
    def look(cells: Cells) -> Look:
        state, comma, marks = cells[index].partition(", ")
        return look_of_run(state, f"{comma}{marks}")

    return look


_TIPS = {
    "Other devices": "What other devices on the bench drew in each step",
    "Efficiency and cost": "What follows from the power of each step",
    "Checklists": "How many rules of each method the session keeps",
    "Gates": "What published rules require of a row, and how well each was measured",
}
_COPY = "Ctrl+C copies the chosen row, or the table"


class FurtherTables(QWidget):
    """Shows one of the further tables; the box above it chooses which.

    Args:
        context: What the parts of the window share.
        label: What stands before the box.
        leads: Whether somebody shows what is behind rows and figures.

    Attributes:
        box: The titles; hidden where there is no choice.
        title: The title of the only one.

    Signals:
        row_wanted: The user wants what is behind a row (what stands first in it).
        cell_wanted: What is behind a figure is wanted, as a table tells it.
        changed: Another table is shown.
    """

    row_wanted = Signal(str)
    cell_wanted = Signal(str, str, object)
    changed = Signal()

    def __init__(
        self, context: Context, label: str = "More res&ults", *, leads: bool = True
    ) -> None:
        super().__init__()
        self._context, self._leads = context, leads
        self._wanted = ""
        self.title = QLabel("")
        self.title.setObjectName("heading")
        self.box = ComboBox()
        self.box.setAccessibleName("Table shown below")
        self.box.setToolTip("Which of the tables below the report is shown (Alt+U)")
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._label = QLabel(label)
        self._label.setBuddy(self.box)
        self._stack = QStackedWidget()
        parts = (self.title, self._label, self.box, None)
        head = self._head = row(*parts, margins=(12, 8, 12, 6), spacing=8)
        column(head, self._stack, of=self, grows=self._stack, spacing=0)
        self.box.currentIndexChanged.connect(self._stack.setCurrentIndex)
        self.box.currentIndexChanged.connect(self.changed)
        self.box.activated.connect(self._want)
        self.hide()

    @property
    def titles(self) -> list[str]:
        """What can be shown."""
        return [self.box.itemText(number) for number in range(self.box.count())]

    @property
    def table(self) -> ReportTable | None:
        """What is shown, None where there is nothing."""
        found = self._stack.currentWidget()
        return found if isinstance(found, ReportTable) else None

    @property
    def full_height(self) -> int:
        """Pixels that show all rows of the table."""
        table = self.table
        rows = 0 if table is None else table.full_height
        return self._head.sizeHint().height() + rows

    def show_reports(self, reports: Sequence[tuple[str, Report]]) -> None:
        """Show these, each with its title; one that was chosen stays chosen."""
        self.box.clear()
        while (old := self._stack.currentWidget()) is not None:
            self._stack.removeWidget(old)
            old.hide()
            old.deleteLater()
        for title, report in reports:
            table = ReportTable(report, title, self._context, leads=self._leads)
            table.setToolTip(_TIPS.get(title, _COPY))
            table.row_wanted.connect(self.row_wanted)
            table.cell_wanted.connect(self.cell_wanted)
            table.folded.connect(self.changed)
            self._stack.addWidget(table)
            self.box.addItem(one_line(title))
        titles = self.titles
        if self._wanted in titles:
            self.box.setCurrentIndex(titles.index(self._wanted))
        several = len(titles) > 1
        self.box.setVisible(several)
        self._label.setVisible(several)
        self.title.setVisible(not several)
        self.title.setText(titles[0] if titles else "")
        self.setVisible(bool(titles))

    @Slot()
    def _want(self) -> None:
        """Remember which one the user chose."""
        self._wanted = self.box.currentText()


_Look = tuple[str, bool]
"""The form of the tables, and whether figures have their uncertainty beside them."""


def _made(record: Record, look: _Look) -> tuple[Record, _Look, Document]:
    """Make the report of a session; runs in a worker."""
    form, spread = look
    document = build_document(record.session, form=form, verify=False)
    return record, look, with_spread(document) if spread else document


_FORM, _SPREAD, _YES = "report_form", "report_uncertainty", "yes"
_INSPECTOR = "report_inspector"
"""Keys of the settings, and what stands there for a box that is ticked."""


class ReportPanel(QWidget):
    """The table, its form, further tables and the notes below.

    Attributes:
        forms: Chooses the form of the tables.
        spread: Whether figures have their uncertainty beside them.
        further: The tables below the first one.
        notes: Notes on the figures.
        inspector: What a figure was made of.

    Signals:
        step_chosen: The user wants to see the traces behind a row (its label).
        cell_chosen: What is behind a figure is wanted, as a table tells it.
    """

    step_chosen = Signal(str)
    cell_chosen = Signal(str, str, object)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._record: Record | None = None
        self._table: ReportTable | None = None
        self.forms = FormBox(context.background)
        self.forms.chosen.connect(self.refresh)
        self.spread = make_spread_box()
        self.spread.toggled.connect(self.refresh)
        self._caption = make_heading("")
        self._fake = make_chip("", "These sources are simulators, not devices")
        self.notes = Sentences("Notes of the report", "Notes")
        self.further = FurtherTables(context)
        self.further.row_wanted.connect(self.step_chosen)
        self.further.cell_wanted.connect(self.cell_chosen)
        self.inspector = Inspector(context)
        self._split = SharedHeight()
        tables = QWidget()  # a splitter whose parts are all hidden cannot be high
        column(self._split, of=tables)
        self._inspected = Inspected(tables, self.inspector)
        self.further.changed.connect(self._split.share)
        self._build()

    def _build(self) -> None:
        label = QLabel("&Form")
        label.setBuddy(self.forms)
        parts = (label, self.forms, self.spread, self._caption, None, self._fake)
        bar = row(*parts, margins=(12, 8, 12, 6), spacing=8)
        self._split.addWidget(self.further)
        self._split.addWidget(self.notes)
        column(bar, self._inspected, of=self, grows=self._inspected, spacing=0)
        self.setObjectName("surface")

    def keep_in(self, settings: Settings) -> None:
        """Look as it did when the program was ended last; keep how it looks."""
        self.forms.prefer(settings.get(_FORM))
        self.spread.setChecked(settings.get(_SPREAD) == _YES)
        self.forms.chosen.connect(lambda: settings.put(_FORM, self.form))
        self.spread.toggled.connect(
            lambda on: settings.put(_SPREAD, _YES if on else "")
        )
        self._inspected.keep_in(settings, _INSPECTOR)

    @property
    def form(self) -> str:
        """The form that is chosen, "" for every result."""
        return self.forms.form

    @property
    def _look(self) -> _Look:
        return self.form, self.spread.isChecked()

    @property
    def model(self) -> RowsModel[Cells] | None:
        """What the table shows, None until the report of the session is made."""
        return None if self._table is None else self._table.lines

    def set_record(self, record: Record | None) -> None:
        """Show the report of this session; until it is made, none."""
        self._record = record
        self.inspector.forget()
        self._drop_table()
        self.further.show_reports(())
        self._fake.hide()
        self.notes.tell(())
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Make the table again; off the GUI thread."""
        record = self._record
        if record is not None:
            self._context.background.run(
                partial(_made, record, self._look),
                self._take,
                partial(self._give_up, record),
            )

    def _give_up(self, record: Record, error: Exception) -> None:
        """Pass an error on, unless it is about a session that is shown no longer."""
        if record is self._record:
            self._context.background.failed.emit(error)

    @Slot(object)
    def _take(self, answer: tuple[Record, _Look, Document]) -> None:
        record, look, document = answer
        if record is not self._record or look != self._look:
            return
        self._fake.setText(document.label)
        self._fake.setVisible(bool(document.label))
        self._caption.setText(one_line(document.caption))
        self.notes.tell([*document.warnings, *document.notes])
        self._drop_table()
        table = ReportTable(document.table, "Report table", self._context)
        table.setToolTip(
            "Click a figure to see what it was made of, double-click a name to see its "
            "traces"
        )
        table.row_wanted.connect(self.step_chosen)
        table.cell_wanted.connect(self.cell_chosen)
        table.folded.connect(self._split.share)
        self._split.insertWidget(0, table)
        self._table = table
        self.further.show_reports((*document.more, *document.checklists))
        self._split.set_parts(((table, 4), (self.further, 3), (self.notes, 1)))

    def _drop_table(self) -> None:
        self._split.set_parts(())
        if self._table is not None:
            self._table.hide()
            self._table.setParent(None)
            self._table.deleteLater()
        self._table = None
