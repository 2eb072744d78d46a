"""The table of sessions side by side, as a model: a row a step."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from app.analysis.compare import Comparison, Difference
from app.analysis.row_load import LoadDifference
from app.analysis.significance import Judgement, judgement_word
from app.report.numbers import difference as signed
from app.report.table import show
from app.ui.compare.lanes import NAMES
from instruments.metric import METRICS, Group

_Index = QModelIndex | QPersistentModelIndex

_NOWHERE = QModelIndex()
_Role = Qt.ItemDataRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_VERDICT = ("verdict", "Verdict")
_NAME = 22
"""Letters of a session's name in a heading; the tool tip has them all."""
_DECIDED = (
    *(Judgement.DISTINGUISHABLE, Judgement.NOT_DISTINGUISHABLE),
    Judgement.OTHER_TERMS,
)
SHOWN = (Group.MAIN, Group.LOAD)
"""What there is room for; the command line and the files have all."""

PARTS_ROLE = int(_Role.UserRole) + 1
LOAD_ROLE, MARK_ROLE = PARTS_ROLE + 1, PARTS_ROLE + 2
"""In what the loads of the row differ, and in a few words that they do; "" where they
do not."""


@dataclass(frozen=True, slots=True)
class Parts:
    """One metric of one step in one session or in two, as texts.

    Attributes:
        values: In each session, a dash where it was not measured.
        change: Its difference to the baseline, the uncertainty of that and a
            percentage, "" where either is missing.
        judged: What can be said of the change, "" for nothing.
        places: Which sessions these are.
    """

    values: tuple[str, ...]
    change: str
    judged: str = ""
    places: tuple[int, ...] = (0, 1)

    @property
    def lines(self) -> tuple[str, ...]:
        """What stands below the values; of what is not known the table says it once."""
        is_known = self.judged in _DECIDED
        return (self.change, self.judged) if is_known else (self.change,)

    @property
    def told(self) -> str:
        """The same in words."""
        names = [NAMES[place] for place in self.places]
        both = ", ".join(f"{n} {v}" for n, v in zip(names, self.values, strict=True))
        change = f"{names[-1]} - A {self.change}" if self.change else ""
        return ", ".join(filter(None, (both, change, self.judged)))

    def __str__(self) -> str:
        both = " / ".join(self.values)
        change = ", ".join(filter(None, (self.change, self.judged)))
        return f"{both} ({change})" if change else both


@dataclass(frozen=True, slots=True)
class View:
    """What the table has beside the label.

    Attributes:
        name: What the user chooses it by.
        place: Which session stands beside the baseline, with all metrics.
        metric: Or the one metric that all sessions have a column of.
    """

    name: str
    place: int = 1
    metric: str = ""


def views_of(comparison: Comparison) -> list[View]:
    """List what can be shown: with more than two, one metric of all comes first."""
    count = len(comparison.names)
    pairs = [
        View(f"{NAMES[place]} against A, all metrics", place)
        for place in range(1, count)
    ]
    if count < 3:
        return pairs
    known = {
        one.metric.name for _, differences in comparison.rows for one in differences
    }
    metrics = [one for one in METRICS if one.group in SHOWN and one.name in known]
    alone = [View(f"{one.head}, all sessions", metric=one.name) for one in metrics]
    return [*alone, *pairs]


