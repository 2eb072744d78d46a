"""The table of two sessions side by side, as a model: a row a step."""

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

from app.analysis.compare import (
    Comparison,
    Difference,
)
from app.analysis.row_load import LoadDifference
from app.analysis.significance import Judgement, doubtful
from app.ui.compare.pair import NAMES
from instruments.metric import METRICS, Group

_Index = QModelIndex | QPersistentModelIndex

_NOWHERE = QModelIndex()
_Role = Qt.ItemDataRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_VERDICT = ("verdict", "Verdict")
SHOWN = (Group.MAIN, Group.LOAD)
"""What there is room for; the command line and the files have all."""

PARTS_ROLE = int(_Role.UserRole) + 1
LOAD_ROLE, MARK_ROLE = PARTS_ROLE + 1, PARTS_ROLE + 2
"""In what the loads of the row differ, and in a few words that they do; "" where they
do not."""


@dataclass(frozen=True, slots=True)
class Parts:
    """One metric of one step in both sessions, as texts.

    Attributes:
        values: In A and in B, a dash where it was not measured.
        change: B less A, its uncertainty and percentage, "" where either is missing.
        doubt: What is to be known of the change, "" for nothing.
    """

    values: tuple[str, str]
    change: str
    doubt: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """What stands below both values; other doubts are told of all the table."""
        is_same = self.doubt == Judgement.NOT_DISTINGUISHABLE
        return (self.change, self.doubt) if is_same else (self.change,)

    @property
    def told(self) -> str:
        """The same in words."""
        both = ", ".join(f"{n} {v}" for n, v in zip(NAMES, self.values, strict=True))
        change = f"B - A {self.change}" if self.change else ""
        return ", ".join(filter(None, (both, change, self.doubt)))

    def __str__(self) -> str:
        both = " / ".join(self.values)
        change = ", ".join(filter(None, (self.change, self.doubt)))
        return f"{both} ({change})" if change else both


class CompareModel(QAbstractTableModel):
    """One row a step; its label, then one column a metric with A, B and B - A."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[tuple[str, LoadDifference, dict[str, Parts]], ...] = ()
        self._metrics: list[tuple[str, str]] = []

    def set_comparison(self, comparison: Comparison | None) -> None:
        """Show another comparison, or none."""
        self.beginResetModel()
        rows = comparison.rows if comparison else ()
        verdicts = comparison.verdicts if comparison else ()
        loads = comparison.loads if comparison else ()
        self._rows = tuple(
            (
                label,
                load,
                {one.metric.name: parts_of(one) for one in found} | _verdict(both),
            )
            for (label, found), both, load in zip(rows, verdicts, loads, strict=True)
        )
        known = {metric for *_, found in self._rows for metric in found}
        wide = (one for one in METRICS if one.group in SHOWN)
        heads = (*((one.name, one.head) for one in wide), _VERDICT)
        self._metrics = [(name, head) for name, head in heads if name in known]
        self.endResetModel()

    @property
    def has_doubts(self) -> bool:
        """Whether any cell has a further line."""
        known = (one for *_, found in self._rows for one in found.values())
        return any(len(one.lines) > 1 for one in known)

    @property
    def labels(self) -> list[str]:
        """The steps, one a row."""
        return [label for label, *_ in self._rows]

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
        label, load, found = self._rows[index.row()]
        if not index.column():
            texts = {
                int(_Role.DisplayRole): label,
                int(_Role.ToolTipRole): "\n".join(filter(None, (label, load.told))),
                LOAD_ROLE: load.told,
                MARK_ROLE: load.mark,
            }
            return texts.get(int(role))
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
    decimals = difference.metric.decimals
    first, second = (
        ("-" if value is None else f"{value:.{decimals}f}") + "*" * is_thin
        for value, is_thin in zip_longest(
            difference.values[:2], difference.thin[:2], fillvalue=False
        )
    )
    change, percent = difference.against_first(1), difference.percent(1)
    if change is None:
        return Parts((first, second), "")
    judged = difference.judgement(1)
    known = judged.uncertainty if judged is not None else None
    told = f"{change:+.{decimals}f}" if round(change, decimals) else f"{0:.{decimals}f}"
    told += "" if known is None else f" \N{PLUS-MINUS SIGN} {known:.{decimals + 1}f}"
    is_same = judged and judged.judgement is Judgement.NOT_DISTINGUISHABLE
    if percent is not None and round(change, decimals) and not is_same:
        told += f"  {percent:+.1f} %"
    return Parts((first, second), told, doubtful(judged))
