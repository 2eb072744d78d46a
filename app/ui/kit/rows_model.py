"""A read-only table of records: the one item model behind every list."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtGui import QColor

from app.ui.kit.context import Context
from app.ui.kit.states import Look
from app.ui.kit.theme import tabular
from instruments.errors import one_line, printable

_Record = TypeVar("_Record")
_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_MOST = 200
"""Of so many rows that are others it takes longer to tell than to begin again."""
_Role = Qt.ItemDataRole


@dataclass(frozen=True)  # no slots: Column[...]() sets an attribute on 3.11
class Column(Generic[_Record]):
    """One column.

    Attributes:
        title: Its head.
        text: What a record shows in it.
        look: State shown as icon and coloured word, or None.
        tip: Longer text on hover, or None.
        right: Whether it holds numbers, flush right.
        lines: Whether its text has several lines.
    """

    title: str
    text: Callable[[_Record], str]
    look: Callable[[_Record], Look] | None = None
    tip: Callable[[_Record], str] | None = None
    right: bool = False
    lines: bool = False


class RowsModel(QAbstractTableModel, Generic[_Record]):
    """Shows records through columns; new ones at the end keep the selection."""

    def __init__(
        self,
        columns: Sequence[Column[_Record]],
        context: Context,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._columns = tuple(columns)
        self._records: list[_Record] = []
        self._context = context
        context.theme.changed.connect(self._recolour)

    @property
    def records(self) -> list[_Record]:
        """What it shows."""
        return list(self._records)

    def record(self, index: _Index) -> _Record | None:
        """Get the record of a row, or None for an index outside."""
        return self.at(index.row())

    def at(self, row: int) -> _Record | None:
        """Get the record of a row by its number, or None outside."""
        return self._records[row] if 0 <= row < len(self._records) else None

    def set_records(self, records: Sequence[_Record]) -> None:
        """Show these; what is equal to before stays untouched."""
        old, new = self._records, list(records)
        if old == new:
            return
        count = len(old)
        pairs = enumerate(zip(old, new, strict=False))
        # Most are the very same, and to compare all their fields takes long.
        others = (row for row, (a, b) in pairs if a is not b and a != b)
        if len(new) < count or len(changed := [*islice(others, _MOST)]) == _MOST:
            self.beginResetModel()
            self._records = new
            self.endResetModel()
            return
        self._records = new[:count]
        for row in changed:
            last = self.index(row, len(self._columns) - 1)
            self.dataChanged.emit(self.index(row, 0), last)
        if len(new) > count:
            self.beginInsertRows(QModelIndex(), count, len(new) - 1)
            self._records = new
            self.endInsertRows()

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        """Count the records."""
        return 0 if parent.isValid() else len(self._records)

    def columnCount(self, parent: _Index = _NOWHERE) -> int:
        """Count the columns."""
        return 0 if parent.isValid() else len(self._columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole
    ) -> Any:
        """Get the head of a column."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == _Role.DisplayRole and section < len(self._columns):
            return self._columns[section].title
        if role == _Role.TextAlignmentRole and section < len(self._columns):
            return _alignment(right=self._columns[section].right)
        return None

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        """Get one cell: text, icon, colour, alignment or tool tip."""
        record = self.record(index)
        if record is None or not 0 <= index.column() < len(self._columns):
            return None
        column = self._columns[index.column()]
        if role == _Role.DisplayRole:
            return self._shown(column, record)
        if role == _Role.ToolTipRole:
            return printable((column.tip or column.text)(record), "\n")
        if role == _Role.TextAlignmentRole:
            return _alignment(right=column.right)
        if role == _Role.FontRole:
            return tabular()
        return self._look(column, record, role)

    def _shown(self, column: Column[_Record], record: _Record) -> str:
        if column.look is not None:
            return column.look(record).word
        text = column.text(record)
        return printable(text, "\n") if column.lines else one_line(text)

    def _look(self, column: Column[_Record], record: _Record, role: int) -> Any:
        if column.look is None:
            return None
        look = column.look(record)
        if role == _Role.DecorationRole and look.word:
            return self._context.icons.get(look.icon, look.token)
        if role == _Role.ForegroundRole:
            return QColor(getattr(self._context.theme.tokens, look.token))
        return None

    def _recolour(self) -> None:
        if self._records:
            last = self.index(len(self._records) - 1, len(self._columns) - 1)
            roles = [_Role.DecorationRole, _Role.ForegroundRole]
            self.dataChanged.emit(self.index(0, 0), last, roles)


def _alignment(*, right: bool) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
