"""The stretch of time that the charts show, and how the user chooses another."""

from PySide6.QtCore import QObject, Signal, Slot

from app.ui.chart.flag_strip import FlagStrip
from app.ui.chart.layers import Phase
from app.ui.chart.part import ChartPart
from app.ui.chart.phase_strip import PhaseStrip
from app.ui.chart.plot_stack import PlotStack
from app.ui.chart.range import ChartRange

_ROOM = 0.02
"""Share of a stretch that is shown beside it on each side."""


class ChartZoom(QObject):
    """Shows a stretch of time, and follows the data until the user chooses one.

    Args:
        range_: Which stretch it is.
        stack: The rows.
        strips: The steps and the events above them.
        part: What statistics are of.
        parent: The chart.

    Signals:
        zoomed: Whether less than everything is shown because the user zoomed.
        moved: The user wants to see another stretch.
    """

    zoomed = Signal(bool)
    moved = Signal()

    def __init__(
        self,
        range_: ChartRange,
        stack: PlotStack,
        strips: tuple[PhaseStrip, FlagStrip],
        part: ChartPart,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._range = range_
        self._stack = stack
        self._strips = strips
        self._part = part
        strips[0].chosen.connect(self.show_step)
        stack.mouse.range_changed.connect(self._go)
        stack.mouse.reset.connect(self.show_all)

    @property
    def is_zoomed(self) -> bool:
        """Whether the user has zoomed or panned."""
        return self._range.is_zoomed

    @Slot()
    def show_all(self) -> None:
        """Undo zoom and pan."""
        self.release()
        self.fit()
        self._part.look_again()
        self.moved.emit()

    @Slot(float, float)
    def zoom_to(self, left: float, right: float) -> None:
        """Show this stretch with a little room, in seconds from the origin."""
        room = (right - left) * _ROOM
        self._go(left - room, right + room)

    @Slot(object)
    def show_step(self, step: Phase) -> None:
        """Zoom to a step, of which statistics are from now on."""
        self.zoom_to(step.start, step.end)
        self._part.choose_step(step)

    def bring_into_view(self, x: float) -> None:
        """Show a moment, in seconds from the origin: as long a stretch around it."""
        left, right = self._range.shown
        if not left <= x <= right:
            half = (right - left) / 2
            self._go(x - half, x + half)

    @Slot()
    def zoom_in(self) -> None:
        """Show the middle half."""
        self._go(*self._range.scaled(0.5))

    @Slot()
    def zoom_out(self) -> None:
        """Show twice as much."""
        self._go(*self._range.scaled(2.0))

    @Slot(float, float)
    def _go(self, left: float, right: float) -> None:
        self._set_zoomed(zoomed=True)
        self._show(left, max(right, left + 1e-3))
        self._part.look_again()
        self.moved.emit()

    def release(self) -> None:
        """Follow the data from now on."""
        self._set_zoomed(zoomed=False)

    def _set_zoomed(self, *, zoomed: bool) -> None:
        self._range.is_zoomed = zoomed
        self.zoomed.emit(zoomed)

    def fit(self) -> None:
        """Show what follows the data, unless the user looks at a part of it."""
        found = self._range.fitted
        if found is not None:
            self._show(*found)

    def _show(self, left: float, right: float) -> None:
        self._range.show(left, right)
        self._stack.set_range(left, right)
        self.place_strip()

    def place_strip(self) -> None:
        """Put the steps over the plots, whose axes may have another width now."""
        if self._stack.rows:
            # A bar that scrolls takes room of the plots, and none of the strips.
            beside = max(0, self._strips[0].width() - self._stack.width())
            sides = (self._stack.plot_left, float(self._stack.right_room + beside))
            for strip in self._strips:
                strip.set_range(*self._range.shown, sides)
