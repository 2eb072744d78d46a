"""Stacked plots on one time axis, read from the store off the GUI thread."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from app.report.chart.layout import Layout
from app.report.explanation import Explanation
from app.ui.chart.data import Answer, Request, joint_rows
from app.ui.chart.flag_strip import FlagStrip
from app.ui.chart.layers import Layer
from app.ui.chart.loader import ChartLoader
from app.ui.chart.marked import marked
from app.ui.chart.part import ChartPart
from app.ui.chart.phase_strip import PhaseStrip
from app.ui.chart.plot_curves import Lanes
from app.ui.chart.plot_row import PlotRow
from app.ui.chart.plot_stack import PlotScroll, PlotStack
from app.ui.chart.range import ChartRange
from app.ui.chart.zoom import ChartZoom
from app.ui.kit.clock import clock
from app.ui.kit.context import Context
from app.ui.kit.widgets import column
from instruments.reading import SECOND


class ChartCursor(QObject):
    """Follows the mouse over all rows; at rest the curves tell their last values.

    Args:
        range_: Where the chart is.
        stack: The rows.
        parent: The chart.

    Signals:
        told: What all curves have at the crosshair (str); "" without one.
    """

    told = Signal(str)

    def __init__(self, range_: ChartRange, stack: PlotStack, parent: QObject) -> None:
        super().__init__(parent)
        self._range = range_
        self._stack = stack
        self._at: float | None = None
        self._current: dict[str, float] | None = None
        stack.mouse.hovered.connect(self.hover)
        stack.mouse.left.connect(self.leave)
        stack.shown.connect(self.show)

    @property
    def at(self) -> float | None:
        """Where it is, in seconds from the origin; None without one."""
        return self._at

    def set_current(self, values: dict[str, float] | None) -> None:
        """Take the values at rest, by channel name; without any, those drawn last."""
        self._current = values
        self.show()

    @Slot(float)
    def hover(self, x: float) -> None:
        """Put the crosshair at a time in seconds."""
        self._at = x
        self.show()

    @Slot()
    def leave(self) -> None:
        """Take the crosshair away."""
        self._at = None
        self.show()

    @Slot()
    def show(self) -> None:
        """Show crosshair and values as they are now."""
        texts = self._stack.set_cursor(self._at, self._range.rest, self._current)
        if self._at is None:
            self.told.emit("")
        else:
            moment = clock(self._at, fraction=1)
            self.told.emit("    ".join([f"Cursor {moment}", *texts]))


_MARGIN = 0.25
_MOST_POINTS = 2500
_EDGES = (1, 4, 1, 1)
"""Of what shows the focus, and the room above it."""


class Chart(QWidget):
    """Rows of plots with a shared time axis, crosshair and zoom.

    It is told up to where a session is known (`set_limit`) and asks the store for
    what its pixels can show: at most one request at a time, never per sample.

    Args:
        context: What the parts of the window share.
        parent: As of any widget.
        has_strips: Whether the steps and events of an only session are above the plots.

    Attributes:
        zoom: What shows a part of it.
        part: What statistics are of.
        crosshair: Where the mouse is.
        flags: The events above the plots.

    Signals:
        cursor_text: What all curves have at the crosshair; "" without one.
        clicked: The user clicked at a time in seconds.
        painted: All that was read is on the screen, told while it is painted; or
            nothing of it could be read.
        loaded: What was read is shown, perhaps with other curves hidden than before.
        dragged: The user drags what is compared by a number of seconds with Ctrl; the
            flag tells whether it is let go of.
    """

    cursor_text = Signal(str)
    clicked = Signal(float)
    painted = Signal()
    loaded = Signal()
    dragged = Signal(float, bool)

    def __init__(
        self,
        context: Context,
        parent: QWidget | None = None,
        *,
        has_strips: bool = True,
    ) -> None:
        super().__init__(parent)
        self._theme = context.theme
        self._has_strips = has_strips
        self._found: Sequence[Explanation] = ()
        self._layout: Layout | None = None
        self._is_arranged = False
        self._range = ChartRange()
        self._loader = ChartLoader(context.background, self._wanted, self)
        self._loader.loaded.connect(self._take)
        self._loader.failed.connect(self.painted)
        self._strip, self.flags = PhaseStrip(), FlagStrip()
        self._stack = PlotStack()
        self.part = ChartPart(self._range, self)
        self.part.cursors_moved.connect(self._show_cursors)
        self._stack.mouse.spanned.connect(self.part.span)
        strips = self._strip, self.flags
        self.zoom = ChartZoom(self._range, self._stack, strips, self.part, self)
        self.zoom.moved.connect(self.refresh)
        self.crosshair = ChartCursor(self._range, self._stack, self)
        self.crosshair.told.connect(self.cursor_text)
        self.flags.hovered.connect(self._show_flag)
        self._stack.mouse.clicked.connect(self.clicked)
        self._stack.mouse.dragged.connect(self.dragged)
        self._stack.painted.connect(self.painted)
        self._stack.panel_chosen.connect(self.refresh)
        self._stack.toggled.connect(self.loaded)
        plots = PlotScroll(self._stack)
        parts = (*strips, plots)
        column(*parts, of=self, grows=plots, margins=_EDGES, spacing=0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Charts over time")
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        context.theme.changed.connect(self._recolour)

    @property
    def rows(self) -> list[PlotRow]:
        """The plots, from top to bottom."""
        return self._stack.rows

    @property
    def plots(self) -> PlotStack:
        """What a picture shows: all plots, also those that are scrolled away."""
        return self._stack

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The sessions that are shown."""
        return self._range.layers

    @property
    def visible_range(self) -> tuple[float, float]:
        """Which stretch is shown, in seconds from the origin."""
        return self._range.shown

    @property
    def cursor_ns(self) -> int | None:
        """The moment under the mouse, within what is known; None where it is not."""
        at = self.crosshair.at
        if at is None or not self.layers or not self.isVisible():
            return None
        layer, limit = self.layers[0], self._range.limit
        last = layer.end if limit is None else min(limit, layer.end)
        return min(max(layer.origin + round(at * SECOND), layer.start), last)

    def set_interval(self, milliseconds: int) -> None:
        """Choose how long to wait at least from one redraw to the next."""
        self._loader.set_interval(milliseconds)

    def set_layers(self, layers: Sequence[Layer], *, keep_zoom: bool = False) -> None:
        """Show these sessions; rows and panels follow from what they have."""
        layers = self._laid_out(layers)
        self._range.layers = tuple(layers)
        for strip in (self._strip, self.flags):
            strip.setVisible(self._has_strips and len(layers) == 1)
        self._stack.make_rows(joint_rows(self.layers), self._theme.tokens)
        cores = [layer.core for layer in layers]
        self._stack.set_layers(_lanes_of(layers), cores)
        self._stack.mark(marked(self.layers, self._found))
        own = (one for layer in self.layers for one in layer.interlocks)
        self._stack.set_interlocks(tuple(dict.fromkeys(own)))
        self._loader.forget()
        self._stack.set_limit(self._range.known)
        self._show_cursors()
        if not keep_zoom:
            self.zoom.release()
            self.part.place(None)
        self.zoom.fit()
        self.part.look_again()
        self.refresh()

    def set_layout(self, layout: Layout | None) -> None:
        """Show the charts of a layout; None for those of every session.

        Until it is told so the charts are the rows of the layers, whatever those are.
        """
        self._is_arranged = True
        if layout != self._layout:
            self._layout = layout
            self._stack.forget_chosen()
            if self.layers:
                self.set_layers(self.layers, keep_zoom=True)

    def _laid_out(self, layers: Sequence[Layer]) -> Sequence[Layer]:
        if not self._is_arranged:
            return layers
        return [one.laid_out(self._layout) for one in layers]

    def set_shared(self, *, shared: bool) -> None:
        """Give plots of one quantity one range of values, or each its own."""
        self._stack.shares = shared

    def mark(self, found: Sequence[Explanation]) -> None:
        """Mark the windows of figures, and the samples that count; none any more."""
        self._found = found
        self._stack.mark(marked(self.layers, found))

    def show_panel(self, title: str) -> None:
        """Show a panel in the row that has it."""
        self._stack.show_panel(title)

    def advance(self, layers: Sequence[Layer], limit: int) -> None:
        """Take the same sessions, longer than before, up to another limit.

        What is shown moves on only when the curves have been read, so that each
        row is painted once.
        """
        layers = self._laid_out(layers)
        same_rows = self._stack.has_rows(joint_rows(tuple(layers)))
        self._range.limit = limit
        if len(layers) != len(self.layers) or not same_rows:
            self.set_layers(layers, keep_zoom=True)
            return
        self._range.layers = tuple(layers)
        self._range.coming = self._range.fitted
        self.refresh()

    def set_limit(self, limit: int | None) -> None:
        """Show nothing later than this moment, in nanoseconds."""
        if limit != self._range.limit:
            self._range.limit = limit
            self._stack.set_limit(self._range.known)
            self.zoom.fit()
            self.refresh()

    @Slot(object)
    def set_current(self, values: dict[str, float] | None) -> None:
        """Say the values at rest, by channel name; the read-outs show the same."""
        self.crosshair.set_current(values)

    def set_playhead(self, t_ns: int | None) -> None:
        """Mark where a replay stands, or nothing."""
        known = t_ns is not None and bool(self.layers)
        x = self._range.seconds(t_ns) if known and t_ns is not None else None
        self._stack.set_playhead(x)

    def set_span(self, seconds: float | None) -> None:
        """Show the last seconds up to the limit, or everything (None)."""
        self._range.span_s = seconds
        self.zoom.show_all()

    @Slot()
    def refresh(self) -> None:
        """Ask the store again soon; many calls become one request."""
        if self.isVisible():
            self._loader.refresh()

    def _wanted(self) -> Request | None:
        """Say what is to be read for what is shown now, and a little beside it."""
        if not self.layers or not self.isVisible():
            return None
        left, right = self._range.coming or self._range.shown
        room = (right - left) * _MARGIN
        points = int(self._stack.plot_width * (1 + 2 * _MARGIN))
        return Request(
            layers=self.layers,
            shown=self._stack.panels,
            window=(left - room, right + room),
            limit=self._range.limit,
            points=min(points, _MOST_POINTS),
        )

    @Slot(object)
    def _take(self, answer: Answer) -> None:
        """Show what was read."""
        self._range.arrive()
        self._strip.set_phases(answer.phases)
        self.part.follow(answer.phases)
        self.flags.set_flags(answer.flags)
        self.zoom.place_strip()
        self._stack.take(answer, self._range.shown, self._range.known)
        self.loaded.emit()

    @Slot(object)
    def _show_flag(self, x: float | None) -> None:
        """Put the crosshair where a flag is, or take it away."""
        if x is None:
            self.crosshair.leave()
        else:
            self.crosshair.hover(x)

    @Slot()
    def _show_cursors(self) -> None:
        self._stack.set_cursors(self.part.cursors)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Put the cursors A and B where the mouse is, or take them away (Escape)."""
        left, right = self._range.shown
        at = self.crosshair.at
        if event.key() in (Qt.Key.Key_A, Qt.Key.Key_B) and not event.modifiers():
            name = "A" if event.key() == Qt.Key.Key_A else "B"
            share = 0.25 if name == "A" else 0.75
            self.part.put(name, left + share * (right - left) if at is None else at)
        elif event.key() == Qt.Key.Key_Escape and self.part.cursors is not None:
            self.part.place(None)
        else:
            super().keyPressEvent(event)

    @Slot()
    def _recolour(self) -> None:
        self._strip.set_tokens(self._theme.tokens)
        self.flags.set_tokens(self._theme.tokens)
        self._stack.set_tokens(self._theme.tokens)
        self.crosshair.show()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while it was hidden."""
        super().showEvent(event)
        self._strip.set_tokens(self._theme.tokens)
        self.flags.set_tokens(self._theme.tokens)
        self.refresh()

    def event(self, event: QEvent) -> bool:
        """Read again when the number of pixels changed."""
        handled = super().event(event)
        if event.type() == QEvent.Type.Resize:
            self.refresh()
        return handled

    def close_plots(self) -> None:
        """Take the plots apart; called once, before the window goes."""
        self._loader.stop()
        self._range.layers = ()
        self._stack.close_plots()


def _lanes_of(layers: Sequence[Layer]) -> Lanes:
    """Get the colours of sessions; of several, those without one take their places."""
    if len(layers) < 2:
        return tuple((one.name, one.lane) for one in layers) or (("", None),)
    return tuple(
        (one.name, number if one.lane is None else one.lane)
        for number, one in enumerate(layers)
    )
