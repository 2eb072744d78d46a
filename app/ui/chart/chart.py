"""Stacked plots on one time axis, read from the store off the GUI thread."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.ui.chart.cursor import ChartCursor
from app.ui.chart.data import Answer, Request, joint_rows
from app.ui.chart.layers import Layer
from app.ui.chart.loader import ChartLoader
from app.ui.chart.phase_strip import PhaseStrip
from app.ui.chart.plot_row import PlotRow
from app.ui.chart.plot_stack import PlotStack
from app.ui.chart.range import ChartRange
from app.ui.chart.zoom import ChartZoom
from app.ui.kit.background import Background
from app.ui.kit.theme import Theme
from instruments.reading import SECOND

_MARGIN = 0.25
_MOST_POINTS = 2500
_LEAST_HEIGHT = 60
"""Pixels of the plots; what does not fit is scrolled."""


class Chart(QWidget):
    """Rows of plots with a shared time axis, crosshair and zoom.

    It is told up to where a session is known (`set_limit`) and asks the store for
    what its pixels can show: at most one request at a time, never per sample.

    Attributes:
        zoom: What shows a part of it.
        crosshair: Where the mouse is.

    Signals:
        cursor_text: What all curves have at the crosshair; "" without one.
        clicked: The user clicked at so many seconds.
        painted: All that was read is on the screen, told while it is painted; or
            nothing of it could be read.
    """

    cursor_text = Signal(str)
    clicked = Signal(float)
    painted = Signal()

    def __init__(
        self, theme: Theme, background: Background, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._range = ChartRange()
        self._loader = ChartLoader(background, self._wanted, self)
        self._loader.loaded.connect(self._take)
        self._loader.failed.connect(self.painted)
        self._strip = PhaseStrip()
        self._stack = PlotStack()
        self.zoom = ChartZoom(self._range, self._stack, self._strip, self)
        self.zoom.moved.connect(self.refresh)
        self.crosshair = ChartCursor(self._range, self._stack, self)
        self.crosshair.told.connect(self.cursor_text)
        self._stack.clicked.connect(self.clicked)
        self._stack.painted.connect(self.painted)
        self._stack.panel_chosen.connect(self.refresh)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._strip)
        layout.addWidget(_scrolled(self._stack), 1)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Charts over time")
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        theme.changed.connect(self._recolour)

    @property
    def rows(self) -> list[PlotRow]:
        """The plots, from top to bottom."""
        return self._stack.rows

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
        self._range.layers = tuple(layers)
        self._strip.setVisible(len(layers) == 1)
        self._stack.make_rows(joint_rows(self.layers), self._theme.tokens)
        names = [layer.name for layer in layers] or [""]
        self._stack.set_layers(names, self._range.core)
        self._loader.forget()
        self._stack.set_limit(self._range.known)
        if not keep_zoom:
            self.zoom.release()
        self.zoom.fit()
        self.refresh()

    def show_panel(self, title: str) -> None:
        """Show a panel in the row that has it."""
        self._stack.show_panel(title)

    def advance(self, layers: Sequence[Layer], limit: int) -> None:
        """Take the same sessions, longer than before, up to another limit.

        What is shown moves on only when the curves have been read, so that each
        row is painted once.
        """
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
        """Show the last so many seconds up to the limit, or everything (None)."""
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
        self.zoom.place_strip()
        self._stack.take(answer, self._range.shown, self._range.known)

    @Slot()
    def _recolour(self) -> None:
        self._strip.set_tokens(self._theme.tokens)
        self._stack.set_tokens(self._theme.tokens)
        self.crosshair.show()

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


def _scrolled(stack: PlotStack) -> QScrollArea:
    """Let plots be scrolled where room is short: no window grows by them."""
    area = QScrollArea()
    area.setWidget(stack)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setMinimumHeight(_LEAST_HEIGHT)
    area.viewport().setObjectName("surface")
    stack.setObjectName("surface")
    return area
