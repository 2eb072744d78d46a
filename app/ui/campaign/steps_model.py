"""The steps of the campaign in hand as a table that can be edited and reordered."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
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
from app.ui.kit.theme import tabular
from instruments.errors import one_line
from instruments.settings import Kind, Option, written

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole
_SPOKEN = Qt.ItemDataRole.AccessibleTextRole
_Flag = Qt.ItemFlag
_NOWHERE = QModelIndex()
_MIME = "application/x-bayscope-steps"
Step = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    text: Callable[[Step], str]
    key: str = ""
    kind: Kind = Kind.TEXT
    tip: str = ""


def _key(name: str) -> Callable[[Step], str]:
    return lambda step: written(step.get(name))


def _limits(step: Step) -> str:
    found = step.get("limits")
    return str(len(found)) if isinstance(found, list) and found else ""


_COLUMNS = (
    _Column("On", lambda _: "", "enabled", Kind.FLAG, "Whether it is run (Space)"),
    _Column("Step", _key("label"), "label"),
    _Column("Engine", _key("engine")),
    _Column("Options", summary),
    _Column("Ramp", _key("ramp"), "ramp", Kind.DURATION),
    _Column("Runtime", _key("runtime"), "runtime", Kind.DURATION),
    _Column("\N{MULTIPLICATION SIGN}", _key("repeat"), "repeat", Kind.INTEGER),
    _Column("Limits", _limits),
)
ON, LABEL, OPTIONS = 0, 1, 3
RARE = (4, 6, 7)
"""Columns that are shown only where a step has something in them."""


class StepsModel(QAbstractTableModel):
    """Shows steps as they stand in the text, right or wrong.

    Signals:
        edited: A key (str) of a row (int) is to have another value (object).
        dropped: Rows (list) were dropped in front of another one (int).
    """

    edited = Signal(int, str, object)
    dropped = Signal(object, int)

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._steps: list[Step] = []
        self._mistakes: dict[int, str] = {}
        self._advice: dict[int, Advice] = {}
        self._font = tabular()
        context.theme.changed.connect(self._redraw)

    @property
    def steps(self) -> list[Step]:
        """What it shows."""
        return list(self._steps)

    def set_steps(self, steps: Sequence[Step]) -> None:
        """Show these; the selection stays where their count does."""
        new = list(steps)
        if len(new) != len(self._steps):
            self.beginResetModel()
            self._steps = new
            self.endResetModel()
            return
        old, self._steps = self._steps, new
        for row, (before, after) in enumerate(zip(old, new, strict=True)):
            if before != after:
                self._row_changed(row)

    def set_mistakes(self, mistakes: Sequence[Mistake]) -> None:
        """Mark the rows that have a mistake."""
        found = {
            m.item[1]: m.sentence for m in mistakes if m.item and m.item[0] == "step"
        }
        changed = {row for row in {*found, *self._mistakes} if row < len(self._steps)}
        self._mistakes = found
        for row in changed:
            self._row_changed(row)

    def set_advice(self, advice: Mapping[int, Advice]) -> None:
        """Mark the rows of which fio would make something else."""
        changed = {row for row in {*advice, *self._advice} if row < len(self._steps)}
        self._advice = dict(advice)
        for row in changed:
            self._row_changed(row)

    def _row_changed(self, row: int) -> None:
        self.dataChanged.emit(self.index(row, 0), self.index(row, len(_COLUMNS) - 1))

    def _redraw(self) -> None:
        if self._steps:
            last = self.index(len(self._steps) - 1, len(_COLUMNS) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        """Count the steps."""
        return 0 if parent.isValid() else len(self._steps)

    def columnCount(self, parent: _Index = _NOWHERE) -> int:
        """Count the columns."""
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole
    ) -> Any:
        """Get the head of a column."""
        if orientation == Qt.Orientation.Horizontal and role == _Role.DisplayRole:
            return _COLUMNS[section].title
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Let rows be dragged, and dropped between others."""
        if not index.isValid():
            return _Flag.ItemIsDropEnabled
        found = _Flag.ItemIsEnabled | _Flag.ItemIsSelectable | _Flag.ItemIsDragEnabled
        column = _COLUMNS[index.column()]
        if index.column() == ON:
            found |= _Flag.ItemIsUserCheckable
        elif column.key:
            found |= _Flag.ItemIsEditable
        return found

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        """Get one cell."""
        if not 0 <= index.row() < len(self._steps):
            return None
        step, column = self._steps[index.row()], _COLUMNS[index.column()]
        is_on = step.get("enabled", True) is not False
        mistake = self._mistakes.get(index.row(), "")
        if index.column() == ON and role in (_Role.CheckStateRole, _SPOKEN):
            state = Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked
            words = "is run" if is_on else "is not run"
            return state if role == _Role.CheckStateRole else words
        found: dict[int, Any] = {
            _Role.DisplayRole: one_line(column.text(step)),
            _Role.EditRole: column.text(step),
            _Role.ToolTipRole: mistake or column.tip or one_line(column.text(step)),
            _Role.FontRole: self._font,
        }
        if not is_on:
            found[_Role.ForegroundRole] = QColor(self._context.theme.tokens.disabled)
        if mistake and index.column() == LABEL:
            found[_Role.DecorationRole] = self._context.icons.get(
                "triangle-alert", "error"
            )
            found[_SPOKEN] = f"{column.text(step)}, has a mistake: {mistake}"
        elif index.row() in self._advice and index.column() == LABEL:
            advice = self._advice[index.row()]
            look = "error" if advice.is_bad else "warn"
            found[_Role.DecorationRole] = self._context.icons.get(
                "triangle-alert", look
            )
            found[_Role.ToolTipRole] = advice.text
            found[_SPOKEN] = f"{column.text(step)}: {advice.text}"
        return found.get(role)

    def setData(self, index: _Index, value: Any, role: int = _Role.EditRole) -> bool:
        """Tell what was entered; the text of the campaign is what changes."""
        column = _COLUMNS[index.column()]
        if role == _Role.CheckStateRole and index.column() == ON:
            is_on = Qt.CheckState(value) == Qt.CheckState.Checked
            self.edited.emit(index.row(), column.key, None if is_on else False)
            return True
        if role == _Role.EditRole and column.key:
            entered = to_value(Option(column.key, "", column.kind), str(value))
            self.edited.emit(index.row(), column.key, entered)
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
        self.dropped.emit(rows, place if place >= 0 else len(self._steps))
        return True
