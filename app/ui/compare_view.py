"""Two sessions side by side: tables with differences, traces aligned at step start."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.record.store import SessionSummary, sessions
from app.ui.background import Background
from app.ui.chart_pane import ChartPane
from app.ui.compare_doubts import CompareDoubts
from app.ui.compare_model import CompareModel
from app.ui.compare_pair import Pair, is_random, open_pair
from app.ui.compare_table import CompareTable
from app.ui.empty import EmptyState
from app.ui.icons import Icons
from app.ui.pair_chooser import PairChooser
from app.ui.record import Record
from app.ui.theme import Theme
from instruments.errors import BenchError

_ALL = "All charts"
_MAIN = ("Performance", "Power")
_MAIN_NAME = "Performance and power"
_CHOOSE = "Choose two sessions"
_OTHER = "Choose another one for A or for B to see how they differ."


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
        self._pair: Pair | None = None
        self.chooser = PairChooser(theme)
        self.chooser.chosen.connect(self._compare)
        self.step = QComboBox()
        self._step_wanted = ""
        self.step.activated.connect(self._want_step)
        self.quantity = QComboBox()
        self.told = CompareDoubts()
        self.model = CompareModel(self)
        self.table = CompareTable(self.model, theme)
        self.table.selectionModel().currentRowChanged.connect(self._row_chosen)
        self.pane = ChartPane(theme, icons, background, self._make_tools(), spans=False)
        self.pane.cursor_text.connect(self.cursor_text)
        # At rest the legend says nothing: the means stand in the table above.
        self.pane.chart.set_current({})
        self._empty = EmptyState(
            icons,
            "columns-2",
            _CHOOSE,
            "Their tables and traces are shown side by side, "
            "aligned at the start of each step.",
        )
        self._stack = QStackedWidget()
        self._build()
        theme.changed.connect(self._empty.recolour)

    def _build(self) -> None:
        above = QWidget()
        column = QVBoxLayout(above)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.told)
        column.addWidget(self.table, 1)
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(above)
        split.addWidget(self.pane)
        split.setStretchFactor(1, 1)
        split.setSizes([290, 460])
        split.setHandleWidth(1)
        split.setChildrenCollapsible(False)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(split)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.chooser)
        layout.addWidget(self._stack, 1)
        self.setFocusProxy(self.table)

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
        if folder == self._folder and self.chooser.offer(found):
            if self.chooser.count >= 2:
                self._compare()
            else:
                self._show_none("Two sessions are needed", _few(folder))

    def compare(self, first: Path, second: Path) -> None:
        """Show these two files, listed or not."""
        self.chooser.choose(first, second)
        self._compare()

    @Slot()
    def _compare(self) -> None:
        first, second = self.chooser.paths
        if first is None or second is None:
            return
        if first == second:
            self._show_none("A and B are the same session", _OTHER)
        elif self._pair is None or self._pair.paths != (first, second):
            self._background.run(
                lambda: open_pair(first, second),
                self._take_pair,
                partial(self._give_up, (first, second)),
                drop=Pair.close,
            )

    def _give_up(self, paths: tuple[Path, Path], error: Exception) -> None:
        """Say which one cannot be opened, where it is still wanted."""
        if paths == self.chooser.paths:
            self._show_none("These sessions cannot be compared", str(error))
            if not isinstance(error, BenchError):
                self._background.failed.emit(error)

    def _show_none(self, title: str, text: str = "") -> None:
        """Say why nothing is compared; what was shown is closed."""
        if self._pair is not None:
            self.pane.chart.set_layers([])
            self._let_go(self._pair)
        self._pair = None
        self.chooser.set_simulated(False)
        self._empty.set_title(title)
        self._empty.say(text)
        self._stack.setCurrentIndex(0)

    @Slot(object)
    def _take_pair(self, pair: Pair) -> None:
        if pair.paths != self.chooser.paths:
            self._let_go(pair)
            return
        if self._pair is not None:
            self._let_go(self._pair)
        self._pair = pair
        self.model.set_comparison(pair.comparison)
        self.told.tell(pair.comparison.about)
        self.chooser.set_simulated(pair.is_simulated)
        names = [row.name for row in pair.records[0].layer.rows]
        _fill(self.step, pair.steps(), pair.first_load(), self._step_wanted)
        quantity = self.quantity.currentText()
        _fill(self.quantity, [_MAIN_NAME, _ALL, *names], _MAIN_NAME, quantity)
        self._stack.setCurrentIndex(1)
        self._overlay()

    def _let_go(self, pair: Pair) -> None:
        self._background.release(pair.close)

    def shut(self) -> None:
        """Let go of charts and sessions; called once, when no work is going on."""
        self.pane.chart.close_plots()
        if self._pair is not None:
            self._pair.close()

    @Slot()
    def _want_step(self) -> None:
        """Remember the step that the user chose; one that was only shown is not."""
        self._step_wanted = self.step.currentText()

    @Slot()
    def _row_chosen(self) -> None:
        row = self.table.currentIndex().row()
        labels = self.model.labels
        if 0 <= row < len(labels):
            index = self.step.findText(labels[row])
            if index >= 0 and index != self.step.currentIndex():
                self.step.setCurrentIndex(index)
                self._want_step()
                self._overlay()

    @Slot()
    def _overlay(self) -> None:
        """Lay the chosen step of B over that of A."""
        if self._pair is None:
            return
        label, wanted = self.step.currentText(), self.quantity.currentText()
        rows = {_ALL: None, _MAIN_NAME: _MAIN}.get(wanted, (wanted,))
        self.pane.chart.set_layers(self._pair.layers(label, rows))
        if wanted == _MAIN_NAME:
            self.pane.chart.show_panel("IOPS" if is_random(label) else "Throughput")
        labels = self.model.labels
        if label in labels:
            self.table.choose_row(labels.index(label))

    def showEvent(self, event: QShowEvent) -> None:
        """Offer what has come since."""
        super().showEvent(event)
        self.refresh()


def _few(folder: Path) -> str:
    return (
        f"There are fewer in {folder}. Start a run, or choose its folder in Sessions."
    )


def _fill(box: QComboBox, texts: list[str], first: str, chosen: str) -> None:
    """Offer these texts; what was chosen stays chosen where it is offered still."""
    box.clear()
    box.addItems(texts)
    box.setCurrentText(chosen if chosen in texts else first)
