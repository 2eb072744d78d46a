"""The steps of the campaign in hand as a table that can be edited and reordered."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import (
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor

from app.operations.editing.check import Mistake
from app.operations.editing.values import summary, to_value
from app.ui.campaign.fio_advice import Advice
from app.ui.kit.context import Context
from app.ui.kit.rows_model import Column, RowsModel
from instruments.settings import Kind, Option, written

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole
_SPOKEN = Qt.ItemDataRole.AccessibleTextRole
_Flag = Qt.ItemFlag
_MIME = "application/x-bayscope-steps"
Step = Mapping[str, object]


def _key(name: str) -> Callable[[Step], str]:
    return lambda step: written(step.get(name))


def _limits(step: Step) -> str:
    found = step.get("limits")
    return str(len(found)) if isinstance(found, list) and found else ""


COLUMNS = (
    Column[Step](
        "On", lambda _: "", tip=lambda _: "Include this step in the run (Space)"
    ),
    Column("Step", _key("label")),
    Column("Engine", _key("engine")),
    Column("Options", summary),
    Column("Ramp", _key("ramp")),
    Column("Runtime", _key("runtime")),
    Column("\N{MULTIPLICATION SIGN}", _key("repeat")),
    Column("Limits", _limits),
)
ON, LABEL, OPTIONS = 0, 1, 3
_EDITED = {
    ON: ("enabled", Kind.FLAG),
    LABEL: ("label", Kind.TEXT),
    4: ("ramp", Kind.DURATION),
    5: ("runtime", Kind.DURATION),
    6: ("repeat", Kind.INTEGER),
}
"""Key and kind of the columns that can be edited in place."""

RARE = (4, 6, 7)
"""Columns that are shown only where a step has something in them."""


class StepsModel(RowsModel[Step]):
    """Shows steps as they stand in the text, right or wrong.

    Signals:
        edited: A key (str) of a row (int) is to have another value (object).
        dropped: Rows (list) were dropped in front of another one (int).
    """

    edited = Signal(int, str, object)
    dropped = Signal(object, int)

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(COLUMNS, context, parent)
        self._mistakes: dict[int, str] = {}
        self._advice: dict[int, Advice] = {}

    def set_records(self, records: Sequence[Step]) -> None:
        """Show these; the selection stays only where their count does."""
        if len(records) == self.rowCount():
            super().set_records(records)
            return
        # Steps are put in anywhere: rows appended at the end would be the wrong ones.
        self.beginResetModel()
        self._records = list(records)
        self.endResetModel()

    def set_mistakes(self, mistakes: Sequence[Mistake]) -> None:
        """Mark the rows that have a mistake."""
        found = {
            m.item[1]: m.sentence for m in mistakes if m.item and m.item[0] == "step"
        }
        changed, self._mistakes = {*found, *self._mistakes}, found
        self._rows_changed(changed)

    def set_advice(self, advice: Mapping[int, Advice]) -> None:
        """Mark the rows of which fio would make something else."""
        changed, self._advice = {*advice, *self._advice}, dict(advice)
        self._rows_changed(changed)

    def _rows_changed(self, rows: Iterable[int]) -> None:
        last = self.columnCount() - 1
        for row in rows:
            if row < self.rowCount():
                self.dataChanged.emit(self.index(row, 0), self.index(row, last))

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Let rows be dragged, and dropped between others."""
        if not index.isValid():
            return _Flag.ItemIsDropEnabled
        found = _Flag.ItemIsEnabled | _Flag.ItemIsSelectable | _Flag.ItemIsDragEnabled
        if index.column() == ON:
            found |= _Flag.ItemIsUserCheckable
        elif index.column() in _EDITED:
            found |= _Flag.ItemIsEditable
        return found

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        """Get one cell."""
        step = self.record(index)
        if step is None:
            return None
        is_on = step.get("enabled", True) is not False
        text = COLUMNS[index.column()].text(step)
        mistake = self._mistakes.get(index.row(), "")
        cell: dict[int, Any] = {_Role.EditRole: text}
        if not is_on:
            cell[_Role.ForegroundRole] = QColor(self._context.theme.tokens.disabled)
        if mistake:
            cell[_Role.ToolTipRole] = mistake
        if index.column() == ON:
            checked, unchecked = Qt.CheckState.Checked, Qt.CheckState.Unchecked
            cell[_Role.CheckStateRole] = checked if is_on else unchecked
            cell[_SPOKEN] = "is run" if is_on else "is not run"
        elif index.column() == LABEL:
            cell |= self._mark(index.row(), text)
        return cell[role] if role in cell else super().data(index, role)

    def _mark(self, row: int, text: str) -> dict[int, Any]:
        """Mark a step that has a mistake, or of which fio makes something else."""
        mistake, advice = self._mistakes.get(row), self._advice.get(row)
        icons = self._context.icons
        if mistake:
            icon = icons.get("triangle-alert", "error")
            return {
                _Role.DecorationRole: icon,
                _SPOKEN: f"{text}, has a mistake: {mistake}",
            }
        if advice is None:
            return {}
        return {
            _Role.DecorationRole: icons.get(
                "triangle-alert", "error" if advice.is_bad else "warn"
            ),
            _Role.ToolTipRole: advice.text,
            _SPOKEN: f"{text}: {advice.text}",
        }

    def setData(self, index: _Index, value: Any, role: int = _Role.EditRole) -> bool:
        """Emit what was entered; the text of the campaign is what changes."""
        key, kind = _EDITED.get(index.column(), ("", Kind.TEXT))
        if role == _Role.CheckStateRole and index.column() == ON:
            is_on = Qt.CheckState(value) == Qt.CheckState.Checked
            self.edited.emit(index.row(), key, None if is_on else False)
            return True
        if role == _Role.EditRole and key:
            entered = to_value(Option(key, "", kind), str(value))
            self.edited.emit(index.row(), key, entered)
            return True
        return False

    def supportedDropActions(self) -> Qt.DropAction:
        """Rows are moved."""
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        """Rows of this table, and nothing else."""
        return [_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Write the rows that are dragged."""
        rows = sorted({index.row() for index in indexes})
        data = QMimeData()
        data.setData(_MIME, json.dumps(rows).encode())
        return data

    def dropMimeData(
        self,
        data: QMimeData,
        action: Qt.DropAction,
        row: int,
        column: int,  # noqa: ARG002 - a row is dropped as a whole
        parent: _Index,
    ) -> bool:
        """Tell where rows were dropped; on a row is in front of it."""
        if action != Qt.DropAction.MoveAction or not data.hasFormat(_MIME):
            return False
        rows = json.loads(bytes(data.data(_MIME).data()))
        place = row if row >= 0 else parent.row() if parent.isValid() else -1
        self.dropped.emit(rows, place if place >= 0 else self.rowCount())
        return True