class CompareModel(QAbstractTableModel):
    """One row a step: its label, then a column a metric, or a column a session."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[tuple[str, LoadDifference, dict[str, Parts]], ...] = ()
        self._heads: list[tuple[str, str]] = []
        self._tip = ""
        self._lines = 0

    def set_comparison(
        self, comparison: Comparison | None, view: View | None = None
    ) -> None:
        """Show another comparison, or none, in one of its views."""
        self.beginResetModel()
        self._rows, self._heads = (), []
        if comparison is not None:
            chosen = view or View("", 1)
            self._tip = (
                "and below its difference to A"
                if chosen.metric
                else f"A / {NAMES[chosen.place]}, and below {NAMES[chosen.place]} - A"
            )
            self._rows = tuple(
                (label, load, _cells(found, verdicts, chosen))
                for (label, found), verdicts, load in zip(
                    comparison.rows, comparison.judged, comparison.loads, strict=True
                )
            )
            self._heads = self._columns(comparison, chosen)
        cells = (cell for *_, found in self._rows for cell in found.values())
        counts = (len([line for line in cell.lines if line]) for cell in cells)
        self._lines = max(counts, default=0)
        self.endResetModel()

    def _columns(self, comparison: Comparison, view: View) -> list[tuple[str, str]]:
        if view.metric:
            names = enumerate(comparison.names)
            return [(str(place), f"{NAMES[place]}  {name}") for place, name in names]
        known = {metric for *_, found in self._rows for metric in found}
        wide = (one for one in METRICS if one.group in SHOWN)
        heads = (*((one.name, one.head) for one in wide), _VERDICT)
        return [(name, head) for name, head in heads if name in known]

    def metric_at(self, column: int) -> str:
        """Name what a column shows; of one metric of all sessions, the session."""
        return self._heads[column - 1][0] if 0 < column <= len(self._heads) else ""

    @property
    def lines(self) -> int:
        """How many lines a cell has below its values, at most."""
        return self._lines

    @property
    def labels(self) -> list[str]:
        """The steps, one a row."""
        return [label for label, *_ in self._rows]

    def rowCount(self, parent: _Index = _NOWHERE) -> int:
        """Count the steps."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _NOWHERE) -> int:
        """Count the label and what is beside it."""
        return 0 if parent.isValid() else 1 + len(self._heads)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole
    ) -> Any:
        """Get the metric over its unit, or the session."""
        if orientation == Qt.Orientation.Vertical or section >= self.columnCount():
            return None
        if role == _Role.TextAlignmentRole:
            side = (
                Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
            )
            return side | Qt.AlignmentFlag.AlignVCenter
        head = self._heads[section - 1][1] if section else "Workload"
        if role == _Role.DisplayRole:
            return _written(head)
        if role in (_Role.ToolTipRole, _Role.AccessibleTextRole):
            return f"{head}: {self._tip}" if section else head
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
        name, head = self._heads[index.column() - 1]
        parts = found.get(name)
        said = {
            PARTS_ROLE: parts,
            int(_Role.TextAlignmentRole): _RIGHT,
            int(_Role.DisplayRole): str(parts or ""),
            int(_Role.ToolTipRole): parts and f"{label}, {head}: {parts.told}",
        }
        return said.get(int(role))


def _written(head: str) -> str:
    """Write a heading in two lines; names of sessions differ at their ends."""
    letter, _, name = head.partition("  ")
    if not name:
        return head.replace(" (", "\n(", 1)
    if len(name) > _NAME:
        half = _NAME // 2
        name = f"{name[:half]}\N{HORIZONTAL ELLIPSIS}{name[-half:]}"
    return f"{letter}\n{name}"


def _cells(
    found: Sequence[Difference], verdicts: Sequence[str], view: View
) -> dict[str, Parts]:
    """Write the cells of one row by the keys of their columns."""
    if not view.metric:
        both = tuple(verdicts[place] or "-" for place in (0, view.place))
        cells = {one.metric.name: parts_of(one, view.place) for one in found}
        return cells | {_VERDICT[0]: Parts(both, "", "", (0, view.place))}
    cells = {}
    for one in found:
        if one.metric.name == view.metric:
            for place in range(len(one.values)):
                cells[str(place)] = parts_of(one, place, alone=True)
    return cells


def parts_of(difference: Difference, place: int = 1, *, alone: bool = False) -> Parts:
    """Write one metric of one step.

    Args:
        difference: Its values.
        place: The session that is compared with the baseline.
        alone: Whether its own value alone stands above the difference.
    """
    decimals = difference.metric.decimals
    thin = dict(enumerate(difference.thin))
    places = (place,) if alone else (0, place)
    values = tuple(
        ("-" if (value := difference.values[one]) is None else show(value, decimals))
        + "*" * thin.get(one, False)
        for one in places
    )
    change, percent = difference.against_first(place), difference.percent(place)
    if change is None or not place:
        return Parts(values, "", "", places)
    judged = difference.judgement(place)
    known = judged.uncertainty if judged is not None else None
    figure = signed(change, decimals)
    told = figure.text()
    told += "" if known is None else f" \N{PLUS-MINUS SIGN} {show(known, decimals + 1)}"
    is_same = judged and judged.judgement is Judgement.NOT_DISTINGUISHABLE
    if percent is not None and figure.rounded and not is_same:
        told += f"  {signed(percent, 1).text()} %"
    return Parts(values, told, judgement_word(judged), places)
