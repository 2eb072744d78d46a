"""How far a view has got: moved by the recorder live, by a timer in replay."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from instruments.reading import SECOND
from instruments.timebase import monotonic_ns

SPEEDS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_TICK_MS = 50


class Playhead(QObject):
    """A moment in a session, in nanoseconds of the session's monotonic clock.

    ```
    live:    follow(t) ---------------------------> moved(t)
    replay:  paused --play()--> playing --end or pause()--> paused
    ```

    Attributes:
        loops: Whether a replay begins again at the start when it comes to the end.

    Signals:
        moved: The moment is now another one (int nanoseconds).
        changed: The extent, the speed or whether it plays is another one.
    """

    moved = Signal(object)
    changed = Signal()
    _heard = Signal(object)

    def __init__(
        self,
        parent: QObject | None = None,
        *,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        super().__init__(parent)
        self._clock = clock
        self._start = self._end = self._position = 0
        self.loops = False
        self._stops: list[int] = []
        self._speed = 1
        self._last_tick = 0
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self.tick)
        self._heard.connect(self._follow)

    @property
    def start(self) -> int:
        """First moment, in nanoseconds."""
        return self._start

    @property
    def end(self) -> int:
        """Last moment, in nanoseconds."""
        return self._end

    @property
    def position(self) -> int:
        """The moment itself, in nanoseconds."""
        return self._position

    @property
    def speed(self) -> int:
        """How many seconds of the session pass in one second."""
        return self._speed

    @property
    def is_playing(self) -> bool:
        """Whether the replay timer runs."""
        return self._timer.isActive()

    def set_extent(self, start: int, end: int) -> None:
        """Say where the session begins and ends; the position is kept inside."""
        self._start, self._end = start, max(start, end)
        # First: who hears of a change must not find the position outside.
        self.seek(self._position)
        self.changed.emit()

    def follow(self, t_ns: int) -> None:
        """Go where the recorder has got to; may be called from any thread."""
        self._heard.emit(t_ns)

    def seek(self, t_ns: int) -> None:
        """Go to a moment, or to the nearest end of the session."""
        position = min(max(t_ns, self._start), self._end)
        if position != self._position:
            self._position = position
            self.moved.emit(position)

    def step(self, seconds: float) -> None:
        """Go on, or back, by a number of seconds."""
        self.seek(self._position + int(seconds * SECOND))

    def set_stops(self, moments: Iterable[int]) -> None:
        """Say where `stop_before` and `stop_after` go, such as to starts of steps."""
        self._stops = sorted({*moments})

    def stop_before(self) -> None:
        """Go to the stop before this moment, or to the start."""
        place = bisect_left(self._stops, self._position)
        self.seek(self._stops[place - 1] if place else self._start)

    def stop_after(self) -> None:
        """Go to the stop after this moment, or to the end."""
        place = bisect_right(self._stops, self._position)
        self.seek(self._stops[place] if place < len(self._stops) else self._end)

    def play(self) -> None:
        """Let it run; from the beginning when it stands at the end."""
        if self._position >= self._end:
            self.seek(self._start)
        if self._end > self._start:
            self._last_tick = self._clock()
            self._timer.start()
            self.changed.emit()

    def pause(self) -> None:
        """Let it stand."""
        if self._timer.isActive():
            self._timer.stop()
            self.changed.emit()

    def set_speed(self, speed: int) -> None:
        """Choose how fast a replay runs, one of SPEEDS."""
        if speed not in SPEEDS:
            raise ValueError(f"speed {speed} is not one of {SPEEDS}")
        self.tick()
        self._speed = speed
        self.changed.emit()

    @Slot()
    def tick(self) -> None:
        """Move by the time that has passed; stop at the end."""
        if not self._timer.isActive():
            return
        now = self._clock()
        passed, self._last_tick = now - self._last_tick, now
        if self._position >= self._end and self.loops:
            self.seek(self._start)
            return
        self.seek(self._position + passed * self._speed)
        if self._position >= self._end and not self.loops:
            self.pause()

    @Slot(object)
    def _follow(self, t_ns: int) -> None:
        if t_ns > self._end:
            self._end = t_ns
            self.changed.emit()
        self.seek(t_ns)
