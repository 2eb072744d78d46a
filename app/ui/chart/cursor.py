"""The crosshair of a chart: where it is, and what all curves have there."""

from PySide6.QtCore import QObject, Signal, Slot

from app.ui.chart.plot_stack import PlotStack
from app.ui.chart.range import ChartRange
from app.ui.kit.units import clock


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
        stack.hovered.connect(self.hover)
        stack.mouse_left.connect(self.leave)
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
        """Put the crosshair at so many seconds."""
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
