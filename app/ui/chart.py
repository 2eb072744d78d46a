"""Stacked plots on one time axis, read from the store off the GUI thread."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.background import Background
from app.ui.chart_data import Answer, Request, common_rows
from app.ui.chart_loader import ChartLoader
from app.ui.chart_range import ChartRange
from app.ui.layers import Layer
from app.ui.phase_strip import PhaseStrip
from app.ui.plot_row import PlotRow
from app.ui.plot_stack import PlotStack
from app.ui.theme import Theme
from app.ui.units import clock

_MARGIN = 0.25
_MOST_POINTS = 2500
_RIGHT_SIDE = 14.0


class Chart(QWidget):
    """Rows of plots with a shared time axis, crosshair and zoom.

    It is told up to where a session is known (`set_limit`) and asks the store for
    what its pixels can show: at most one request at a time, never per sample.

    Signals:
        cursor_text: What all curves have at the crosshair; "" without one.
        clicked: The user clicked at so many seconds.
        zoomed: Whether less than everything is shown because the user zoomed.
    """

    cursor_text = Signal(str)
    clicked = Signal(float)
    zoomed = Signal(bool)

    def __init__(
        self, theme: Theme, background: Background, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._range = ChartRange()
        self._cursor: float | None = None
        self._current: dict[str, float] | None = None
        self._loader = ChartLoader(background, self._wanted, self)
        self._loader.loaded.connect(self._take)
        self._strip = PhaseStrip()
        self._strip.chosen.connect(self.zoom_to)
        self._stack = PlotStack()
        self._connect_stack()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._strip)
        layout.addWidget(self._stack, 1)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Charts over time")
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        theme.changed.connect(self._recolour)

    def _connect_stack(self) -> None:
        self._stack.hovered.connect(self._hover)
        self._stack.mouse_left.connect(self._leave)
        self._stack.clicked.connect(self.clicked)
        self._stack.range_changed.connect(self._zoom_by_mouse)
        self._stack.reset.connect(self.show_all)
        self._stack.panel_chosen.connect(self.refresh)
        self._stack.shown.connect(self._show_cursor)

    @property
    def rows(self) -> list[PlotRow]:
        """The plots, from top to bottom."""
        return self._stack.rows

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The sessions that are shown."""
        return self._range.layers

    @property
    def is_zoomed(self) -> bool:
        """Whether the user has zoomed or panned."""
        return self._range.is_zoomed

    @property
    def visible_range(self) -> tuple[float, float]:
        """Which stretch is shown, in seconds from the origin."""
        return self._range.shown

    def set_interval(self, milliseconds: int) -> None:
        """Choose how long to wait at least from one redraw to the next."""
        self._loader.set_interval(milliseconds)

    def set_layers(self, layers: Sequence[Layer], *, keep_zoom: bool = False) -> None:
        """Show these sessions; rows and panels follow from what they have."""
        self._range.layers = tuple(layers)
        self._strip.setVisible(len(layers) == 1)
        self._stack.make_rows(common_rows(self.layers), self._theme.tokens)
        names = [layer.name for layer in layers] or [""]
        self._stack.set_layers(names, self._range.core)
        self._loader.forget()
        self._stack.set_limit(self._range.known)
        if not keep_zoom:
            self._set_zoomed(zoomed=False)
        self._fit_range()
        self.refresh()

    def show_panel(self, title: str) -> None:
        """Show a panel in the row that has it."""
        self._stack.show_panel(title)

    def advance(self, layers: Sequence[Layer], limit: int) -> None:
        """Take the same sessions, longer than before, up to another limit.

        What is shown moves on only when the curves have been read, so that each
        row is painted once.
        """
        same_rows = self._stack.has_rows(common_rows(tuple(layers)))
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
            self._fit_range()
            self.refresh()

    @Slot(object)
    def set_current(self, values: dict[str, float] | None) -> None:
        """Say the values at rest, by channel name; the read-outs show the same."""
        self._current = values
        self._show_cursor()

    def set_playhead(self, t_ns: int | None) -> None:
        """Mark where a replay stands, or nothing."""
        known = t_ns is not None and bool(self.layers)
        x = self._range.seconds(t_ns) if known and t_ns is not None else None
        self._stack.set_playhead(x)

    def set_span(self, seconds: float | None) -> None:
        """Show the last so many seconds up to the limit, or everything (None)."""
        self._range.span_s = seconds
        self.show_all()

    @Slot()
    def show_all(self) -> None:
        """Undo zoom and pan."""
        self._set_zoomed(zoomed=False)
        self._fit_range()
        self.refresh()

    @Slot(float, float)
    def zoom_to(self, left: float, right: float) -> None:
        """Show this stretch with a little room, in seconds from the origin."""
        room = (right - left) * 0.02
        self._zoom_by_mouse(left - room, right + room)

    @Slot()
    def zoom_in(self) -> None:
        """Show the middle half."""
        self._zoom_by_mouse(*self._range.scaled(0.5))

    @Slot()
    def zoom_out(self) -> None:
        """Show twice as much."""
        self._zoom_by_mouse(*self._range.scaled(2.0))

    @Slot(float, float)
    def _zoom_by_mouse(self, left: float, right: float) -> None:
        self._set_zoomed(zoomed=True)
        self._set_range(left, max(right, left + 1e-3))
        self.refresh()

    def _set_zoomed(self, *, zoomed: bool) -> None:
        self._range.is_zoomed = zoomed
        self.zoomed.emit(zoomed)

    def _fit_range(self) -> None:
        """Follow the data, unless the user looks at a part of it."""
        found = self._range.fitted
        if found is not None:
            self._set_range(*found)

    def _set_range(self, left: float, right: float) -> None:
        self._range.show(left, right)
        self._stack.set_range(left, right)
        self._place_strip()

    def _place_strip(self) -> None:
        if self.rows:
            sides = (self._stack.plot_left, _RIGHT_SIDE)
            self._strip.set_range(*self._range.shown, sides)

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
        self._place_strip()
        self._stack.take(answer, self._range.shown, self._range.known)

    @Slot(float)
    def _hover(self, x: float) -> None:
        self._cursor = x
        self._show_cursor()

    @Slot()
    def _leave(self) -> None:
        self._cursor = None
        self._show_cursor()

    @Slot()
    def _show_cursor(self) -> None:
        texts = self._stack.set_cursor(self._cursor, self._range.rest, self._current)
        if self._cursor is None:
            self.cursor_text.emit("")
        else:
            moment = clock(self._cursor, fraction=1)
            self.cursor_text.emit("    ".join([f"Cursor {moment}", *texts]))

    @Slot()
    def _recolour(self) -> None:
        self._strip.set_tokens(self._theme.tokens)
        self._stack.set_tokens(self._theme.tokens)
        self._show_cursor()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while it was hidden."""
        super().showEvent(event)
        self._strip.set_tokens(self._theme.tokens)
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
