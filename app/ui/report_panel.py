"""The report table of a session on screen, in full or in the lab's form."""

from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.report.document import Document, build_document
from app.report.table import Table as ReportTable
from app.ui.background import Background
from app.ui.icons import Icons
from app.ui.labels import make_chip
from app.ui.record import Record
from app.ui.rows_model import Column, RowsModel
from app.ui.states import Look, look_of
from app.ui.tables import SpreadTable, Table
from app.ui.theme import Theme

Cells = tuple[str, ...]


class ReportPanel(QWidget):
    """The table, a tick for the lab's form, and the notes below.

    Signals:
        step_chosen: The user wants to see the traces behind a row (its label).
    """

    step_chosen = Signal(str)

    def __init__(self, theme: Theme, icons: Icons, background: Background) -> None:
        super().__init__()
        self._theme = theme
        self._icons = icons
        self._background = background
        self._record: Record | None = None
        self._table: Table | None = None
        self._model: RowsModel[Cells] | None = None
        self._devices: Table | None = None
        self._lab = QCheckBox("&Lab form")
        self._lab.setToolTip(
            "Four columns as in a lab report: no IOPS for sequential loads, "
            "no MB/s for small random loads (Alt+L)"
        )
        self._lab.toggled.connect(self.refresh)
        self._fake = make_chip("", "These sources are simulators, not devices")
        self._notes = QLabel("")
        self._notes.setWordWrap(True)
        self._notes.setObjectName("muted")
        self._notes.setContentsMargins(12, 6, 12, 10)
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 8, 12, 6)
        bar.addWidget(self._lab)
        bar.addStretch(1)
        bar.addWidget(self._fake)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._others = QLabel("Other devices")
        self._others.setObjectName("small")
        self._others.setIndent(12)
        self._others.setContentsMargins(0, 8, 0, 2)
        self._others.hide()
        self._layout.addLayout(bar)
        self._layout.addWidget(self._others)
        self._layout.addWidget(self._notes)
        self.setObjectName("surface")

    @property
    def is_lab(self) -> bool:
        """Whether the lab's form is chosen."""
        return self._lab.isChecked()

    @property
    def model(self) -> RowsModel[Cells] | None:
        """What the table shows, None until the report of the session is made."""
        return self._model

    def set_record(self, record: Record | None) -> None:
        """Show the report of this session; until it is made, none."""
        self._record = record
        self._drop_table()
        self._fake.hide()
        self._notes.hide()
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Make the table again; off the GUI thread."""
        record, lab = self._record, self.is_lab
        if record is not None:
            self._background.run(
                lambda: (record, build_document(record.session, lab=lab)),
                self._take,
                partial(self._give_up, record),
            )

    def _give_up(self, record: Record, error: Exception) -> None:
        """Pass an error on, unless it is about a session that is shown no longer."""
        if record is self._record:
            self._background.failed.emit(error)

    @Slot(object)
    def _take(self, answer: tuple[Record, Document]) -> None:
        record, document = answer
        if record is not self._record:
            return
        self._fake.setText(document.label)
        self._fake.setVisible(bool(document.label))
        told = [*document.warnings, *document.notes]
        self._notes.setText("\n".join(told))
        self._notes.setVisible(bool(told))
        self._show_table(document)

    def _show_table(self, document: Document) -> None:
        heads, texts = document.table.heads, document.table.texts()
        model = RowsModel[Cells](_columns(heads), self._theme, self._icons, self)
        model.set_records([tuple(row) for row in texts])
        table = SpreadTable(model, "Report table")
        table.doubleClicked.connect(lambda index: self._choose(index.row()))
        table.activated.connect(lambda index: self._choose(index.row()))
        table.horizontalHeader().setMinimumHeight(44)
        table.setToolTip("Double-click a row to see its traces")
        self._drop_table()
        self._layout.insertWidget(1, table, 3)
        self._table, self._model = table, model
        if document.devices is not None:
            self._show_devices(document.devices)

    def _show_devices(self, found: ReportTable) -> None:
        """Show what other devices on the bench drew, below the table."""
        columns = _columns(found.heads, words=2)
        model = RowsModel[Cells](columns, self._theme, self._icons, self)
        model.set_records([tuple(row) for row in found.texts()])
        table = SpreadTable(model, "Other devices")
        model.setParent(table)
        table.doubleClicked.connect(lambda index: self._choose_device(index.row()))
        table.activated.connect(lambda index: self._choose_device(index.row()))
        table.setToolTip("What other devices on the bench drew in each step")
        self._layout.insertWidget(3, table, 2)
        self._others.show()
        self._devices = table

    def _drop_table(self) -> None:
        if self._table is not None and self._model is not None:
            self._layout.removeWidget(self._table)
            self._table.hide()
            self._table.deleteLater()
            self._model.deleteLater()
        if self._devices is not None:
            self._layout.removeWidget(self._devices)
            self._devices.hide()
            self._devices.deleteLater()
        self._others.hide()
        self._table = self._model = self._devices = None

    @property
    def devices(self) -> Table | None:
        """The table of other devices, None where none was measured."""
        return self._devices

    def _choose_device(self, row: int) -> None:
        if self._devices is not None:
            step = str(self._devices.model().index(row, 0).data())
            self.step_chosen.emit(step.removesuffix(" (buffered)"))

    def _choose(self, row: int) -> None:
        if self._model is not None:
            label = self._model.records[row][0]
            self.step_chosen.emit(label.removesuffix(" (buffered)"))


def _columns(heads: Sequence[str], words: int = 1) -> list[Column[Cells]]:
    """Make columns of texts; the first so many are words, the others figures."""
    columns = []
    for index, head in enumerate(heads):
        title = head.replace(" (", "\n(", 1)
        cell = itemgetter(index)
        if head == "Verdict":
            columns.append(Column[Cells](title, cell, _look_at(index)))
        else:
            columns.append(Column[Cells](title, cell, right=index >= words))
    return columns


def _look_at(index: int) -> Callable[[Cells], Look]:
    return lambda cells: look_of(cells[index])
