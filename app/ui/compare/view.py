"""Two sessions side by side: tables with differences, traces aligned at step start."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QLabel,
    QStackedWidget,
    QWidget,
)

from app.analysis.compare import Comparison
from app.operations.sessions.comparison_file import (
    FORMS,
    comparison_name,
    write_comparison,
)
from app.record.store import SessionSummary
from app.ui.chart.pane import ChartPane
from app.ui.compare.chooser import PairChooser
from app.ui.compare.differences import CompareDifferences
from app.ui.compare.pair import Pair, is_random, open_pair
from app.ui.kit.background import nothing
from app.ui.kit.context import Context
from app.ui.kit.empty import EmptyState
from app.ui.kit.shared_height import SharedHeight
from app.ui.kit.widgets import column
from app.ui.session.folder import SessionFolder
from app.ui.session.record import Record
from instruments.errors import BenchError

_USUAL = "html"


def ask_for_file(first: Path, second: Path, folder: Path, parent: QWidget) -> Path:
    """Ask where to write what two sessions come to; an empty path for nowhere.

    Args:
        first: The file of A.
        second: The file of B.
        folder: The folder to begin with.
        parent: The window that waits.
    """
    filters = {f"{name} (*.{form})": form for form, (name, _) in FORMS.items()}
    name, chosen = QFileDialog.getSaveFileName(
        parent,
        "Export the comparison",
        str(folder / f"{comparison_name((first.stem, second.stem))}.{_USUAL}"),
        ";;".join(filters),
        next(words for words, form in filters.items() if form == _USUAL),
    )
    path = Path(name)
    if name and not path.suffix:
        path = path.with_name(f"{path.name}.{filters.get(chosen, _USUAL)}")
    return path


_ALL = "All charts"
_MAIN = ("Performance", "Power")
_MAIN_NAME = "Performance and power"


class CompareChoice(QObject):
    """Two boxes with their labels; a step that the user chose stays chosen.

    Attributes:
        step: The box of the steps.
        quantity: The box of the charts.
        widgets: Both with their labels, from left to right.

    Signals:
        changed: The user chose something else.
    """

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._wanted = ""
        self.step = QComboBox()
        self.step.setToolTip("Which step is laid over the other (Alt+T)")
        self.step.activated.connect(self._want)
        self.quantity = QComboBox()
        self.quantity.setToolTip("Which of the charts are shown (Alt+S)")
        self.widgets: list[QWidget] = []
        for text, box, name in (
            ("S&tep", self.step, "Step shown"),
            ("&Show", self.quantity, "Charts shown"),
        ):
            label = QLabel(text)
            label.setBuddy(box)
            box.setAccessibleName(name)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.activated.connect(self.changed)
            self.widgets += [label, box]

    @property
    def label(self) -> str:
        """The step."""
        return self.step.currentText()

    @property
    def rows(self) -> tuple[str, ...] | None:
        """Names of the rows of charts, None for all."""
        wanted = self.quantity.currentText()
        return {_ALL: None, _MAIN_NAME: _MAIN}.get(wanted, (wanted,))

    @property
    def is_main(self) -> bool:
        """Whether the usual charts are shown."""
        return self.quantity.currentText() == _MAIN_NAME

    def offer(self, steps: Sequence[str], first: str, rows: Sequence[str]) -> None:
        """Offer steps and charts; what was chosen stays where it is offered still.

        Args:
            steps: Labels of the steps.
            first: The one to begin with.
            rows: Names of the rows of charts.
        """
        _fill(self.step, steps, first, self._wanted)
        charts = [_MAIN_NAME, _ALL, *rows]
        _fill(self.quantity, charts, _MAIN_NAME, self.quantity.currentText())

    def choose(self, label: str) -> None:
        """Choose a step as the user does; one that is not offered changes nothing."""
        index = self.step.findText(label)
        if index >= 0 and index != self.step.currentIndex():
            self.step.setCurrentIndex(index)
            self._want()
            self.changed.emit()

    @Slot()
    def _want(self) -> None:
        """Remember the step that the user chose; one that was only shown is not."""
        self._wanted = self.step.currentText()


def _fill(box: QComboBox, texts: Sequence[str], first: str, chosen: str) -> None:
    box.clear()
    box.addItems(texts)
    box.setCurrentText(chosen if chosen in texts else first)


_CHOOSE = "Choose two sessions"
_OTHER = "Choose another one for A or for B to see how they differ."


class CompareView(QWidget):
    """Choosers of A and B, the table, the overlaid traces of one step.

    Attributes:
        choice: Which step and which charts.
        differences: The figures, and the words about them.
    """

    def __init__(self, context: Context, folder: Path) -> None:
        super().__init__()
        self._background = context.background
        self._pair: Pair | None = None
        self._listing = SessionFolder(context.background, folder, self)
        self._listing.listed.connect(self._take_list)
        self.chooser = PairChooser(context)
        self.chooser.chosen.connect(self._compare)
        self.chooser.export_wanted.connect(self.export)
        self.choice = CompareChoice(self)
        self.choice.changed.connect(self._overlay)
        self.differences = CompareDifferences(context.theme)
        self.differences.step_chosen.connect(self.choice.choose)
        self.pane = ChartPane(context, self.choice.widgets, spans=False)
        # At rest the legend says nothing: the means stand in the table above.
        self.pane.chart.set_current({})
        self._empty = EmptyState(
            context.icons,
            "columns-2",
            _CHOOSE,
            "Their tables and traces are shown side by side, "
            "aligned at the start of each step.",
        )
        self._stack = QStackedWidget()
        self._split = SharedHeight()
        self._build()

    def _build(self) -> None:
        self._split.addWidget(self.differences)
        self._split.addWidget(self.pane)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._split)
        column(self.chooser, self._stack, of=self, grows=self._stack, spacing=0)
        self.setFocusProxy(self.differences)

    @property
    def pair(self) -> tuple[Record, Record] | None:
        """The two sessions shown."""
        return self._pair.records if self._pair else None

    @property
    def folder(self) -> Path:
        """Where sessions are offered from."""
        return self._listing.path

    def set_folder(self, folder: Path) -> None:
        """Offer the sessions of another folder, and none until it is read."""
        self._listing.choose(folder)
        self.chooser.offer([])
        self._show_none(_CHOOSE, f"Reading {folder} ...")
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """List the folder again."""
        self._listing.refresh()

    @Slot(object)
    def _take_list(self, found: list[SessionSummary]) -> None:
        is_other = self.chooser.offer(found)
        if self.chooser.count < 2 and (is_other or self._pair is None):
            self._show_none("Two sessions are needed", _few(self.folder))
        elif is_other:
            self._compare()

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
        self.chooser.show_pair(simulated=False, shown=False)
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
        self.differences.show_comparison(pair.comparison)
        steps = pair.steps()
        self.pane.setVisible(bool(steps))
        self._split.set_parts(((self.differences, 3), (self.pane, 2)))
        self.chooser.show_pair(simulated=pair.is_simulated, shown=True)
        self.choice.offer(steps, pair.first_load(), pair.rows())
        self._stack.setCurrentIndex(1)
        self._overlay()
        self._background.run(
            lambda: (pair, pair.checked()),
            self._take_check,
            partial(self._fail_check, pair),
            lasting=True,
        )

    @Slot(object)
    def _take_check(self, answer: tuple[Pair, Comparison]) -> None:
        """Say where one was changed after its run."""
        pair, comparison = answer
        if pair is self._pair and comparison != pair.comparison:
            self.differences.warn(comparison)
            self._split.share()

    def _fail_check(self, pair: Pair, error: Exception) -> None:
        """Say that one cannot be read, where it is still this pair that is shown."""
        if pair is self._pair:
            self._give_up(pair.paths, error)

    def _let_go(self, pair: Pair) -> None:
        self._background.release(pair.close)

    def shut(self) -> None:
        """Let go of charts and sessions; called once, when no work is going on."""
        self.pane.chart.close_plots()
        if self._pair is not None:
            self._pair.close()

    @Slot()
    def _overlay(self) -> None:
        """Lay the chosen step of B over that of A."""
        if self._pair is None:
            return
        label = self.choice.label
        self.pane.chart.set_layers(self._pair.layers(label, self.choice.rows))
        if self.choice.is_main:
            self.pane.chart.show_panel("IOPS" if is_random(label) else "Throughput")
        self.differences.mark(label)

    @Slot()
    def export(self) -> None:
        """Ask for a file, and write the comparison."""
        pair = self._pair
        if pair is not None:
            path = ask_for_file(*pair.paths, self.folder, self)
            if path.name:
                self._background.run(
                    lambda: write_comparison(pair.checked(), path),
                    nothing,
                    lasting=True,  # it hashes both: that may be minutes
                )

    def showEvent(self, event: QShowEvent) -> None:
        """Offer what has come since."""
        super().showEvent(event)
        self.refresh()


def _few(folder: Path) -> str:
    return (
        f"There are fewer than two in {folder}. Start a run, or choose another folder "
        "in Sessions."
    )
