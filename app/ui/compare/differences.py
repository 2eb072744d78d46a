"""In what two sessions differ: doubts, the tables side by side, crossings of sweeps."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.analysis.compare import (
    About,
    Comparison,
    Difference,
    lengths_told,
    listed,
    nothing_common_told,
    same_recording_told,
    setups_told,
)
from app.analysis.significance import Judgement, doubtful
from app.ui.compare.pair import NAMES
from app.ui.kit.labels import WrappedLabel
from app.ui.kit.sentences import Sentences
from app.ui.kit.tables import SpreadTable
from app.ui.kit.theme import Theme, tabular
from app.ui.kit.widgets import column
from instruments.metric import METRICS, Group
from instruments.sizes import counted

_Index = QModelIndex | QPersistentModelIndex

_NOWHERE = QModelIndex()
_Role = Qt.ItemDataRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_VERDICT = ("verdict", "Verdict")
_SHOWN = (Group.MAIN, Group.LOAD)
"""What there is room for; the command line and the files have all."""

PARTS_ROLE = int(_Role.UserRole) + 1
LOAD_ROLE = PARTS_ROLE + 1
"""In what the loads of the row differ, "" where they do not."""


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
        self._rows: tuple[tuple[str, str, dict[str, Parts]], ...] = ()
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
                load.told,
                {one.metric.name: parts_of(one) for one in found} | _verdict(both),
            )
            for (label, found), both, load in zip(rows, verdicts, loads, strict=True)
        )
        known = {metric for *_, found in self._rows for metric in found}
        wide = (one for one in METRICS if one.group in _SHOWN)
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
            told = "\n".join(filter(None, (label, load)))
            texts = (label, load, told)
            roles = (int(_Role.DisplayRole), LOAD_ROLE, int(_Role.ToolTipRole))
            return dict(zip(roles, texts, strict=True)).get(int(role))
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


_ROW_HEIGHT, _LINE = 40, 15
_PAD = 8
_BETWEEN = 10
_INDENT, _BELOW = 8, 21
_SMALL = 8.75


class CompareDelegate(QStyledItemDelegate):
    """Paints A and B in the colours of their traces, the difference below."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._font = tabular(0, QFont.Weight.Medium)
        self._small = tabular(_SMALL)

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Room for the wider of the two lines."""
        parts: Parts | None = index.data(PARTS_ROLE)
        width, small = QFontMetrics(self._font), QFontMetrics(self._small)
        if parts is None:
            label = super().sizeHint(option, index).width()
            mark = _short(index.data(LOAD_ROLE) or "")
            below = small.horizontalAdvance(mark) + 2 * _PAD
            return QSize(max(label, below), _ROW_HEIGHT)
        both = sum(width.horizontalAdvance(value) for value in parts.values) + _BETWEEN
        below = max(map(small.horizontalAdvance, parts.lines))
        return QSize(max(both, below) + 2 * _PAD, _ROW_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: _Index
    ) -> None:
        """Paint one cell; a step that only one session has stays half empty."""
        parts: Parts | None = index.data(PARTS_ROLE)
        if parts is None:
            self._paint_label(painter, option, index)
            return
        self.initStyleOption(option, index)
        option.text = ""
        style = option.widget.style()
        style.drawControl(
            QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget
        )
        box: QRect = option.rect
        tokens = self._theme.tokens
        painter.save()
        painter.setFont(self._font)
        right = box.right() - _PAD
        for number, text in reversed(list(enumerate(parts.values))):
            width = painter.fontMetrics().horizontalAdvance(text)
            painter.setPen(tokens.trace(number))
            _write(painter, right, box.top() + 3, width, text)
            right -= width + _BETWEEN
        painter.setFont(self._small)
        painter.setPen(QColor(tokens.muted))
        for number, text in enumerate(parts.lines):
            width = painter.fontMetrics().horizontalAdvance(text)
            top = box.top() + _BELOW - 1 + number * _LINE
            _write(painter, box.right() - _PAD, top, width, text)
        painter.restore()

    def _paint_label(
        self, painter: QPainter, option: QStyleOptionViewItem, index: _Index
    ) -> None:
        """Paint what a row is called; below that its loads are not the same."""
        told = index.data(LOAD_ROLE)
        if told:
            option.displayAlignment = (
                Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
            )
        super().paint(painter, option, index)
        if told:
            box = option.rect.adjusted(_INDENT, _BELOW, 0, 0)
            painter.save()
            painter.setFont(self._small)
            painter.setPen(QColor(self._theme.tokens.warn))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignTop), _short(told))
            painter.restore()


def _short(told: str) -> str:
    """Get that loads differ, without in what: that is said below the table."""
    return told.partition(":")[0]


def _write(painter: QPainter, right: int, top: int, width: int, text: str) -> None:
    box = QRect(QPoint(right - width, top), QSize(width + 1, 17))
    painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter), text)


class CompareTable(SpreadTable):
    """Shows a comparison, all metrics beside each other."""

    def __init__(self, model: CompareModel, theme: Theme) -> None:
        super().__init__(model, "Report tables side by side")
        self._lines = model
        self.setItemDelegate(CompareDelegate(theme, self))
        self.verticalHeader().setDefaultSectionSize(_ROW_HEIGHT)
        self.horizontalHeader().setMinimumHeight(42)
        self.setToolTip("Choose a row to see its traces below")
        model.modelReset.connect(self._fit_rows)
        theme.changed.connect(self._repaint)

    @Slot()
    def _fit_rows(self) -> None:
        height = _ROW_HEIGHT + _LINE * self._lines.has_doubts
        self.verticalHeader().setDefaultSectionSize(height)

    @Slot()
    def _repaint(self) -> None:
        self.viewport().update()


_ONE_LINE = 110
"""So many letters stand in one line."""


class CompareDoubts(WrappedLabel):
    """Verdicts that are no pass, warnings, and how many notes there are."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("muted")
        self.setContentsMargins(12, 4, 12, 4)

    def tell(self, sessions: Sequence[About], setups: str = "") -> None:
        """Say what is doubtful of each; every note is in the tool tip.

        Args:
            sessions: What has to be known of each.
            setups: How their devices and benches differ; "" where they do not.
        """
        told, notes = [], []
        for name, one in zip(NAMES, sessions, strict=True):
            doubts = [] if one.verdict == "PASS" else [one.verdict]
            doubts += one.warnings
            if one.notes:
                doubts.append(counted(len(one.notes), "note"))
            told += [f"{name}: {', '.join(doubts)}"] if doubts else []
            notes += [f"{name}: {note}" for note in one.notes]
        is_short = sum(map(len, told)) < _ONE_LINE
        doubts_told = ("     " if is_short else "\n").join(told)
        self.setText("\n".join(filter(None, (setups, doubts_told))))
        self.setToolTip("\n".join(notes))
        self.setVisible(bool(self.text()))


