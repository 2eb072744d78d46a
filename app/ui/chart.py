"""Stacked plots on one time axis, read from the store off the GUI thread."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.background import Background
from app.ui.chart_data import Answer, Request, common_rows
from app.ui.chart_loader import ChartLoader
from app.ui.layers import Layer
from app.ui.panels import Row
from app.ui.phase_strip import PhaseStrip
from app.ui.plot_row import PlotRow
from app.ui.spans import Span
from app.ui.theme import Theme
from app.ui.units import clock
from instruments.reading import SECOND

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
        self._layers: tuple[Layer, ...] = ()
        self._rows: list[PlotRow] = []
        self._chosen: dict[str, str] = {}
        self._limit: int | None = None
        self._span_s: float | None = None
        self._is_zoomed = False
        self._range = (0.0, 1.0)
        self._next_range: tuple[float, float] | None = None
        self._answer: Answer | None = None
        self._due: list[PlotRow] = []
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._show_next)
        self._cursor: float | None = None
        self._current: dict[str, float] | None = None
        self._loader = ChartLoader(background, self._wanted, self)
        self._loader.loaded.connect(self._take)
        self._strip = PhaseStrip()
        self._strip.chosen.connect(self.zoom_to)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 4, 0, 0)
        self._layout.setSpacing(0)
        self._layout.addWidget(self._strip)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Charts over time")
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        theme.changed.connect(self._recolour)

    @property
    def rows(self) -> list[PlotRow]:
        """The plots, from top to bottom."""
        return list(self._rows)

    @property
    def is_zoomed(self) -> bool:
        """Whether the user has zoomed or panned."""
        return self._is_zoomed

    @property
    def visible_range(self) -> tuple[float, float]:
        """Which stretch is shown, in seconds from the origin."""
        return self._range

    def set_interval(self, milliseconds: int) -> None:
        """Choose how long to wait at least from one redraw to the next."""
        self._loader.set_interval(milliseconds)

    def set_layers(self, layers: Sequence[Layer], *, keep_zoom: bool = False) -> None:
        """Show these sessions; rows and panels follow from what they have."""
        self._layers = tuple(layers)
        self._strip.setVisible(len(self._layers) == 1)
        rows = common_rows(self._layers)
        names = [layer.name for layer in self._layers] or [""]
        if [row.row for row in self._rows] != rows:
            self._make_rows(rows)
        for row in self._rows:
            row.set_layers(names, self._core())
        self._loader.forget()
        self._clip()
        if not keep_zoom:
            self._is_zoomed = False
            self.zoomed.emit(False)
        self._fit_range()
        self.refresh()

    def _core(self) -> tuple[float, float]:
        """Get the middle of what is shown, in seconds."""
        left = min(((one.start - one.origin) for one in self._layers), default=0)
        right = max(((one.end - one.origin) for one in self._layers), default=0)
        room = (right - left) / 5
        return (left + room) / SECOND, (right - room) / SECOND

    def show_panel(self, title: str) -> None:
        """Show a panel in the row that has it."""
        for row in self._rows:
            if title in [panel.title for panel in row.row.panels]:
                row.show_panel(title)

    def advance(self, layers: Sequence[Layer], limit: int) -> None:
        """Take the same sessions, longer than before, up to another limit.

        What is shown moves on only when the curves have been read, so that each
        row is painted once.
        """
        same_rows = common_rows(tuple(layers)) == [row.row for row in self._rows]
        self._limit = limit
        if len(layers) != len(self._layers) or not same_rows:
            self.set_layers(layers, keep_zoom=True)
            return
        self._layers = tuple(layers)
        self._next_range = self._fitted()
        self.refresh()

    def _make_rows(self, rows: Sequence[Row]) -> None:
        for old in self._rows:
            self._layout.removeWidget(old)
            old.close_plot()
            old.deleteLater()
        self._rows = []
        for index, row in enumerate(rows):
            plot = PlotRow(row, last=index == len(rows) - 1)
            plot.set_tokens(self._theme.tokens)
            plot.show_panel(self._chosen.get(row.name, ""))
            plot.hovered.connect(self._hover)
            plot.mouse_left.connect(self._leave)
            plot.clicked.connect(self.clicked)
            plot.range_changed.connect(self._zoom_by_mouse)
            plot.reset.connect(self.show_all)
            plot.panel_chosen.connect(self._remember_panels)
            self._rows.append(plot)
            self._layout.addWidget(plot, 8 if index < len(rows) - 1 else 9)

    def set_limit(self, limit: int | None) -> None:
        """Show nothing later than this moment, in nanoseconds."""
        if limit != self._limit:
            self._limit = limit
            self._clip()
            self._fit_range()
            self.refresh()

    def _clip(self) -> None:
        """Show at once what is known up to the limit, and nothing beyond it."""
        for row in self._rows:
            row.set_limit(self._right)

    @property
    def _right(self) -> float:
        """The limit in seconds from the origin."""
        if self._limit is None or not self._layers:
            return float("inf")
        return (self._limit - self._layers[0].origin) / SECOND

    @Slot(object)
    def set_current(self, values: dict[str, float] | None) -> None:
        """Say the values at rest, by channel name; the read-outs show the same."""
        self._current = values
        self._show_cursor()

    def set_playhead(self, t_ns: int | None) -> None:
        """Mark where a replay stands, or nothing."""
        x = None
        if t_ns is not None and self._layers:
            x = (t_ns - self._layers[0].origin) / SECOND
        for row in self._rows:
            row.set_playhead(x)

    def set_span(self, seconds: float | None) -> None:
        """Show the last so many seconds up to the limit, or everything (None)."""
        self._span_s = seconds
        self.show_all()

    @Slot()
    def show_all(self) -> None:
        """Undo zoom and pan."""
        self._is_zoomed = False
        self.zoomed.emit(False)
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
        self._zoom(0.5)

    @Slot()
    def zoom_out(self) -> None:
        """Show twice as much."""
        self._zoom(2.0)

    def _zoom(self, factor: float) -> None:
        left, right = self._range
        middle, half = (left + right) / 2, (right - left) / 2 * factor
        self._zoom_by_mouse(middle - half, middle + half)

    @Slot(float, float)
    def _zoom_by_mouse(self, left: float, right: float) -> None:
        self._is_zoomed = True
        self.zoomed.emit(True)
        self._set_range(left, max(right, left + 1e-3))
        self.refresh()

    def _fit_range(self) -> None:
        """Follow the data, unless the user looks at a part of it."""
        found = self._fitted()
        if found is not None:
            self._set_range(*found)

    def _fitted(self) -> tuple[float, float] | None:
        if self._is_zoomed or not self._layers:
            return None
        left = min((one.start - one.origin) / SECOND for one in self._layers)
        right = max((one.end - one.origin) / SECOND for one in self._layers)
        if self._span_s is not None:
            if self._limit is not None:
                right = (self._limit - self._layers[0].origin) / SECOND
            left = right - self._span_s
        return left, max(right, left + 5.0)

    def _set_range(self, left: float, right: float) -> None:
        self._range, self._next_range = (left, right), None
        for row in self._rows:
            row.set_range(left, right)
        self._place_strip()

    def _place_strip(self) -> None:
        if self._rows:
            sides = (self._rows[0].plot_left, _RIGHT_SIDE)
            self._strip.set_range(*self._range, sides)

    @Slot()
    def refresh(self) -> None:
        """Ask the store again soon; many calls become one request."""
        if self.isVisible():
            self._loader.refresh()

    def _wanted(self) -> Request | None:
        """Say what is to be read for what is shown now, and a little beside it."""
        if not self._layers or not self.isVisible():
            return None
        left, right = self._next_range or self._range
        room = (right - left) * _MARGIN
        points = self._rows[0].plot_width if self._rows else 500
        return Request(
            layers=self._layers,
            shown=tuple((row.row.name, row.panel.title) for row in self._rows),
            window=(left - room, right + room),
            limit=self._limit,
            points=min(int(points * (1 + 2 * _MARGIN)), _MOST_POINTS),
        )

    @Slot(object)
    def _take(self, answer: Answer) -> None:
        """Show what was read, one row after another: between them others have a go."""
        if self._next_range is not None:
            self._range, self._next_range = self._next_range, None
        self._answer, self._due = answer, list(self._rows)
        self._strip.set_phases(answer.phases)
        self._place_strip()
        self._show_next()

    @Slot()
    def _show_next(self) -> None:
        answer, right = self._answer, self._right
        if answer is None or not self._due:
            return
        row = self._due.pop(0)
        if row in self._rows:
            self._show_row(row, answer, right)
        if self._due:
            self._later.start()
        else:
            self._answer = None
            self._show_cursor()

    def _show_row(self, row: PlotRow, answer: Answer, right: float) -> None:
        windows = [Span(*one.window) for one in answer.phases if one.window]
        shown = (row.row.name, row.panel.title)
        lines = answer.lines.get(shown)
        row.set_limit(right)
        if lines is not None and len(lines) == len(row.curves):
            row.set_lines(lines)
        if shown in answer.gaps:
            row.set_marks(windows, answer.gaps.get(shown, []), answer.notes)
        row.set_range(*self._range)

    @Slot(float)
    def _hover(self, x: float) -> None:
        self._cursor = x
        self._show_cursor()

    @Slot()
    def _leave(self) -> None:
        self._cursor = None
        self._show_cursor()

    def _show_cursor(self) -> None:
        rest = self._range[1]
        if self._layers:
            last = self._layers[0].end if self._limit is None else self._limit
            rest = min(rest, (last - self._layers[0].origin) / SECOND)
        texts = [
            text
            for row in self._rows
            for text in row.set_cursor(self._cursor, rest, self._current)
        ]
        if self._cursor is None:
            self.cursor_text.emit("")
        else:
            moment = clock(self._cursor, fraction=1)
            self.cursor_text.emit("    ".join([f"Cursor {moment}", *texts]))

    @Slot()
    def _remember_panels(self) -> None:
        self._chosen.update({row.row.name: row.panel.title for row in self._rows})
        self.refresh()

    @Slot()
    def _recolour(self) -> None:
        self._strip.set_tokens(self._theme.tokens)
        for row in self._rows:
            row.set_tokens(self._theme.tokens)
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
        self._later.stop()
        self._layers = ()
        rows, self._rows = self._rows, []
        for row in rows:
            row.close_plot()
