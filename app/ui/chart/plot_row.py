"""One plot of the stack: title row, curves, crosshair, shaded gaps and windows."""

import math
from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
)
from PySide6.QtWidgets import QWidget

from app.plan.interlocks import Interlock
from app.report.chart.line import Line
from app.report.chart.panel import Curve, Panel, Row
from app.ui.chart.data import Answer
from app.ui.chart.layers import thresholds_of
from app.ui.chart.layout.drag import CHANNELS, channels_in
from app.ui.chart.marked import Marked
from app.ui.chart.plot_area import RIGHT_SIDE, PlotArea
from app.ui.chart.plot_curve import PlotCurve, value_range
from app.ui.chart.plot_curves import Core, Lanes, PlotCurves, why_empty
from app.ui.chart.plot_head import FITTED, PlotHead, PlotMenu, Scaling
from app.ui.chart.plot_marks import PlotMarks
from app.ui.chart.plot_mouse import MouseSignals, PlotMouse
from app.ui.chart.plot_picture import PlotPicture
from app.ui.chart.spans import Span
from app.ui.kit.palette import Tokens
from app.ui.kit.widgets import column, make_note

Extremes = tuple[float, float] | None
"""Lowest and highest value of a curve, None without any."""


class PlotRow(QWidget):
    """A row shows one of its panels; the user chooses which.

    Args:
        row: What it can show.
        mouse: What tells of the mouse in its plot.
        last: Whether it is the lowest, which has the numbers of the time.

    Attributes:
        marks: Windows, gaps, notes, limits, crosshair, playhead and cursors.

    Signals:
        panel_chosen: Another panel is to be shown.
        painted: Its curves are on the screen as they are known.
        full_wanted: It is to be shown alone, or with all others again.
        menu_shown: Its menu (QMenu) is filled, and more may be offered in it.
        dropped: Channels (list of their names) were dropped on it.
        toggled: A curve was hidden, or is shown again.
    """

    panel_chosen = Signal()
    painted = Signal()
    full_wanted = Signal(bool)
    menu_shown = Signal(object)
    dropped = Signal(object)
    toggled = Signal()

    def __init__(self, row: Row, mouse: MouseSignals, *, last: bool) -> None:
        super().__init__()
        self._row, self._is_last = row, last
        self._panel = row.panels[0]
        self._built: object = None
        self._curves = PlotCurves()
        self._tokens: Tokens | None = None
        self._scalings: dict[str, Scaling] = {}
        self._hidden: set[tuple[str, str]] = set()
        self._is_full, self._right_room = False, RIGHT_SIDE
        self._interlocks: tuple[Interlock, ...] = ()
        self._head = PlotHead()
        self._why_empty = make_note(name="Why it is empty")
        self._why_empty.setContentsMargins(14, 0, 14, 4)
        self._why_empty.hide()
        self._plot = PlotArea(last=last)
        self._picture = PlotPicture(self.painted.emit)
        self._plot.addItem(self._picture, ignoreBounds=True)
        self._picture.set_strokes(self._curves.strokes)
        self.marks = PlotMarks(self._plot)
        self._mouse = PlotMouse(self._plot, self.marks, mouse, self)
        self._menu = PlotMenu(
            self,
            curves=lambda: self.drawn,
            scaling=lambda: self._scaling,
            hide=self._toggle,
            scale=self._scale,
            fill=lambda: self.full_wanted.emit(not self._is_full),
            is_full=lambda: self._is_full,
            more=self.menu_shown.emit,
        )
        self.setAcceptDrops(True)
        self._build()

    def _build(self) -> None:
        self._head.offer(self._row.name, self._titles)
        self._head.menu_button.setMenu(self._menu)
        self._head.chosen.connect(self._choose)
        parts, margins = (self._head, self._why_empty, self._plot), (0, 2, 0, 0)
        column(*parts, of=self, grows=self._plot, margins=margins, spacing=0)

    @property
    def row(self) -> Row:
        """What it can show."""
        return self._row

    @property
    def panel(self) -> Panel:
        """What it shows."""
        return self._panel

    @property
    def curves(self) -> list[tuple[Curve, Line | None]]:
        """What is drawn now, with the values."""
        return [(one.curve, one.line) for one in self.drawn]

    @property
    def drawn(self) -> list[PlotCurve]:
        """Its curves as they are painted."""
        return self._curves.drawn

    @property
    def legend(self) -> list[str]:
        """What the title row says, one text a curve."""
        return [f"{one.entry.label} {one.entry.value}".strip() for one in self.drawn]

    @property
    def plot_width(self) -> int:
        """Width of the area between the axes, in pixels."""
        return self._plot.inner_width

    @property
    def plot_left(self) -> float:
        """Left edge of that area in this widget, in pixels."""
        return self._plot.inner_left + float(self._plot.x())

    @property
    def _titles(self) -> list[str]:
        return [panel.title for panel in self._row.panels]

    @property
    def _quantities(self) -> list[str]:
        return [panel.quantity for panel in self._row.panels]

    def set_row(self, row: Row, quantity: str) -> None:
        """Be another row; it is built as soon as it is told its layers.

        Args:
            row: What it can show.
            quantity: What to show; the first one where it has none of that.
        """
        if row != self._row:
            self._row = row
            self._head.offer(row.name, self._titles)
        index = self._quantities.index(quantity) if quantity in self._quantities else 0
        self._panel = row.panels[index]
        self._head.choose(index)

    def show_panel(self, quantity: str) -> None:
        """Show another quantity of the row; one it does not have changes nothing."""
        quantities = self._quantities
        if quantity in quantities and self._panel.quantity != quantity:
            self._head.choose(quantities.index(quantity))
            self._choose(quantities.index(quantity))

    @Slot(int)
    def _choose(self, index: int) -> None:
        self._panel = self._row.panels[index]
        self._forget_lines()
        self._rebuild()
        self.panel_chosen.emit()

    def set_layers(self, layers: Lanes, cores: Sequence[Core]) -> None:
        """Draw every curve once for each of these.

        Args:
            layers: The sessions.
            cores: The part of each, in seconds, in which a curve must have values to
                be named where several are compared; the rest is of other steps.
        """
        self._curves.set_layers(layers, cores)
        self._forget_lines()
        self._why_empty.hide()
        built = (self._panel, layers, self._tokens)
        if built != self._built or self._curves.are_several:
            self._rebuild()

    def set_interlocks(self, interlocks: tuple[Interlock, ...]) -> None:
        """Show the thresholds of these."""
        if interlocks != self._interlocks:
            self._interlocks = interlocks
            self._show_thresholds()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of the theme."""
        self._tokens = tokens
        if self._built is not None:
            self._rebuild()

    def _forget_lines(self) -> None:
        """Draw nothing until the store has answered for what is shown now."""
        self._curves.forget()
        self._picture.redraw()

    @property
    def is_drawn(self) -> bool:
        """Whether its curves are on the screen as they are known."""
        return not self._picture.is_busy

    @property
    def _scaling(self) -> Scaling:
        return self._scalings.get(self._panel.title, FITTED)

    def _scale(self, scaling: Scaling) -> None:
        """Put the values of this panel on the axis otherwise."""
        self._scalings[self._panel.title] = scaling
        self._set_log()
        self._fit_values()
        self._picture.redraw()

    def _set_log(self) -> None:
        for one in self.drawn:
            one.set_log(self._scaling.log)
        self._plot.set_log(log=self._scaling.log)
        self._show_thresholds()

    def _show_thresholds(self) -> None:
        found = thresholds_of(self._interlocks, self._panel)
        self.marks.set_thresholds(found, log=self._scaling.log)

    def _toggle(self, curve: PlotCurve) -> None:
        """Hide a curve, or show it again."""
        self._hidden ^= {(self._panel.title, curve.entry.label)}
        curve.set_hidden(not curve.is_hidden)
        self._fit_values()
        self._picture.redraw()
        self.toggled.emit()

    def set_full(self, *, full: bool) -> None:
        """Be shown alone, or with all others again."""
        self._is_full = full
        self.show_times(shown=full)

    def show_times(self, *, shown: bool) -> None:
        """Have the numbers of the time; the lowest row and one alone always do."""
        self._plot.show_times(shown=shown or self._is_full or self._is_last)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take channels."""
        if event.mimeData().hasFormat(CHANNELS) and self._tokens is not None:
            event.acceptProposedAction()
            self._plot.setBackground(self._tokens.raised)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Look as before."""
        super().dragLeaveEvent(event)
        if self._tokens is not None:
            self._plot.setBackground(self._tokens.surface)

    def dropEvent(self, event: QDropEvent) -> None:
        """Say which channels were dropped."""
        event.acceptProposedAction()
        if self._tokens is not None:
            self._plot.setBackground(self._tokens.surface)
        self.dropped.emit(channels_in(event.mimeData()))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer the menu where the mouse is."""
        self._menu.popup(event.globalPos())

    def _rebuild(self) -> None:
        tokens = self._tokens
        if tokens is None:
            return
        self._built = (self._panel, self._curves.layers, tokens)
        lines = self._curves.make(self._panel, tokens)
        for one in self.drawn:
            one.entry.clicked.connect(partial(self._toggle, one))
            one.set_hidden((self._panel.title, one.entry.label) in self._hidden)
        self._set_log()
        self._head.set_entries([one.entry for one in self.drawn])
        self._head.set_simulated(self._panel.simulated)
        right = self._panel.right_unit
        self._plot.set_tokens(tokens, self._panel.unit, right or "")
        self._plot.set_right(shown=right is not None, room=self._right_room)
        self.marks.set_tokens(tokens)
        self._show_thresholds()
        self._plot.setAccessibleName(f"{self._panel.title} chart")
        if any(line is not None for line in lines):
            self.set_lines(lines)
        self._picture.redraw()

    def set_lines(self, lines: Sequence[Line | None]) -> None:
        """Draw these, one a curve in the order of `curves`."""
        self._curves.set_lines(lines)
        why = why_empty(self._panel, lines)
        self._why_empty.setText(why)
        self._why_empty.setVisible(bool(why))
        self._fit_values()
        self._picture.redraw()

    def set_range(self, left: float, right: float) -> None:
        """Show this stretch of time, in seconds."""
        self._mouse.show_range(left, right)
        self._fit_values()

    def set_right_room(self, room: int) -> None:
        """Leave this many pixels at the right, as all plots of a stack do."""
        if room != self._right_room:
            self._right_room = room
            shown = self._panel.right_unit is not None
            self._plot.set_right(shown=shown, room=room)

    def extremes(self, side: int = 0) -> list[Extremes]:
        """Get the extremes of each curve of an axis in what can be seen."""
        left, right = self._plot.getViewBox().viewRange()[0]
        return [one.extremes(left, right) for one in self.drawn if one.side == side]

    def _fit_values(self) -> None:
        """Fit the value axes to what can be seen."""
        self.fit_values(self.extremes(), self.extremes(1))

    def fit_values(self, left: Sequence[Extremes], right: Sequence[Extremes]) -> None:
        """Fit the value axes to these extremes, such as those of several plots."""
        scaling, panel = self._scaling, self._panel
        low, high = scaling.fixed or value_range(
            left, panel.unit, from_zero=panel.from_zero, log=scaling.log
        )
        if scaling.fixed and scaling.log:
            low, high = math.log10(low), math.log10(high)
        self._plot.getViewBox().setYRange(low, high, padding=0)
        self._name_values("left", known=any(left))
        if panel.right_unit is None:
            return
        bottom, top = value_range(right, panel.right_unit, log=scaling.log)
        self._plot.getAxis("right").setRange(bottom, top)
        self._name_values("right", known=any(right))
        factor = (high - low) / (top - bottom)
        shift = low - bottom * factor
        self.marks.fit_right(factor, shift)
        changes = [one.set_stretch(factor, shift) for one in self.drawn if one.side]
        if any(changes):
            self._picture.redraw()

    def _name_values(self, side: str, *, known: bool) -> None:
        """Write no numbers at an axis without a value: they would mean nothing."""
        axis = self._plot.getAxis(side)
        if axis.style["showValues"] != known:
            axis.setStyle(showValues=known)

    def set_marks(self, gaps: Sequence[Span], answer: Answer) -> None:
        """Shade the measured windows, hatch its gaps, draw notes and limits."""
        layers, windows = self._curves.layers, answer.windows
        if self._curves.are_several:
            count, names = len(self._panel.curves), [name for name, _ in layers]
            own = {names[n // count] for n, one in enumerate(self.drawn) if one.line}
            windows = [window for window in windows if window.layer in own]
        self.marks.set_spans(windows, gaps, answer.notes, dict(layers))
        limits = [limit for limit in answer.limits if limit.is_in(self._panel)]
        self.marks.limits.set_lines(limits)

    def mark(self, found: Marked) -> None:
        """Mark windows of figures, and the samples that count."""
        self.marks.set_marked(found.spans)
        self._curves.mark(found.samples)
        self._picture.redraw()

    def set_limit(self, x: float) -> None:
        """Show nothing later than this, in seconds."""
        if self._curves.set_limit(x):
            self._picture.redraw()

    def set_cursor(
        self, x: float | None, rest: float, current: Mapping[str, float] | None
    ) -> list[str]:
        """Show the crosshair and the values there.

        Args:
            x: Where the mouse is, in seconds; None hides the crosshair.
            rest: Where values are read while there is no mouse.
            current: Values by channel name that count instead then; none are shown
                where it is empty.

        Returns:
            One text a curve, such as "Read 2884 MB/s".
        """
        self.marks.set_cursor(x)
        at = rest if x is None else x
        return self._curves.show_values(at, current if x is None else None)

    def close_plot(self) -> None:
        """Take the plot apart before Qt does it in the wrong order; the row is dead."""
        self._picture.stop()
        self._mouse.stop()
        self._plot.take_apart()
