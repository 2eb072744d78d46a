"""Results of sessions against what was swept, and every other kind of figure."""

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QComboBox, QLabel, QStackedWidget, QWidget

from app.report.figures.cases import Case, cases_of, metrics_in, options_in
from app.report.figures.figure import Figure
from app.report.figures.kinds import (
    ALL,
    KINDS,
    NOTHING,
    Choice,
    Takes,
    first_kind,
    make_figure,
    usual_choice,
)
from app.ui.compare.lanes import Lanes
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.context import Context
from app.ui.kit.empty import EmptyState
from app.ui.kit.widgets import column, make_button, make_note, named, row
from app.ui.session.figure_file import ask_and_save, copy_figure
from app.ui.session.figures import FigureView
from instruments.errors import BadInput, BenchError


class FigureChoosers(QObject):
    """The boxes that say what a figure shows; what was chosen stays where it can.

    Attributes:
        kind: Box of the kinds.
        option: Box of what was swept.
        across: Box of the metric across.
        up: Box of the metric upwards.
        below: Box of the metric in a figure below.
        widgets: All with their labels, from left to right.

    Signals:
        changed: The user chose something else.
    """

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._is_untouched = True
        self._cases: list[Case] = []
        self._chosen: dict[str, Choice] = {}
        self.kind, self.option = ComboBox(), ComboBox()
        self.across, self.up, self.below = ComboBox(), ComboBox(), ComboBox()
        self.kind.addItems([kind.title for kind in ALL])
        self.widgets: list[QWidget] = []
        self._labels: list[QLabel] = []
        for text, box, name, tip in (
            ("&Kind", self.kind, "Kind of figure", "What the figure shows (Alt+K)"),
            (
                "&X",
                self.across,
                "Result across",
                "Result on the horizontal axis (Alt+X)",
            ),
            ("O&ver", self.option, "Swept option", "What was swept over (Alt+V)"),
            ("&Y", self.up, "Result upwards", "Result on the vertical axis (Alt+Y)"),
            ("Belo&w", self.below, "Result below", "Result in a figure below (Alt+W)"),
        ):
            label = QLabel(text)
            label.setBuddy(named(box, name, tip))
            box.currentTextChanged.connect(box.fit)
            # Qt keeps in mind for hidden pages how wide they were with all of them.
            label.hide()
            box.hide()
            self._labels.append(label)
            self.widgets += [label, box]
        self.kind.activated.connect(self._change_kind)
        for box in (self.option, self.across, self.up, self.below):
            box.activated.connect(self._change)

    @property
    def choice(self) -> Choice:
        """What is chosen, without steps."""
        return Choice(
            ALL[max(self.kind.currentIndex(), 0)].key,
            str(self.option.currentData() or ""),
            str(self.across.currentData() or ""),
            str(self.up.currentData() or ""),
            below=str(self.below.currentData() or ""),
        )

    def offer(self, cases: list[Case]) -> None:
        """Offer what these sessions have."""
        self._cases = cases
        if self._is_untouched:
            keys = [kind.key for kind in ALL]
            self.kind.setCurrentIndex(keys.index(first_kind(cases)))
        self._fill()

    def _fill(self) -> None:
        kind = ALL[max(self.kind.currentIndex(), 0)]
        chosen = self._chosen.get(kind.key, Choice(kind.key))
        usual = usual_choice(self._cases, chosen)
        metrics = [(one.name, one.head) for one in metrics_in(self._cases)]
        options = [(name, name) for name in options_in(self._cases)]
        if kind.key != "swept":
            options = [("", "no line"), *options]
        _fill(self.option, options, usual.option)
        _fill(self.across, metrics, usual.across)
        _fill(self.up, metrics, usual.up)
        _fill(self.below, [(NOTHING, "nothing"), *metrics], usual.below)
        shown = {
            self.kind: True,
            self.option: Takes.OPTION in kind.takes,
            self.across: Takes.ACROSS in kind.takes,
            self.up: Takes.UP in kind.takes,
            self.below: Takes.BELOW in kind.takes,
        }
        for label, box in zip(self._labels, self.widgets[1::2], strict=True):
            is_shown = shown[box]  # type: ignore[index]
            label.setVisible(is_shown)
            box.setVisible(is_shown)

    @Slot()
    def _change_kind(self) -> None:
        self._is_untouched = False
        self._fill()
        self.changed.emit()

    @Slot()
    def _change(self) -> None:
        one = self.choice
        self._chosen[one.kind] = one
        self.changed.emit()


