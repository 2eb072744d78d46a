"""The report of a session on screen, in full or in the lab's form."""

from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from app.report.document import Document, build_document
from app.ui.kit.background import Background
from app.ui.kit.icons import Icons
from app.ui.kit.labels import make_chip
from app.ui.kit.rows_model import RowsModel
from app.ui.kit.sentences import Sentences
from app.ui.kit.shared_height import SharedHeight
from app.ui.kit.theme import Theme
from app.ui.session.record import Record
from app.ui.session.report_further import FurtherTables
from app.ui.session.report_table import Cells, ReportTable


class ReportPanel(QWidget):
    """The table, a tick for the lab's form, further tables and the notes below.

    Attributes:
        further: The tables below the first one.
        notes: What is to be known of the figures.

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
        self._table: ReportTable | None = None
        self._lab = QCheckBox("&Lab form")
        self._lab.setToolTip(
            "Four columns as in a lab report: no IOPS for sequential loads, "
            "no MB/s for small random loads (Alt+L)"
        )
        self._lab.toggled.connect(self.refresh)
        self._fake = make_chip("", "These sources are simulators, not devices")
        self.notes = Sentences("Notes of the report", "What is to be known of them")
        self.further = FurtherTables(theme, icons)
        self.further.row_wanted.connect(self.step_chosen)
        self._split = SharedHeight()
        self.further.changed.connect(self._split.share)
        self._build()

    def _build(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 8, 12, 6)
        bar.addWidget(self._lab)
        bar.addStretch(1)
        bar.addWidget(self._fake)
        self._split.addWidget(self.further)
        self._split.addWidget(self.notes)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self._split, 1)
        self.setObjectName("surface")

    @property
    def is_lab(self) -> bool:
        """Whether the lab's form is chosen."""
        return self._lab.isChecked()

    @property
    def model(self) -> RowsModel[Cells] | None:
        """What the table shows, None until the report of the session is made."""
        return None if self._table is None else self._table.lines

    def set_record(self, record: Record | None) -> None:
        """Show the report of this session; until it is made, none."""
        self._record = record
        self._drop_table()
        self.further.show_reports(())
        self._fake.hide()
        self.notes.tell(())
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Make the table again; off the GUI thread."""
        record, lab = self._record, self.is_lab
        if record is not None:
            self._background.run(
                lambda: (
                    record,
                    build_document(record.session, lab=lab, verify=False),
                ),
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
        self.notes.tell([*document.warnings, *document.notes])
        self._drop_table()
        table = ReportTable(document.table, "Report table", self._theme, self._icons)
        table.setToolTip("Double-click a row to see its traces")
        table.row_wanted.connect(self.step_chosen)
        self._split.insertWidget(0, table)
        self._table = table
        self.further.show_reports(document.more)
        self._split.set_parts(((table, 4), (self.further, 3), (self.notes, 1)))

    def _drop_table(self) -> None:
        self._split.set_parts(())
        if self._table is not None:
            self._table.hide()
            self._table.setParent(None)
            self._table.deleteLater()
        self._table = None
