"""The plots of a chart, one above the other, all told the same."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QFrame, QMenu, QScrollArea, QVBoxLayout, QWidget

from app.plan.interlocks import Interlock
from app.report.chart.panel import Row
from app.ui.chart.data import Answer
from app.ui.chart.marked import Marked
from app.ui.chart.plot_area import RIGHT_AXIS_WIDTH, RIGHT_SIDE
from app.ui.chart.plot_curves import Core, Lanes
from app.ui.chart.plot_mouse import MouseSignals
from app.ui.chart.plot_row import PlotRow
from app.ui.kit.palette import Tokens

_LEAST_HEIGHT = 60
"""Pixels of the plots; what does not fit is scrolled."""


class PlotStack(QWidget):
    """Makes the rows, remembers the panels that were chosen, shows what was read.

    Attributes:
        mouse: What the mouse does in any of them.
        offer_edits: Offers in a menu (QMenu) how a row (PlotRow) may be changed.
        shares: Whether rows of one quantity have one range of values.
        right_room: Pixels at the right of each plot.

    Signals:
        panel_chosen: A row shows another panel.
        dropped: Channels (list of names) were dropped on a row (PlotRow).
        shown: All rows show what was read.
        toggled: A curve of a row was hidden, or is shown again.
        painted: It is on the screen as well; told while it is painted.
    """

    panel_chosen = Signal()
    dropped = Signal(object, object)
    shown = Signal()
    toggled = Signal()
    painted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.mouse = MouseSignals(self)
        self.offer_edits: Callable[[PlotRow, QMenu], None] | None = None
        self.shares = False
        self.right_room = RIGHT_SIDE
        self._rows: list[PlotRow] = []
        self._chosen: dict[str, str] = {}
        self._answer: Answer | None = None
        self._is_due = False
        self._due: list[PlotRow] = []
        self._known = float("inf")
        self._range = (0.0, 1.0)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._show_next)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)

    @property
    def rows(self) -> list[PlotRow]:
        """The plots, from top to bottom."""
        return list(self._rows)

    @property
    def panels(self) -> tuple[tuple[str, str], ...]:
        """Which panel each row shows, by their names."""
        return tuple((row.row.name, row.panel.title) for row in self._rows)

    @property
    def plot_left(self) -> float:
        """Left edge of the area between the axes, in pixels; there is a row."""
        return self._rows[0].plot_left

    @property
    def plot_width(self) -> int:
        """Width of that area in pixels, something usual without a row."""
        return self._rows[0].plot_width if self._rows else 500

    def make_rows(self, rows: Sequence[Row], tokens: Tokens) -> None:
        """Have these rows: plots that there are show others, for a plot is dear.

        The lowest one stays the lowest, which has the numbers of the time. What they
        show is built as soon as they are told their layers.
        """
        while len(self._rows) > len(rows):
            old = self._rows.pop(0)
            self._layout.removeWidget(old)
            old.close_plot()
            old.deleteLater()
        while len(self._rows) < len(rows):
            self._add_row(rows[len(rows) - 1 - len(self._rows)], tokens)
        for plot, row in zip(self._rows, rows, strict=True):
            plot.set_row(row, self._chosen.get(row.group or row.name, ""))
        self._leave_room()

    def _leave_room(self) -> None:
        """Let all plots be as wide as those with an axis at the right."""
        has_right = any(row.panel.right_unit is not None for row in self._rows)
        self.right_room = RIGHT_AXIS_WIDTH if has_right else RIGHT_SIDE
        for row in self._rows:
            row.set_right_room(self.right_room)

    def _add_row(self, row: Row, tokens: Tokens) -> None:
        """Put a plot on top."""
        is_last = not self._rows
        plot = PlotRow(row, self.mouse, last=is_last)
        plot.set_tokens(tokens)
        plot.panel_chosen.connect(partial(self._remember_panel, plot))
        plot.full_wanted.connect(partial(self._fill, plot))
        plot.menu_shown.connect(partial(self._offer_edits, plot))
        plot.dropped.connect(partial(self.dropped.emit, plot))
        plot.toggled.connect(self.toggled)
        plot.painted.connect(self._look_painted)
        self._rows.insert(0, plot)
        self._layout.insertWidget(0, plot, 9 if is_last else 8)

    def _offer_edits(self, plot: PlotRow, menu: QMenu) -> None:
        if self.offer_edits is not None:
            self.offer_edits(plot, menu)

    def _fill(self, plot: PlotRow, full: bool) -> None:
        """Show a plot alone, or all of them again."""
        for row in self._rows:
            row.setVisible(row is plot or not full)
            row.set_full(full=full and row is plot)

    def show_times_above(self, bottom: int) -> None:
        """Have the numbers of the time in the lowest row that is wholly seen.

        Args:
            bottom: Where what is seen ends, in pixels of this widget.
        """
        seen = [row for row in self._rows if row.geometry().bottom() < bottom]
        for row in self._rows:
            row.show_times(shown=row in seen[-1:])

    def forget_chosen(self) -> None:
        """Show the first panel of each row from now on."""
        self._chosen.clear()

    def has_rows(self, rows: Sequence[Row]) -> bool:
        """Tell whether these are its rows."""
        return list(rows) == [row.row for row in self._rows]

    def set_layers(self, layers: Lanes, cores: Sequence[Core]) -> None:
        """Draw every curve once for each of these sessions; see `PlotRow`."""
        self._is_due, self._answer, self._due = False, None, []
        for row in self._rows:
            row.set_layers(layers, cores)

    def set_interlocks(self, interlocks: tuple[Interlock, ...]) -> None:
        """Show the thresholds of these."""
        for row in self._rows:
            row.set_interlocks(interlocks)

    def show_panel(self, quantity: str) -> None:
        """Show a quantity in the rows that have it."""
        for row in self._rows:
            row.show_panel(quantity)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of the theme."""
        for row in self._rows:
            row.set_tokens(tokens)

    def set_limit(self, x: float) -> None:
        """Show nothing later than this, in seconds."""
        self._known = x
        for row in self._rows:
            row.set_limit(x)

    def set_range(self, left: float, right: float) -> None:
        """Show this stretch of time, in seconds."""
        self._range = (left, right)
        for row in self._rows:
            row.set_range(left, right)
        self._share_values()

    def _share_values(self) -> None:
        """Let rows that show the same quantity have the same range of values."""
        groups: dict[str, list[PlotRow]] = {}
        for row in self._rows if self.shares else ():
            groups.setdefault(row.panel.title, []).append(row)
        for rows in groups.values():
            left, right = (
                [one for row in rows for one in row.extremes(side)] for side in (0, 1)
            )
            for row in rows:
                row.fit_values(left, right)

    def mark(self, found: Marked) -> None:
        """Mark windows of figures, and the samples that count."""
        for row in self._rows:
            row.mark(found)

    def set_playhead(self, x: float | None) -> None:
        """Mark where a replay stands, in seconds, or nothing."""
        for row in self._rows:
            row.marks.set_playhead(x)

    def set_cursors(self, cursors: tuple[float, float] | None) -> None:
        """Show the cursors A and B at a time in seconds, or neither."""
        for row in self._rows:
            row.marks.set_cursors(cursors)

    def set_cursor(
        self, x: float | None, rest: float, current: Mapping[str, float] | None
    ) -> list[str]:
        """Show the crosshair and the values there; see `PlotRow`."""
        return [text for row in self._rows for text in row.set_cursor(x, rest, current)]

    def take(self, answer: Answer, shown: tuple[float, float], known: float) -> None:
        """Show what was read, one row after another: between them others have a go.

        Args:
            answer: What was read.
            shown: The stretch to show, in seconds.
            known: Nothing later than this is shown, in seconds.
        """
        self._range, self._known = shown, known
        if self._answer is not None:
            # Rows that are still to show what was read before are the first; where
            # this answer has no curves they show those, which are not read again.
            lines = {**self._answer.lines, **answer.lines}
            answer = replace(answer, lines=lines)
        self._answer = answer
        self._due += [row for row in self._rows if row not in self._due]
        self._show_next()

    @Slot()
    def _show_next(self) -> None:
        answer = self._answer
        if answer is None:
            return
        if self._due and (row := self._due.pop(0)) in self._rows:
            self._show_row(row, answer)
        if self._due:
            self._later.start()
        else:
            self._answer = None
            self._is_due = True
            self._share_values()
            self.shown.emit()
            self._look_painted()

    @Slot()
    def _look_painted(self) -> None:
        # What is scrolled away, or on a page nobody sees, is not painted at all.
        left = (row for row in self._rows if not row.is_drawn)
        if self._is_due and all(row.visibleRegion().isEmpty() for row in left):
            self._is_due = False
            self.painted.emit()

    def _show_row(self, row: PlotRow, answer: Answer) -> None:
        shown = (row.row.name, row.panel.title)
        lines = answer.lines.get(shown)
        row.set_limit(self._known)
        if lines is not None and len(lines) == len(row.curves):
            row.set_lines(lines)
        if shown in answer.gaps:
            row.set_marks(answer.gaps.get(shown, []), answer)
        row.set_range(*self._range)

    def _remember_panel(self, plot: PlotRow) -> None:
        quantity, group = plot.panel.quantity, plot.row.group
        self._chosen[group or plot.row.name] = quantity
        for row in self._rows:
            if group and row.row.group == group:
                row.show_panel(quantity)
        self._leave_room()
        self.panel_chosen.emit()

    def close_plots(self) -> None:
        """Take the plots apart; called once, before the window goes."""
        self._later.stop()
        rows, self._rows = self._rows, []
        for row in rows:
            row.close_plot()


class PlotScroll(QScrollArea):
    """Lets plots be scrolled where room is short: no window grows by them."""

    def __init__(self, stack: PlotStack) -> None:
        super().__init__(widgetResizable=True)
        self._stack = stack
        self.setWidget(stack)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumHeight(_LEAST_HEIGHT)
        self.viewport().setObjectName("surface")
        stack.setObjectName("surface")
        bar = self.verticalScrollBar()
        bar.valueChanged.connect(self._show_times)
        bar.rangeChanged.connect(self._show_times)

    @Slot()
    def _show_times(self) -> None:
        """Keep the numbers of the time in sight."""
        seen = self.verticalScrollBar().value() + self.viewport().height()
        self._stack.show_times_above(seen)