def _doubts_told(comparison: Comparison) -> list[str]:
    """Name the quantities of which it cannot be said whether they differ, and why."""
    heads: dict[Judgement, dict[str, None]] = {}
    for _, differences in comparison.rows:
        for one in differences:
            judged = one.judgement(1)
            if judged is not None and one.metric.group in _SHOWN:
                heads.setdefault(judged.judgement, {})[one.metric.head] = None
    return [
        f"Not known whether they differ, {word}: {listed(list(heads[word]))}."
        for word in (Judgement.ONE_RUN, Judgement.NO_LIMITS)
        if word in heads
    ]


_FRAME = 4
"""Pixels around a table."""


class CompareDifferences(QWidget):
    """Shows a comparison in figures and words.

    Attributes:
        told: What makes one of the sessions doubtful.
        model: The figures.
        table: The table of them.
        crossings: Which rows ran other loads or measured for different times, and at
            which size of a sweep one session is faster than the other.

    Signals:
        step_chosen: The user chose the row of a step (its label).
    """

    step_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.told = CompareDoubts()
        self.model = CompareModel(self)
        self.table = CompareTable(self.model, theme)
        self.crossings = Sentences(
            "What does not compare, and which session is faster at what size",
            "Lengths that differ, and of each sweep over a size who is faster",
            few=4,
        )
        parts = (self.told, self.table, self.crossings)
        column(*parts, of=self, grows=self.table, spacing=0)
        self.table.selectionModel().currentRowChanged.connect(self._choose)
        self.setFocusProxy(self.table)

    def show_comparison(self, comparison: Comparison) -> None:
        """Show another one."""
        self.model.set_comparison(comparison)
        self.warn(comparison)
        rows: dict[str, list[str]] = {}
        for (label, _), load in zip(comparison.rows, comparison.loads, strict=True):
            rows.setdefault(load.told, []).append(label)
        unlike = [f"{listed(rows[told])}: {told}" for told in rows if told]
        lengths = lengths_told(comparison)
        doubts = _doubts_told(comparison)
        self.crossings.tell([*unlike, *lengths, *doubts, *comparison.crossings])

    def warn(self, comparison: Comparison) -> None:
        """Say what makes either of them doubtful."""
        differ = setups_told(comparison)
        told = f"They do not differ in the device alone. {differ}" if differ else ""
        none, same = nothing_common_told(comparison), same_recording_told(comparison)
        lines = (same and f"{same}.", none, told)
        self.told.tell(comparison.about, "\n".join(filter(None, lines)))

    @property
    def full_height(self) -> int:
        """Pixels that show all of it, without scrolling."""
        head = self.table.horizontalHeader().height()
        rows = self.table.verticalHeader().length()
        words = 0 if self.crossings.isHidden() else self.crossings.full_height
        doubts = 0 if self.told.isHidden() else self.told.heightForWidth(self.width())
        return head + rows + words + doubts + _FRAME

    def mark(self, label: str) -> None:
        """Mark the row of the step that is shown, where there is one."""
        labels = self.model.labels
        if label in labels:
            self.table.choose_row(labels.index(label))

    @Slot()
    def _choose(self) -> None:
        row = self.table.currentIndex().row()
        labels = self.model.labels
        if 0 <= row < len(labels):
            self.step_chosen.emit(labels[row])
