"""Sessions as a table: its columns, and the order they are sorted in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView

from app.record.store import SessionSummary
from app.ui.kit.context import Context
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.states import look_of_session
from app.ui.kit.tables import Table
from app.ui.session.list import length_of, started_of
from instruments.sizes import describe_size

_One = SessionSummary


@dataclass(frozen=True, slots=True)
class SortedColumn:
    """A column with what it is sorted by, and how wide it is."""

    column: Column[_One]
    key: Callable[[_One], object]
    width: int


def _plain(title: str, text: Callable[[_One], str], width: int) -> SortedColumn:
    return SortedColumn(Column(title, text), lambda one: text(one).casefold(), width)


def _note(one: _One) -> str:
    """Write the note, or why it cannot be read."""
    return one.reason or one.note


COLUMNS = (
    SortedColumn(
        Column("\N{BLACK STAR}", lambda one: "\N{BLACK STAR}" * one.starred),
        lambda one: one.starred,
        28,
    ),
    SortedColumn(
        Column("Started", lambda one: "" if one.error else started_of(one)),
        lambda one: one.started,
        164,
    ),
    _plain("Session", lambda one: one.name or one.path.stem, 188),
    SortedColumn(
        Column("Verdict", lambda one: look_of_session(one).word, look=look_of_session),
        lambda one: look_of_session(one).word,
        166,
    ),
    _plain("Device", lambda one: one.dut, 108),
    SortedColumn(
        Column("Length", length_of, right=True),
        lambda one: one.duration_s,
        60,
    ),
    SortedColumn(
        Column("Steps", lambda one: "" if one.error else str(one.steps), right=True),
        lambda one: one.steps,
        52,
    ),
    _plain("Note", _note, 50),
    _plain("Tags", lambda one: " ".join(one.tags), 100),
    _plain("Operator", lambda one: one.operator, 90),
    _plain("File", lambda one: one.path.name, 220),
    SortedColumn(
        Column("Size", lambda one: describe_size(one.size), right=True),
        lambda one: one.size,
        80,
    ),
)
"""A further column is a line here; what it is sorted by stands beside it.

Those up to the note are seen in a window 1280 pixels wide, whole.
"""

_STARTED = 1


class LibraryTable(Table):
    """Sessions that can be sorted by each column; several can be chosen.

    Signals:
        opened: This one (Path) is to be opened.
        picked: Others are chosen.
    """

    opened = Signal(object)
    picked = Signal()

    def __init__(self, context: Context) -> None:
        self._rows = RowsModel([one.column for one in COLUMNS], context)
        self._all: list[SessionSummary] = []
        self._is_arranged = False  # before: Table arranges its columns at once
        self._by, self._order = _STARTED, Qt.SortOrder.DescendingOrder
        super().__init__(self._rows, "Library of sessions", stretch=-1)
        self._rows.setParent(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        # Names differ at their ends as well, as that of a rehearsal.
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        head = self.horizontalHeader()
        head.setResizeContentsPrecision(0)
        head.setSectionsClickable(True)
        head.setSectionsMovable(True)
        head.setSortIndicatorShown(True)
        head.setSortIndicator(self._by, self._order)
        head.sortIndicatorChanged.connect(self._sort_by)
        self.activated.connect(self._open)
        self.selectionModel().selectionChanged.connect(self._pick)
        self._keeps = False

    def _arrange(self) -> None:
        """Set each column's width once: the user may change it."""
        head = self.horizontalHeader()
        mode = QHeaderView.ResizeMode.Interactive
        if self._is_arranged:
            return
        self._is_arranged = True
        for section, one in enumerate(COLUMNS):
            head.setSectionResizeMode(section, mode)
            self.setColumnWidth(section, one.width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out the new width."""
        super().resizeEvent(event)
        self._widen()

    def _widen(self) -> None:
        """Give columns that cut their texts what room is left at the right."""
        for section, one in enumerate(COLUMNS):
            spare = self.viewport().width() - self.horizontalHeader().length()
            lacking = self.sizeHintForColumn(section) - self.columnWidth(section)
            if not one.column.right and min(spare, lacking) > 0:
                more = min(spare, lacking)
                self.setColumnWidth(section, self.columnWidth(section) + more)

    @property
    def chosen(self) -> list[SessionSummary]:
        """The sessions that are chosen, from top to bottom."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        found = (self._rows.at(row) for row in rows)
        return [one for one in found if one is not None]

    @property
    def shown(self) -> list[SessionSummary]:
        """The sessions from top to bottom."""
        return self._rows.records

    def show_sessions(self, found: Sequence[SessionSummary]) -> None:
        """Show these in the order chosen; what was chosen stays so."""
        self._all = list(found)
        key = COLUMNS[self._by].key
        down = self._order is Qt.SortOrder.DescendingOrder
        new = sorted(self._all, key=key, reverse=down)  # type: ignore[arg-type]
        if new == self._rows.records:
            return
        chosen = {one.path for one in self.chosen}
        at = self.verticalScrollBar().value()
        self._keeps = True
        is_first = not self._rows.records
        self._rows.set_records(new)
        if is_first:  # later the user may have made some narrow
            self._widen()
        self.choose(chosen)
        self._keeps = False
        self.verticalScrollBar().setValue(at)
        self.picked.emit()

    def choose(self, paths: set[Path]) -> None:
        """Choose these sessions, and no others."""
        chosen = QItemSelection()
        rows = [row for row, one in enumerate(self._rows.records) if one.path in paths]
        for row in rows:
            index = self._rows.index(row, 0)
            chosen.select(index, index)
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().select(chosen, flags.ClearAndSelect | flags.Rows)
        if rows:
            index = self._rows.index(rows[0], 0)
            self.selectionModel().setCurrentIndex(index, flags.NoUpdate)

    @Slot(int, Qt.SortOrder)
    def _sort_by(self, column: int, order: Qt.SortOrder) -> None:
        self._by, self._order = column, order
        self.show_sessions(self._all)
        self.scrollToTop()

    @Slot()
    def _open(self) -> None:
        chosen = self.chosen
        if len(chosen) == 1:
            self.opened.emit(chosen[0].path)

    @Slot()
    def _pick(self) -> None:
        if not self._keeps:
            self.picked.emit()
