"""Two report tables side by side with their differences, as an item model."""

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtGui import QColor

from app.analysis.compare import METRICS, Comparison, Difference
from app.ui.theme import Theme, tabular

_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_Role = Qt.ItemDataRole
NAMES = ("A", "B")


@dataclass(frozen=True, slots=True)
class _Head:
    metric: str
    head: str
    part: int  # 0: A, 1: B, 2: B - A


class CompareModel(QAbstractTableModel):
    """One row a step, three columns a metric: A, B and the difference."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows: tuple[tuple[str, tuple[Difference, ...]], ...] = ()
        self._heads: list[_Head] = []

    def set_comparison(self, comparison: Comparison | None) -> None:
        """Show another comparison, or none."""
        self.beginResetModel()
        self._rows = comparison.rows if comparison else ()
        known = {one.metric for _, found in self._rows for one in found}
        self._heads = [
            _Head(metric, head, part)
            for metric, head, _ in METRICS
            if metric in known
            for part in range(3)
        ]
        self.endResetModel()

    @property
    def labels(self) -> list[str]:
        """The steps, one a row."""
        return [label for label, _ in self._rows]

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        """Count the steps."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _NOWHERE) -> int:
        """Count metrics times three."""
        return 0 if parent.isValid() else len(self._heads)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole
    ) -> Any:
        """Get the metric, its unit and what each column is, over every column."""
        if role == _Role.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight
            if orientation == Qt.Orientation.Vertical:
                side = Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role not in (_Role.DisplayRole, _Role.ToolTipRole, _Role.AccessibleTextRole):
            return None
        if orientation == Qt.Orientation.Vertical:
            return self._rows[section][0] if section < len(self._rows) else None
        if section >= len(self._heads):
            return None
        head = self._heads[section]
        part = (*NAMES, "B - A")[head.part]
        if role != _Role.DisplayRole:
            return f"{head.head}, {part}"
        metric, _, unit = head.head.partition(" (")
        return f"{metric}\n{part}, {unit[:-1]}" if unit else f"{metric}\n{part}"

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        """Get one cell: a value, or a difference with its percentage as tool tip."""
        if not (index.isValid() and index.row() < len(self._rows)):
            return None
        head = self._heads[index.column()]
        found = [one for one in self._rows[index.row()][1] if one.metric == head.metric]
        if role == _Role.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == _Role.FontRole:
            return tabular()
        if role == _Role.ForegroundRole and head.part == 2:
            return QColor(self._theme.tokens.accent)
        if role in (_Role.DisplayRole, _Role.ToolTipRole):
            text = _text(found[0], head.part) if found else ""
            return text if role == _Role.DisplayRole else f"{head.head}: {text}"
        return None


def _text(difference: Difference, part: int) -> str:
    decimals = difference.decimals
    if part < 2:
        value = difference.values[part]
        return "" if value is None else f"{value:.{decimals}f}"
    change, percent = difference.against_first(1), difference.percent(1)
    if change is None:
        return ""
    if round(change, decimals) == 0:
        return f"{0:.{decimals}f}"
    more = "" if percent is None else f"  {percent:+.1f} %"
    return f"{change:+.{decimals}f}{more}"
