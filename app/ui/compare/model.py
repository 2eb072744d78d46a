"""Two report tables side by side with their differences, as an item model."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from app.analysis.compare import METRICS, Comparison, Difference
from app.ui.compare.pair import NAMES

_Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_Role = Qt.ItemDataRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_VERDICT = ("verdict", "Verdict")

PARTS_ROLE = int(_Role.UserRole) + 1


@dataclass(frozen=True, slots=True)
class Parts:
    """One metric of one step in both sessions, as texts.

    Attributes:
        values: In A and in B, a dash where it was not measured.
        change: B less A with its percentage, "" where either is missing.
    """

    values: tuple[str, str]
    change: str

    @property
    def told(self) -> str:
        """The same in words."""
        both = ", ".join(f"{n} {v}" for n, v in zip(NAMES, self.values, strict=True))
        return f"{both}, B - A {self.change}" if self.change else both

    def __str__(self) -> str:
        both = " / ".join(self.values)
        return f"{both} ({self.change})" if self.change else both


class CompareModel(QAbstractTableModel):
    """One row a step; its label, then one column a metric with A, B and B - A."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[tuple[str, dict[str, Parts]], ...] = ()
        self._metrics: list[tuple[str, str]] = []

    def set_comparison(self, comparison: Comparison | None) -> None:
        """Show another comparison, or none."""
        self.beginResetModel()
        rows = comparison.rows if comparison else ()
        verdicts = comparison.verdicts if comparison else ()
        self._rows = tuple(
            (label, {one.metric: parts_of(one) for one in found} | _verdict(both))
            for (label, found), both in zip(rows, verdicts, strict=True)
        )
        known = {metric for _, found in self._rows for metric in found}
        heads = (*((name, head) for name, head, _ in METRICS), _VERDICT)
        self._metrics = [(name, head) for name, head in heads if name in known]
        self.endResetModel()

    @property
    def labels(self) -> list[str]:
        """The steps, one a row."""
        return [label for label, _ in self._rows]

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        """Count the steps."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _NOWHERE) -> int:
        """Count the label and the metrics."""
        return 0 if parent.isValid() else 1 + len(self._metrics)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole
    ) -> Any:
        """Get the metric over its unit."""
        if orientation == Qt.Orientation.Vertical or section >= self.columnCount():
            return None
        if role == _Role.TextAlignmentRole:
            side = (
                Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
            )
            return side | Qt.AlignmentFlag.AlignVCenter
        head = self._metrics[section - 1][1] if section else "Workload"
        if role == _Role.DisplayRole:
            return head.replace(" (", "\n(", 1)
        if role in (_Role.ToolTipRole, _Role.AccessibleTextRole):
            return f"{head}: A / B, and below B - A" if section else head
        return None

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        """Get a label or one cell, as one text or in parts."""
        if not (index.isValid() and index.row() < len(self._rows)):
            return None
        label, found = self._rows[index.row()]
        if not index.column():
            texts = (_Role.DisplayRole, _Role.ToolTipRole)
            return label if role in texts else None
        metric, head = self._metrics[index.column() - 1]
        parts = found.get(metric)
        said = {
            PARTS_ROLE: parts,
            int(_Role.TextAlignmentRole): _RIGHT,
            int(_Role.DisplayRole): str(parts or ""),
            int(_Role.ToolTipRole): parts and f"{label}, {head}: {parts.told}",
        }
        return said.get(int(role))


def _verdict(both: Sequence[str]) -> dict[str, Parts]:
    first, second = (one or "-" for one in both[:2])
    return {_VERDICT[0]: Parts((first, second), "")}


def parts_of(difference: Difference) -> Parts:
    """Write one metric of one step."""
    decimals = difference.decimals
    first, second = (
        ("-" if value is None else f"{value:.{decimals}f}") + "*" * is_thin
        for value, is_thin in zip_longest(
            difference.values[:2], difference.thin[:2], fillvalue=False
        )
    )
    change, percent = difference.against_first(1), difference.percent(1)
    if change is None:
        return Parts((first, second), "")
    if round(change, decimals) == 0:
        return Parts((first, second), f"{0:.{decimals}f}")
    more = "" if percent is None else f"  {percent:+.1f} %"
    return Parts((first, second), f"{change:+.{decimals}f}{more}")
