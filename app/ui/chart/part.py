"""Which part of what is charted statistics are of: a step, A to B, or what is shown."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal, Slot

from app.ui.chart.layers import Phase
from app.ui.chart.range import ChartRange
from app.ui.kit.clock import clock

Span = tuple[float, float]
_LEAST_S = 1e-3


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of time, in seconds from the origin.

    Attributes:
        start: Its begin.
        end: Its end.
        label: What it is, such as "Idle, measured window".
        is_whole: Whether it is all that there is.
    """

    start: float
    end: float
    label: str
    is_whole: bool = False

    @property
    def span_text(self) -> str:
        """From when to when, and how long."""
        fraction = 0 if self.end - self.start >= 60 else 1
        ends = (clock(one, fraction=fraction) for one in (self.start, self.end))
        return f"{' to '.join(ends)} ({self.end - self.start:.1f} s)"


class ChartPart(QObject):
    """Knows which part it is, and has the two cursors A and B.

    Args:
        range_: What the chart shows.
        parent: The chart.

    Signals:
        changed: It is another part now.
        chosen: The user has chosen a step, or placed the cursors.
        cursors_moved: A and B are elsewhere, or gone.
    """

    changed = Signal()
    chosen = Signal()
    cursors_moved = Signal()

    def __init__(self, range_: ChartRange, parent: QObject) -> None:
        super().__init__(parent)
        self._range = range_
        self._step: Phase | None = None
        self._cursors: Span | None = None

    @property
    def cursors(self) -> Span | None:
        """Where A and B are, in seconds from the origin; None without them."""
        return self._cursors

    @property
    def now(self) -> Part:
        """The part: between the cursors, else the chosen step, else what is shown.

        What was before a session, or after it, is no part of it.
        """
        left, right = self._range.extent
        part = self._wanted
        start, end = (min(max(one, left), right) for one in (part.start, part.end))
        return replace(part, start=start, end=end)

    @property
    def _wanted(self) -> Part:
        if self._cursors is not None:
            return Part(min(self._cursors), max(self._cursors), "Cursors A to B")
        step = self._step
        if step is not None and step.window is not None:
            return Part(*step.window, f"{step.label}, measured window")
        if step is not None:
            return Part(step.start, step.end, step.label)
        if self._range.is_zoomed:
            return Part(*self._range.shown, "What is shown")
        return Part(*self._range.whole, "Whole session", is_whole=True)

    def choose_step(self, step: Phase) -> None:
        """Take a step; the cursors go."""
        self._step = step
        self.place(None)
        self.chosen.emit()

    def follow(self, steps: Iterable[Phase]) -> None:
        """Take the chosen step as it is by now: one that runs gets longer."""
        known = self._step
        if known is not None:
            same = (
                s for s in steps if (s.label, s.start) == (known.label, known.start)
            )
            self._step = next(same, known)

    @Slot()
    def look_again(self) -> None:
        """Take what is shown: the user has zoomed or panned."""
        self._step = None
        self.changed.emit()

    @Slot(float, float)
    def span(self, one: float, other: float) -> None:
        """Put A and B at these seconds; at one moment there are none."""
        placed = abs(one - other) > _LEAST_S
        self.place((one, other) if placed else None)
        if placed:
            self.chosen.emit()

    def put(self, name: str, x: float) -> None:
        """Put the cursor "A" or "B" somewhere; the other one is put where it lacks."""
        left, right = self._range.shown
        near = x + (right - left) / 8
        a, b = self._cursors or ((x, near) if name == "A" else (2 * x - near, x))
        self.span(*((x, b) if name == "A" else (a, x)))

    def place(self, cursors: Span | None) -> None:
        """Have the cursors here, or nowhere."""
        self._cursors = cursors
        self.cursors_moved.emit()
        self.changed.emit()