def _fill(box: QComboBox, items: list[tuple[str, str]], chosen: str) -> None:
    box.clear()
    for data, text in items:
        box.addItem(text, data)
    box.setCurrentIndex(box.findData(chosen))


class CompareResults(QWidget):
    """Choosers above one figure, and what is to be known of it below.

    Attributes:
        choosers: The boxes.
        view: The figure.
        about: Notes on the result.
    """

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._background = context.background
        self._lanes = Lanes()
        self._cases: list[Case] = []
        self._labels: tuple[str, ...] = ()
        self._number = 0
        self.choosers = FigureChoosers(self)
        self.choosers.changed.connect(self._draw)
        self.view = FigureView(context)
        self.about = make_note(name="Notes on the figure")
        self._copy = make_button(
            "Cop&y", "Put the picture and its data on the clipboard", self.copy
        )
        self._save = make_button("&Save...", "Write it as SVG, PNG or CSV", self.save)
        self._empty = EmptyState(
            context.icons, "activity", "Nothing to draw", "Choose another kind."
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.view)
        parts = (*self.choosers.widgets, None, self._copy, self._save)
        head = row(*parts, margins=(12, 6, 12, 6), spacing=8)
        foot = row(self.about, margins=(12, 4, 12, 8))
        column(head, self._stack, foot, of=self, grows=self._stack, spacing=0)
        self.setObjectName("surface")

    def show_lanes(self, lanes: Lanes, labels: tuple[str, ...]) -> None:
        """Show figures of these sessions, of these steps where steps count."""
        self._labels = labels
        if lanes is self._lanes:
            if Takes.STEPS in KINDS[self.choosers.choice.kind].takes:
                self._draw()
            return
        self._lanes = lanes
        self._number += 1
        sessions = [record.session for record in lanes.records]
        self._background.run(
            lambda: cases_of(sessions),
            partial(self._take_cases, lanes),
            partial(self._give_up, self._number),
            lasting=True,
            reads=True,
        )

    def _take_cases(self, lanes: Lanes, cases: list[Case]) -> None:
        if lanes is self._lanes:
            self._cases = cases
            self.choosers.offer(cases)
            self._draw()

    @Slot()
    def _draw(self) -> None:
        """Make the chosen figure, aside: some read many samples."""
        if not self._cases:
            return
        self._number += 1
        cases = self._cases
        choice = replace(self.choosers.choice, labels=self._labels)
        self._background.run(
            lambda: make_figure(cases, choice),
            partial(self._take, self._number),
            partial(self._give_up, self._number),
            lasting=True,
            reads=True,
        )

    def _take(self, number: int, figure: Figure) -> None:
        if number == self._number:
            self._show(figure)

    def _show(self, figure: Figure | None) -> None:
        self.view.show_figure(figure)
        self.about.setText(figure.about if figure is not None else "")
        self._stack.setCurrentIndex(1 if figure is not None else 0)
        for button in (self._copy, self._save):
            button.setEnabled(figure is not None)

    def _give_up(self, number: int, error: Exception) -> None:
        """Say what lacks, where it is this figure that is wanted still."""
        if number != self._number:
            return
        self._show(None)
        lacks = error.way_out if isinstance(error, BadInput) else str(error)
        self._empty.say(lacks or str(error))
        if not isinstance(error, BenchError):
            self._background.failed.emit(error)

    def clear(self) -> None:
        """Show nothing: the sessions are closed."""
        self._number += 1
        self._lanes, self._cases = Lanes(), []
        self._show(None)

    @Slot()
    def copy(self) -> None:
        """Put the picture on the clipboard, with its data as text."""
        if self.view.figure is not None:
            copy_figure(self.view.figure, self.view.svg)

    @Slot()
    def save(self) -> None:
        """Ask for a file, and write the figure."""
        figure = self.view.figure
        if figure is None or not self._lanes.paths:
            return
        folder = self._lanes.paths[0].parent
        ask_and_save(figure, self.view.svg, folder, self, self._background)
