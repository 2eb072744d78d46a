"""The charts of what is compared, and how they are laid over each other."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QStackedWidget,
    QWidget,
)

from app.analysis.moments import Alignment
from app.report.chart.layout import Layout
from app.ui.chart.layers import Layer
from app.ui.chart.layout.layouts import Layouts
from app.ui.chart.pane import ChartPane
from app.ui.compare.lanes import NAMES, Arrangement, Lanes
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.context import Context
from app.ui.kit.empty import EmptyState
from app.ui.kit.widgets import column, make_note, named
from instruments.errors import BadInput, one_line

_ALL = "All charts"
_MAIN = ("Performance", "Power")
_MAIN_NAME = "Load and power"
_OWN = "Your own charts"
"""The layout in hand, where it is not saved as it is."""
_DAY_S = 86_400.0
_SHIFT_WIDTH = 96
_APART = 8


class CompareCharts(QWidget):
    """A bar of choices above the charts.

    Attributes:
        pane: The charts.
        align: Box of what lies at the same place.
        quantity: Box of the charts that are shown.
        apart: Whether each session has its own charts.
        difference: Whether differences to the baseline are charted.
        shift: How much later the marked session is shown, in seconds.

    Signals:
        changed: Another arrangement is wanted.
    """

    changed = Signal()

    def __init__(self, context: Context, layouts: Layouts) -> None:
        super().__init__()
        self._background = context.background
        self._layouts = layouts
        self._rows: Sequence[str] = ()
        self._shifts: dict[int, float] = {}
        self._place = -1
        self._number = 0
        self._labels: tuple[str, ...] = ()
        self.align = named(
            ComboBox(),
            "Align by",
            "The moment at which the sessions are aligned (Alt+N)",
        )
        self.align.addItems([str(one) for one in Alignment])
        self.align.activated.connect(self.changed)
        self.quantity = named(
            ComboBox(), "Charts shown", "Which of the charts are shown (Alt+S)"
        )
        self.quantity.activated.connect(self.changed)
        layouts.changed.connect(self._take_layouts)
        self.apart = QCheckBox("Se&parate charts")
        self.apart.setToolTip(
            "Draw each session in charts of its own, on one scale (Alt+P)"
        )
        self.apart.toggled.connect(self.changed)
        self.difference = QCheckBox("&Difference")
        self.difference.setToolTip(
            "Chart the differences from the baseline, too (Alt+D)"
        )
        self.difference.toggled.connect(self.changed)
        self.shift = named(
            QDoubleSpinBox(),
            "Shift of the marked session",
            "How much later the session that is marked at the left is shown; "
            "or drag it in a chart with Ctrl",
        )
        self.shift.setRange(-_DAY_S, _DAY_S)
        self.shift.setDecimals(2)
        self.shift.setSuffix(" s")
        self.shift.setMaximumWidth(_SHIFT_WIDTH)
        self.shift.setKeyboardTracking(False)
        self.shift.valueChanged.connect(self._take_shift)
        self._shifted = QLabel("Shift")
        tools: list[QWidget] = []
        for label, box in (
            (QLabel("Alig&n by"), self.align),
            (QLabel("&Show"), self.quantity),
        ):
            label.setBuddy(box)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            tools += [label, box]
        tools += [self.apart, self.difference, self._shifted, self.shift]
        for part in (tools[2], self._shifted):
            part.setContentsMargins(_APART, 0, 0, 0)
        self.pane = ChartPane(context, tools, spans=False)
        # At rest the legend says nothing: the means stand in the table.
        self.pane.chart.set_current({})
        self.pane.chart.dragged.connect(self._drag)
        self._remarks = make_note(look="mistake", name="What could not be aligned")
        self._remarks.setContentsMargins(12, 2, 12, 4)
        self._remarks.hide()
        self._empty = EmptyState(
            context.icons,
            "activity",
            "No readings over time",
            "These sessions have none, as published results. Table and Results compare "
            "their figures.",
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self.pane)
        self._stack.addWidget(self._empty)
        # Below: the bar stays where the mouse is when something has to be said.
        column(self._stack, self._remarks, of=self, grows=self._stack, spacing=0)
        self.mark(-1)

    @property
    def rows(self) -> tuple[str, ...] | None:
        """Names of the rows of charts, None for all."""
        wanted = self.quantity.currentText()
        if self.layout_shown is not None:
            return None
        return {_ALL: None, _MAIN_NAME: _MAIN}.get(wanted, (wanted,))

    @property
    def layout_shown(self) -> Layout | None:
        """The layout that is chosen, None for the charts of every session."""
        found: Layout | None = self.quantity.currentData()
        return found

    def offer(self, rows: Sequence[str]) -> None:
        """Offer these rows of charts; what was chosen stays where it is offered."""
        self._rows = rows
        chosen = self.quantity.currentText()
        self.quantity.clear()
        self.quantity.addItems([_MAIN_NAME, _ALL, *rows])
        for name, layout in self._own_layouts().items():
            self.quantity.addItem(name, layout)
        self.quantity.setCurrentIndex(max(self.quantity.findText(chosen), 0))

    def _own_layouts(self) -> dict[str, Layout]:
        """Get the layout in hand and those that are saved, by what they are called."""
        found: dict[str, Layout] = {}
        try:
            saved = self._layouts.saved
        except BadInput as error:
            self._background.failed.emit(error)
            saved = {}
        current = self._layouts.current
        if current is not None and current != saved.get(current.name):
            found[_OWN] = current
        for name, layout in saved.items():
            found[f"Layout: {one_line(name)}"] = layout
        return found

    @Slot()
    def _take_layouts(self) -> None:
        """Offer other layouts; the one that is shown may be another one now."""
        before = self.quantity.currentText(), self.layout_shown
        self.offer(self._rows)
        if before != (self.quantity.currentText(), self.layout_shown):
            self.changed.emit()

    def forget_shifts(self) -> None:
        """Show every session where it belongs: others are compared now."""
        self._shifts.clear()

    def mark(self, place: int) -> None:
        """Let the session with this place be the one that is shifted; -1 for none."""
        self._place = place
        self.shift.setEnabled(place >= 0)
        self._shifted.setText(f"Shift {NAMES[place]}" if place >= 0 else "Shift")
        self.shift.blockSignals(True)
        self.shift.setValue(self._shifts.get(place, 0.0))
        self.shift.blockSignals(False)

    @Slot(float)
    def _take_shift(self, seconds: float) -> None:
        if self._place >= 0:
            self._shifts[self._place] = seconds
            self.changed.emit()

    @Slot(float, bool)
    def _drag(self, seconds: float, is_over: bool) -> None:
        """Shift the marked session, else the last one, once the mouse is let go of."""
        if not is_over:
            return
        if self._place < 0:
            last = max(NAMES.index(one.name[:1]) for one in self.pane.chart.layers)
            self.mark(last)
        self.shift.setValue(self.shift.value() + seconds)

    def show_lanes(self, lanes: Lanes, labels: tuple[str, ...]) -> None:
        """Show these sessions at these steps, as it is chosen."""
        self._number += 1
        wanted = Arrangement(
            labels,
            Alignment(self.align.currentText()),
            self.rows,
            self.layout_shown,
            dict(self._shifts),
            self.apart.isChecked(),
            self.difference.isChecked(),
        )
        self._background.run(
            lambda: lanes.layers(wanted),
            partial(self._take, self._number, wanted),
            partial(self._give_up, self._number),
        )

    def _give_up(self, number: int, error: Exception) -> None:
        """Pass an error on, unless other sessions are shown by now."""
        if number == self._number:
            self._background.failed.emit(error)

    def _take(
        self, number: int, wanted: Arrangement, found: tuple[list[Layer], list[str]]
    ) -> None:
        layers, remarks = found
        if number != self._number:
            return
        self._stack.setCurrentIndex(0 if any(one.rows for one in layers) else 1)
        chart = self.pane.chart
        before = [layer.session for layer in chart.layers]
        same = before == [layer.session for layer in layers]
        chart.set_shared(shared=wanted.apart)
        chart.set_layers(layers, keep_zoom=same and chart.zoom.is_zoomed)
        if wanted.rows == _MAIN and not (same and wanted.labels == self._labels):
            # Until other steps are compared it stays what the user chose.
            is_random = all(map(_is_random, wanted.labels))
            chart.show_panel("IOPS" if is_random else "Throughput")
        self._labels = wanted.labels
        self._remarks.setText("\n".join(remarks))
        self._remarks.setVisible(bool(remarks))

    def leave(self, lanes: Lanes) -> None:
        """Draw nothing of these any more: they are about to be closed."""
        sessions = {id(record.session) for record in lanes.records}
        layers = self.pane.chart.layers
        kept = [one for one in layers if id(one.session) not in sessions]
        if len(kept) < len(layers):
            # Differences to a baseline that leaves would be those to another one.
            is_same = kept[:1] == list(layers[:1])
            self.pane.chart.set_layers(kept if is_same else [], keep_zoom=True)

    def clear(self) -> None:
        """Show nothing."""
        self._number += 1
        self.pane.chart.set_layers([])


def _is_random(label: str) -> bool:
    """Tell whether a step is about operations rather than bytes."""
    return "random" in label.lower()
