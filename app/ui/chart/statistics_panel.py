"""The table of statistics below charts: of a step, of A to B, or of what is shown."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from time import perf_counter

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QFrame, QToolButton

from app.report.chart.panel import Curve
from app.report.chart.statistics import (
    HEADS,
    CurveStatistics,
    curve_statistics,
    statistics_text,
    table_note,
)
from app.ui.chart.chart import Chart
from app.ui.chart.layers import Layer
from app.ui.chart.part import Part
from app.ui.chart.plot_curve import PlotCurve
from app.ui.kit.context import Context
from app.ui.kit.labels import ElidedLabel, wrap_tip
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.tables import Table
from app.ui.kit.widgets import column, make_button, named, row
from instruments.reading import SECOND

_WAIT_MS, _FOLLOW_MS = 150, 1000
_ROW_HEIGHT, _HEAD_HEIGHT = 22, 62
_MOST_ROWS = 5
"""This many curves are seen without scrolling; charts need the room, too."""


@dataclass(frozen=True, slots=True)
class Line:
    """One curve in the table.

    Attributes:
        statistics: Its figures over the part.
        change: What it has at B less what it has at A, "" without cursors.
    """

    statistics: CurveStatistics
    change: str = ""

    @property
    def name(self) -> str:
        """The curve with its unit."""
        name, unit, *_ = self.statistics.cells
        return f"{name}, {unit}" if unit else name


def _columns() -> list[Column[Line]]:
    def cell(place: int) -> Column[Line]:
        return Column(
            HEADS[place], lambda line: line.statistics.cells[place], right=True
        )

    figures = map(cell, range(2, len(HEADS)))
    change: Column[Line] = Column("B - A", lambda line: line.change, right=True)
    return [Column(HEADS[0], lambda line: line.name), *figures, change]


class StatisticsPanel(QFrame):
    """Computes from stored samples, aside, whenever the part is another one.

    Signals:
        closed: The user wants it no longer.
    """

    closed = Signal()

    def __init__(self, context: Context, chart: Chart) -> None:
        super().__init__()
        self._background = context.background
        self._chart = chart
        self._number = 0
        self._label = ""
        self._title = ElidedLabel("Statistics")
        self._title.setObjectName("heading")
        self.model: RowsModel[Line] = RowsModel(_columns(), context, self)
        self.table = Table(self.model, "Statistics of the curves")
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.verticalHeader().setDefaultSectionSize(_ROW_HEIGHT)
        copy = make_button(
            "Copy as text", "Copy the table, with tabs between its cells", self.copy
        )
        close = named(QToolButton(), "Close the statistics", "Close (Esc)")
        context.icons.put_on(close, "x")
        close.clicked.connect(self.closed)
        head = row(self._title, copy, close, grows=self._title, margins=(12, 2, 8, 2))
        column(head, self.table, of=self, grows=self.table, spacing=0)
        self.setAccessibleName("Statistics")
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_WAIT_MS)
        self._later.timeout.connect(self._compute)
        self._of: Part | None = None
        self._is_busy, self._took_s = False, 0.0
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.timeout.connect(self._compute)
        chart.part.changed.connect(self.refresh)
        chart.loaded.connect(self._look)

    @property
    def title(self) -> str:
        """Of what the statistics are."""
        return self._title.text()

    @Slot()
    def refresh(self) -> None:
        """Compute again soon; many calls become one."""
        self._number += 1  # what is being computed is of what was shown before
        self._slow.stop()
        if self.isVisible():
            self._later.start()

    @Slot()
    def _look(self) -> None:
        """Compute again where other curves are shown, or the session has grown.

        While it grows that takes a tenth of the time at most.
        """
        if not self.isVisible():
            return
        shown = [drawn.entry.label for *_, drawn in self._curves()]
        if [line.statistics.name for line in self.model.records] != shown:
            self.refresh()
        elif self._chart.part.now != self._of and not self._waits:
            self._slow.start(max(_FOLLOW_MS, round(10_000 * self._took_s)))

    @property
    def _waits(self) -> bool:
        """Whether they are computed now, or will be."""
        return self._is_busy or self._slow.isActive()

    def _curves(self) -> Iterator[tuple[Layer, Curve, PlotCurve]]:
        """Yield every visible curve with the session that it is of."""
        for plot in self._chart.rows:
            for number, drawn in enumerate(plot.drawn):
                layer = self._chart.layers[number // len(plot.panel.curves)]
                panel = layer.panel(plot.row.name, plot.panel.title)
                for curve in panel.curves if panel is not None else ():
                    if curve.key == drawn.curve.key and drawn.is_seen:
                        yield layer, curve, drawn

    @Slot()
    def _compute(self) -> None:
        if not self.isVisible() or not self._chart.layers:
            return
        self._number += 1
        number, part = self._number, self._chart.part.now
        wanted = [
            (layer, curve, drawn.entry.label, self._change(drawn))
            for layer, curve, drawn in self._curves()
        ]
        self._label = f"{part.label}   {part.span_text}"
        if self._of is None or self._of.start != part.start:
            self._title.setText(f"{self._label}   ...")
        self._of, self._is_busy = part, True
        begun = perf_counter()

        layers = tuple(self._chart.layers)

        def do() -> tuple[list[Line], str]:
            found = []
            for layer, curve, name, change in wanted:
                if number != self._number:  # somebody wants other ones by now
                    break
                figures = curve_statistics(layer.session, curve, _window(layer, part))
                found.append(Line(CurveStatistics(curve, name, figures), change))
            if len(layers) > 1:  # they have a table each
                return found, ""
            lines = [line.statistics for line in found]
            window = _window(layers[0], part)
            return found, table_note(layers[0].session, window, lines)

        self._background.run(
            do,
            partial(self._take, number, begun),
            partial(self._give_up, number, self._chart.layers),
            lasting=True,
            reads=True,
        )

    def _change(self, drawn: PlotCurve) -> str:
        """Write how much higher a curve is at B than at A, as the crosshair reads."""
        cursors, line = self._chart.part.cursors, drawn.line
        if cursors is None or line is None:
            return ""
        at_a, at_b = map(line.at, cursors)
        if at_a is None or at_b is None:
            return ""
        return drawn.curve.scale.text((at_b[0] - at_a[0]) / drawn.curve.scale.factor)

    def _take(self, number: int, begun: float, found: tuple[list[Line], str]) -> None:
        if number == self._number:
            self._is_busy, self._took_s = False, perf_counter() - begun
            lines, note = found
            self._label += f"   {note}" if note else ""
            without = self._chart.part.cursors is None
            self.table.setColumnHidden(len(HEADS) - 1, without)
            self._title.setText(self._label)
            self._title.setToolTip(wrap_tip(self._label))  # whole, where it is cut
            self.model.set_records(lines)
            rows = min(max(len(lines), 2), _MOST_ROWS)
            self.setFixedHeight(_HEAD_HEIGHT + rows * _ROW_HEIGHT)

    def _give_up(
        self, number: int, layers: tuple[Layer, ...], error: Exception
    ) -> None:
        """Pass an error on, unless another session is shown by now."""
        if number == self._number:
            self._is_busy = False
        if number == self._number and layers == self._chart.layers:
            self._title.setText(f"{self._label}   cannot be read")
            self._background.failed.emit(error)

    @Slot()
    def copy(self) -> None:
        """Put the table on the clipboard, as text with tabs."""
        lines = [line.statistics for line in self.model.records]
        QGuiApplication.clipboard().setText(statistics_text(lines, self._label))

    def showEvent(self, event: QShowEvent) -> None:
        """Compute what has not been while it was hidden."""
        super().showEvent(event)
        self.refresh()


def _window(layer: Layer, part: Part) -> tuple[int, int]:
    """Get the part on the clock of a session, its last moment included."""
    start = max(layer.start, layer.origin + round(part.start * SECOND))
    end = min(layer.end, layer.origin + round(part.end * SECOND))
    return start, max(end, start) + (1 if part.is_whole else 0)
