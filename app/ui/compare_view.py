"""Two sessions side by side: tables with differences, traces aligned at step start."""

from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLayout,
    QSplitter,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.analysis.compare import Comparison
from app.operations.compare import compare_sessions
from app.record.store import SessionSummary, sessions
from app.ui.background import Background
from app.ui.chart_pane import ChartPane
from app.ui.compare_model import NAMES, CompareModel
from app.ui.empty import EmptyState
from app.ui.icons import Icons
from app.ui.labels import make_chip
from app.ui.layers import Layer
from app.ui.panels import Row
from app.ui.record import Record, open_record
from app.ui.session_list import started_of
from app.ui.theme import Theme
from instruments.errors import BenchError
from instruments.reading import SECOND

_ALL = "All charts"
_MAIN = ("Performance", "Power")
_MAIN_NAME = "Performance and power"
_LEAD_NS = 2 * SECOND
_CHOOSE = "Choose two sessions"
_OTHER = "Choose another one for A or for B to see how they differ."


@dataclass(frozen=True, slots=True)
class _Pair:
    paths: tuple[Path, Path]
    records: tuple[Record, Record]
    comparison: Comparison

    def close(self) -> None:
        """Let go of both files."""
        for record in self.records:
            record.close()


class CompareView(QWidget):
    """Choosers of A and B, the table, the overlaid traces of one step.

    Signals:
        cursor_text: What all curves have at the crosshair.
    """

    cursor_text = Signal(str)

    def __init__(
        self, theme: Theme, icons: Icons, background: Background, folder: Path
    ) -> None:
        super().__init__()
        self._background = background
        self._folder = folder
        self._summaries: list[SessionSummary] = []
        self._pair: _Pair | None = None
        self.choosers = (QComboBox(), QComboBox())
        self.step = QComboBox()
        self.quantity = QComboBox()
        self.model = CompareModel(theme, self)
        self.table = QTableView()
        self.pane = ChartPane(theme, icons, background, self._make_tools(), spans=False)
        self.pane.cursor_text.connect(self.cursor_text)
        self._empty = EmptyState(
            icons,
            "columns-2",
            _CHOOSE,
            "Their tables and traces are shown side by side, "
            "aligned at the start of each step.",
        )
        self._stack = QStackedWidget()
        self._fake = make_chip("simulated bench", "One or both ran on a simulator")
        self._build()
        theme.changed.connect(self._empty.recolour)

    def _build(self) -> None:
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.table)
        split.addWidget(self.pane)
        split.setStretchFactor(1, 1)
        split.setSizes([250, 500])
        split.setHandleWidth(1)
        split.setChildrenCollapsible(False)
        self._build_table()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(split)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._build_head())
        layout.addWidget(self._stack, 1)

    def _build_head(self) -> QLayout:
        head = QHBoxLayout()
        head.setContentsMargins(12, 10, 12, 8)
        head.setSpacing(8)
        for name, box in zip(NAMES, self.choosers, strict=True):
            label = QLabel(f"Session &{name}")
            label.setBuddy(box)
            box.setAccessibleName(f"Session {name}")
            box.setToolTip(f"The session called {name} (Alt+{name})")
            box.setMinimumContentsLength(18)
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            box.activated.connect(self._compare)
            head.addWidget(label)
            head.addWidget(box, 1)
            head.addSpacing(8)
        self._fake.hide()
        head.addWidget(self._fake)
        return head

    def _make_tools(self) -> list[QWidget]:
        """Make the choosers above the charts, with their labels."""
        tools: list[QWidget] = []
        for text, box, name in (
            ("S&tep", self.step, "Step shown"),
            ("&Show", self.quantity, "Charts shown"),
        ):
            label = QLabel(text)
            label.setBuddy(box)
            box.setAccessibleName(name)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.activated.connect(self._overlay)
            tools += [label, box]
        self.step.setToolTip("Which step is laid over the other (Alt+T)")
        self.quantity.setToolTip("Which of the charts are shown (Alt+S)")
        return tools

    def _build_table(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setAccessibleName("Report tables side by side")
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setShowGrid(False)
        table.setAlternatingRowColors(True)
        table.setTabKeyNavigation(False)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setToolTip("Choose a row to see its traces below")
        head = table.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setHighlightSections(False)
        head.setMinimumHeight(42)
        table.verticalHeader().setDefaultSectionSize(25)
        table.verticalHeader().setHighlightSections(False)
        table.selectionModel().currentRowChanged.connect(self._row_chosen)

    @property
    def pair(self) -> tuple[Record, Record] | None:
        """The two sessions shown."""
        return self._pair.records if self._pair else None

    def set_folder(self, folder: Path) -> None:
        """Offer the sessions of another folder."""
        self._folder = folder
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """List the folder again."""
        folder = self._folder
        self._background.run(lambda: (folder, sessions(folder)), self._take_list)

    @Slot(object)
    def _take_list(self, answer: tuple[Path, list[SessionSummary]]) -> None:
        folder, found = answer
        usable = [one for one in found if not one.error and one.state != "recording"]
        if folder != self._folder or usable == self._summaries:
            return
        before = [box.currentData() for box in self.choosers]
        self._summaries = usable
        paths = [one.path for one in usable]
        for index, box in enumerate(self.choosers):
            box.clear()
            for one in usable:
                fake = " · simulated" if one.simulated else ""
                box.addItem(f"{started_of(one)}  {one.name}{fake}", one.path)
                box.setItemData(
                    box.count() - 1, str(one.path), Qt.ItemDataRole.ToolTipRole
                )
            # B is the newest; A, the reference, the one before it.
            first = min(1 - index, len(usable) - 1)
            box.setCurrentIndex(
                paths.index(before[index]) if before[index] in paths else first
            )
        if len(usable) >= 2:
            self._compare()
        else:
            self._show_none(_CHOOSE)

    def compare(self, first: Path, second: Path) -> None:
        """Show these two files, listed or not."""
        for box, path in zip(self.choosers, (first, second), strict=True):
            row = box.findData(path)
            if row < 0:
                box.addItem(path.stem, path)
                row = box.count() - 1
            box.setCurrentIndex(row)
        self._compare()

    @Slot()
    def _compare(self) -> None:
        first, second = self._chosen
        if first is None or second is None:
            return
        if first == second:
            self._show_none("A and B are the same session", _OTHER)
        elif self._pair is None or self._pair.paths != (first, second):
            self._background.run(
                lambda: _open_pair(first, second),
                self._take_pair,
                partial(self._give_up, (first, second)),
                drop=_Pair.close,
            )

    @property
    def _chosen(self) -> tuple[Path | None, Path | None]:
        first, second = (box.currentData() for box in self.choosers)
        return first, second

    def _give_up(self, paths: tuple[Path, Path], error: Exception) -> None:
        """Say which one cannot be opened, where it is still wanted."""
        if paths == self._chosen:
            self._show_none("These sessions cannot be compared", str(error))
            if not isinstance(error, BenchError):
                self._background.failed.emit(error)

    def _show_none(self, title: str, text: str = "") -> None:
        """Say why nothing is compared; what was shown is closed."""
        if self._pair is not None:
            self.pane.chart.set_layers([])
            self._let_go(self._pair)
        self._pair = None
        self._fake.hide()
        self._empty.set_title(title)
        self._empty.say(text)
        self._stack.setCurrentIndex(0)

    @Slot(object)
    def _take_pair(self, pair: _Pair) -> None:
        if pair.paths != self._chosen:
            self._let_go(pair)
            return
        if self._pair is not None:
            self._let_go(self._pair)
        self._pair = pair
        self.model.set_comparison(pair.comparison)
        self._fake.setVisible(any(one.is_simulated for one in pair.records))
        chosen = self.step.currentText()
        labels = _common_labels(pair.records)
        self.step.clear()
        self.step.addItems(labels)
        first = _first_load(pair.records[0], labels)
        self.step.setCurrentIndex(labels.index(chosen) if chosen in labels else first)
        shown = self.quantity.currentText()
        names = [row.name for row in pair.records[0].layer.rows]
        names = [_MAIN_NAME, _ALL, *names]
        self.quantity.clear()
        self.quantity.addItems(names)
        self.quantity.setCurrentIndex(names.index(shown) if shown in names else 0)
        self._stack.setCurrentIndex(1)
        self._overlay()

    def _let_go(self, pair: _Pair) -> None:
        self._background.release(pair.close)

    def shut(self) -> None:
        """Let go of charts and sessions; called once, when no work is going on."""
        self.pane.chart.close_plots()
        if self._pair is not None:
            self._pair.close()

    @Slot()
    def _row_chosen(self) -> None:
        row = self.table.currentIndex().row()
        labels = self.model.labels
        if 0 <= row < len(labels):
            index = self.step.findText(labels[row])
            if index >= 0 and index != self.step.currentIndex():
                self.step.setCurrentIndex(index)
                self._overlay()

    @Slot()
    def _overlay(self) -> None:
        """Lay the chosen step of B over that of A."""
        if self._pair is None:
            return
        label, wanted = self.step.currentText(), self.quantity.currentText()
        layers = []
        for name, record in zip(NAMES, self._pair.records, strict=True):
            rows = _chosen_rows(record, wanted)
            layer = _at_step(record, label, rows, name)
            if layer is not None:
                layers.append(layer)
        self.pane.chart.set_layers(layers)
        if wanted == _MAIN_NAME and _is_random(label):
            self.pane.chart.show_panel("IOPS")
        elif wanted == _MAIN_NAME:
            self.pane.chart.show_panel("Throughput")

    def showEvent(self, event: QShowEvent) -> None:
        """Offer what has come since."""
        super().showEvent(event)
        self.refresh()


def _open_pair(first: Path, second: Path) -> _Pair:
    """Open both and compare them; where one fails none stays open."""
    with ExitStack() as stack:
        one = open_record(first)
        stack.callback(one.session.close)
        other = open_record(second)
        stack.callback(other.session.close)
        pair = _Pair((first, second), (one, other), compare_sessions([first, second]))
        stack.pop_all()
    return pair


def _chosen_rows(record: Record, wanted: str) -> tuple[Row, ...]:
    rows = record.layer.rows
    if wanted == _ALL:
        return rows
    names = _MAIN if wanted == _MAIN_NAME else (wanted,)
    return tuple(row for row in rows if row.name in names)


def _common_labels(records: tuple[Record, Record]) -> list[str]:
    started = [
        [step.label for step in one.session.steps() if step.start_ns is not None]
        for one in records
    ]
    return [label for label in started[0] if label in started[1]]


def _is_random(label: str) -> bool:
    """Tell whether a step is about operations rather than bytes."""
    return "random" in label.lower()


def _first_load(record: Record, labels: list[str]) -> int:
    """Choose the first step with a load; idle ones say little."""
    loads = {step.label for step in record.session.steps() if step.engine == "fio"}
    return next((n for n, label in enumerate(labels) if label in loads), 0)


def _at_step(
    record: Record, label: str, rows: tuple[Row, ...], name: str
) -> Layer | None:
    """Put a session on a time axis that begins with one of its steps."""
    for step in record.session.steps():
        if step.label == label and step.start_ns is not None:
            end = step.end_ns if step.end_ns is not None else record.layer.end
            return replace(
                record.layer,
                rows=rows,
                origin=step.start_ns,
                start=max(record.layer.start, step.start_ns - _LEAD_NS),
                end=min(record.layer.end, end + _LEAD_NS),
                name=name,
            )
    return None
