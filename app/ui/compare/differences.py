"""In what sessions differ: doubts, tables side by side, crossings of sweeps."""

from collections.abc import Sequence

from PySide6.QtCore import (
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
from PySide6.QtGui import QAction, QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.analysis.compare import Comparison
from app.analysis.compare_notes import (
    MOST_NAMED,
    correction_told,
    duty_told,
    lengths_told,
    many_told,
    nothing_common_told,
    same_recording_told,
    setups_told,
    terms_told,
)
from app.analysis.significance import Judgement
from app.ui.compare.lanes import NAMES
from app.ui.compare.model import (
    MARK_ROLE,
    PARTS_ROLE,
    SHOWN,
    CompareModel,
    Parts,
    View,
    views_of,
)
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.context import Context
from app.ui.kit.focus import lead_focus
from app.ui.kit.sentences import Sentences
from app.ui.kit.tables import Looked, SpreadTable
from app.ui.kit.theme import Theme, tabular
from app.ui.kit.widgets import column, make_note, named, row
from app.ui.session.inspector import Inspected, Inspector
from instruments.sizes import listed

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole

_ROW_HEIGHT, _LINE = 40, 15
_MIDDLE = 8
_PAD = 8
_BETWEEN = 10
_INDENT, _BELOW = 8, 21
_SMALL = 8.75


class CompareDelegate(QStyledItemDelegate):
    """Paints A and B in the colours of their traces, the difference below.

    Where any cell has a difference, first lines and labels of all stand at the top.
    """

    def __init__(self, theme: Theme, model: CompareModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self._theme = theme
        self._font = tabular(0, QFont.Weight.Medium)
        self._small = tabular(_SMALL)

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Room for the wider of the two lines."""
        parts: Parts | None = index.data(PARTS_ROLE)
        width, small = QFontMetrics(self._font), QFontMetrics(self._small)
        if parts is None:
            label = super().sizeHint(option, index).width()
            mark = index.data(MARK_ROLE) or ""
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
        pairs = zip(parts.places, parts.values, strict=True)
        top = box.top() + 3 if self._model.lines else box.center().y() - _MIDDLE
        for number, text in reversed(list(pairs)):
            width = painter.fontMetrics().horizontalAdvance(text)
            painter.setPen(tokens.lane(number))
            _write(painter, right, top, width, text)
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
        mark = index.data(MARK_ROLE)
        if not (mark or self._model.lines):
            super().paint(painter, option, index)
            return
        self.initStyleOption(option, index)
        text, option.text = option.text, ""
        style = option.widget.style()
        style.drawControl(
            QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget
        )
        box: QRect = option.rect.adjusted(_INDENT, 0, 0, 0)
        room = box.width() - _INDENT
        text = option.fontMetrics.elidedText(text, option.textElideMode, room)
        painter.save()
        painter.setFont(option.font)
        painter.setPen(option.palette.text().color())
        _write(painter, box.left() + room, box.top() + 3, room, text)
        painter.setFont(self._small)
        painter.setPen(QColor(self._theme.tokens.warn))
        below = box.adjusted(0, _BELOW, 0, 0)
        painter.drawText(below, int(Qt.AlignmentFlag.AlignTop), mark or "")
        painter.restore()


def _write(painter: QPainter, right: int, top: int, width: int, text: str) -> None:
    box = QRect(QPoint(right - width, top), QSize(width + 1, 17))
    painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter), text)


class CompareTable(SpreadTable):
    """Shows a comparison, all metrics beside each other."""

    def __init__(self, model: CompareModel, theme: Theme) -> None:
        super().__init__(model, "Report tables side by side")
        self._lines = model
        self.setItemDelegate(CompareDelegate(theme, model, self))
        self.verticalHeader().setDefaultSectionSize(_ROW_HEIGHT)
        self.horizontalHeader().setMinimumHeight(42)
        self.setToolTip(
            "Choose a row to chart its step, click a figure to see what it was made "
            "of; Ctrl+C copies all"
        )
        model.modelReset.connect(self._fit_rows)
        theme.changed.connect(self._repaint)

    @Slot()
    def _fit_rows(self) -> None:
        height = _ROW_HEIGHT + _LINE * max(self._lines.lines - 1, 0)
        self.verticalHeader().setDefaultSectionSize(height)

    @Slot()
    def _repaint(self) -> None:
        self.viewport().update()


def _doubts_told(comparison: Comparison) -> list[str]:
    """Name the quantities of which it cannot be said whether they differ, and why."""
    heads: dict[Judgement, dict[str, None]] = {}
    for _, differences in comparison.rows:
        for one in differences:
            for judged in one.judged if one.metric.group in SHOWN else ():
                if judged is not None:
                    heads.setdefault(judged.judgement, {})[one.metric.head] = None
    lists = {word: listed(list(known), MOST_NAMED) for word, known in heads.items()}
    return [
        f"Not known whether they differ, {word}: {lists[word]}."
        for word in (Judgement.ONE_RUN, Judgement.NO_LIMITS)
        if word in lists
    ]


class CompareDifferences(QWidget):
    """Shows a comparison in figures and words.

    Attributes:
        told: What makes sessions doubtful, and that they do not differ in one thing.
        view: Which metrics of which sessions are shown.
        model: The figures.
        table: The table of them.
        inspector: What a cell was made of.
        inspected: The tables, and it below them.
        crossings: Which rows ran other loads or measured for different times, and at
            which size of a sweep one session is faster than the other.

    Signals:
        step_chosen: The user chose the row of a step (its label).
        cell_wanted: The user wants what a cell was made of: its row, its metric, the
            places of the sessions that it shows a value of, and how they came there
            (Looked).
    """

    step_chosen = Signal(str)
    cell_wanted = Signal(str, str, object, object)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._comparison: Comparison | None = None
        self._views: list[View] = []
        self._wanted = ""
        self.told = make_note(name="What is doubtful")
        self.told.setContentsMargins(12, 4, 12, 4)
        self.view = named(
            ComboBox(),
            "Metrics and sessions shown",
            "All metrics of one session, or one metric of all sessions (Alt+M)",
        )
        self.view.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.view.activated.connect(self._choose_view)
        label = QLabel("Co&mpare")
        label.setBuddy(self.view)
        self._bar = QWidget()
        row(label, self.view, None, of=self._bar, margins=(12, 6, 12, 4), spacing=8)
        self.model = CompareModel(self)
        self.table = CompareTable(self.model, context.theme)
        self.inspector = Inspector(context)
        self.crossings = Sentences(
            "What does not compare, and which session is faster at what size",
            "Lengths that differ, and of each sweep over a size who is faster",
            few=4,
        )
        tables = QWidget()
        parts = (self._bar, self.told, self.table, self.crossings)
        column(*parts, of=tables, grows=self.table, spacing=0)
        self.inspected = Inspected(tables, self.inspector)
        column(self.inspected, of=self, spacing=0)
        self.table.selectionModel().currentRowChanged.connect(self._choose)
        self.table.looked.connect(self._want)
        self.table.tell_looks()
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        explain = QAction("&Explain", self.table)
        explain.triggered.connect(
            lambda: self._want(self.table.currentIndex(), Looked.ASKED)
        )
        self.table.addAction(explain)
        lead_focus(self, self.table)

    def show_comparison(self, comparison: Comparison) -> None:
        """Show another one; what was chosen to be seen stays chosen where it can."""
        self._comparison = comparison
        self._views = views_of(comparison)
        names = [one.name for one in self._views]
        self.view.clear()
        self.view.addItems(names)
        self.view.setCurrentIndex(
            names.index(self._wanted) if self._wanted in names else 0
        )
        self._bar.setVisible(len(names) > 1)
        self._show()
        self.warn(comparison)
        rows: dict[str, list[str]] = {}
        for (label, _), load in zip(comparison.rows, comparison.loads, strict=True):
            rows.setdefault(load.told, []).append(label)
        unlike = [f"{listed(rows[told], MOST_NAMED)}: {told}" for told in rows if told]
        lengths = lengths_told(comparison)
        doubts = _doubts_told(comparison)
        told = (many_told, correction_told, duty_told)
        many = [f"{said}." for one in told if (said := one(comparison))]
        many += [f"{said}." for said in terms_told(comparison)]
        texts = (*unlike, *lengths, *doubts, *many, *comparison.crossings)
        self.crossings.tell(texts)

    @Slot()
    def _choose_view(self) -> None:
        self._wanted = self.view.currentText()
        self._show()

    @Slot()
    def _show(self) -> None:
        index = self.view.currentIndex()
        view = self._views[index] if index >= 0 else None
        self.model.set_comparison(self._comparison, view)

    def warn(self, comparison: Comparison) -> None:
        """Say what makes any of them doubtful."""
        differ = setups_told(comparison)
        told = f"They do not differ in the device alone. {differ}" if differ else ""
        none, same = nothing_common_told(comparison), same_recording_told(comparison)
        lines = [same and f"{same}.", none, told]
        for name, one in zip(NAMES, comparison.about, strict=False):
            doubts = [] if one.judged == "PASS" else [one.judged]
            doubts += one.warnings
            lines.append(f"{name}: {', '.join(doubts)}" if doubts else "")
        self.told.setText("\n".join(filter(None, lines)))
        self.told.setVisible(bool(self.told.text()))

    def mark(self, labels: Sequence[str]) -> None:
        """Mark the row of the step that is charted, where there is one."""
        if self._step_marked in labels:
            return  # it is that of one of its hosts
        for label in labels:
            if label in self.model.labels:
                self.table.blockSignals(True)
                self.table.choose_row(self.model.labels.index(label))
                self.table.blockSignals(False)
                return

    @Slot(QModelIndex, object)
    def _want(self, index: QModelIndex, how: Looked) -> None:
        comparison, name = self._comparison, self.model.metric_at(index.column())
        if comparison is None or not name:
            return
        view = self._views[self.view.currentIndex()]
        shown = (index.column() - 1,) if view.metric else (0, view.place)
        label, differences = comparison.rows[index.row()]
        for one in differences:
            if one.metric.name == (view.metric or name):
                places = [place for place in shown if one.values[place] is not None]
                step, host = comparison.hosts.get(label, (label, ""))
                result = f"{one.metric.name}.{host}".rstrip(".")
                if places:
                    self.cell_wanted.emit(step, result, places, how)

    @property
    def _step_marked(self) -> str:
        """The step of the row that is marked, "" without one."""
        row, labels = self.table.currentIndex().row(), self.model.labels
        if self._comparison is None or not 0 <= row < len(labels):
            return ""
        return self._comparison.hosts.get(labels[row], (labels[row], ""))[0]

    @Slot()
    def _choose(self) -> None:
        if self._step_marked:
            self.step_chosen.emit(self._step_marked)
