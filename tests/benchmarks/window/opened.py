"""The main window for a measure: opened, waited for, watched, and closed again.

What a process has of memory counts from its beginning, so a measure of the window runs
in a process of its own, and makes its sessions in another one.
"""

import itertools
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.bench.file import default_bench
from app.ui.chart.plot_area import PlotArea
from app.ui.chart.plot_row import PlotRow
from app.ui.kit.settings import Settings
from app.ui.kit.theme import Theme
from app.ui.window.application import make_application
from app.ui.window.main_window import MainWindow
from tests.benchmarks.figure import Figure

PATIENCE_S = 600.0
_WAKE_MS = 5
_LOOK_S, _LEAST_BUSY_S = 0.5, 0.025


@contextmanager
def opened_window(folder: Path, sessions: Path) -> Iterator[MainWindow]:
    """Open the window on a folder of sessions, with settings of its own."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = make_application()
    settings = Settings(folder / "settings.toml")
    window = MainWindow(default_bench(), sessions, Theme(app, settings), settings)
    window.resize(1600, 900)
    window.show()
    yield window
    window.stop_and_close()
    wait(lambda: not window.isVisible())
    window.deleteLater()


def wait(ready: Callable[[], bool]) -> None:
    """Let the window work until something is so, without using the processor."""
    loop, timer = QEventLoop(), QTimer()
    timer.timeout.connect(lambda: loop.quit() if ready() else None)
    timer.start(_WAKE_MS)
    QTimer.singleShot(round(1000 * PATIENCE_S), loop.quit)
    loop.exec()
    timer.stop()
    assert ready(), "it did not happen"


def wait_s(seconds: float) -> None:
    """Let the window work for so long."""
    end = time.monotonic() + seconds
    wait(lambda: time.monotonic() >= end)


def settle() -> None:
    """Let the window work until it has nothing more to do."""
    busy = _LEAST_BUSY_S
    while busy >= _LEAST_BUSY_S:
        before = time.process_time()
        wait_s(_LOOK_S)
        busy = time.process_time() - before


class Gaps(NamedTuple):
    """How long an event loop was away, in ms."""

    longest: float
    p99: float
    work: float  # the longest work of its own, without waiting for a processor

    def figure(self, what: str, how: str) -> Figure:
        """Make the line of the table."""
        how = f"p99 {self.p99:.0f}, longest work of its own {self.work:.0f}; {how}"
        return Figure(what, f"{self.longest:.0f}", "ms", "<= 50", how)


class Beats(QObject):
    """Beats in the event loop, and so sees when it is away.

    On a busy machine a gap is mostly waiting for a processor; the time of the thread
    tells what is the window's own.
    """

    def __init__(self) -> None:
        super().__init__()
        self._walls: list[int] = []
        self._works: list[int] = []
        self._timer = QTimer(self)
        self._timer.setInterval(_WAKE_MS)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        self._walls.clear()
        self._works.clear()
        self._beat()
        self._timer.start()

    def stop(self) -> Gaps:
        """Beat no more; get what was seen since the start."""
        self._timer.stop()
        self._beat()
        gaps = sorted(_steps_ms(self._walls))
        return Gaps(gaps[-1], at_share(gaps, 0.99), max(_steps_ms(self._works)))

    def _beat(self) -> None:
        self._walls.append(time.monotonic_ns())
        self._works.append(time.thread_time_ns())


def _steps_ms(times: list[int]) -> list[float]:
    return [(after - before) / 1e6 for before, after in itertools.pairwise(times)]


def at_share(ordered: list[float], share: float) -> float:
    """Get the value that this share of all does not exceed."""
    return ordered[round(share * (len(ordered) - 1))]


class Paints(QObject):
    """Notes when a plot is painted, and how long this thread had worked by then, in ms.

    Args:
        plot: The plot.
    """

    def __init__(self, plot: QWidget) -> None:
        super().__init__(plot)
        self.walls: list[float] = []
        self.works: list[float] = []
        plot.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.walls.append(1000 * time.perf_counter())
            self.works.append(1000 * time.thread_time())
        return super().eventFilter(watched, event)


def canvas_of(row: PlotRow) -> QWidget:
    """Get what of a row is painted, and takes the mouse."""
    [plot] = row.findChildren(PlotArea)
    canvas: QWidget = plot.viewport()
    return canvas


class Memory(NamedTuple):
    """What this process has of memory, in MB of 10^6 bytes."""

    most: float  # resident at the most, with all that other processes share
    private: float  # of its own, now
    mapped: float  # of files, now: mostly libraries, shared with who else uses them

    def figure(self, what: str, target: str, how: str) -> Figure:
        """Make the line of the table."""
        now = f"{self.private:.0f} of its own and {self.mapped:.0f} of libraries"
        how = f"resident at the most, {how}; now {now}"
        return Figure(what, f"{self.most:.0f}", "MB", target, how)


def memory() -> Memory:
    """Look at what this process has, and had at the most."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    lines = dict(line.split(":", 1) for line in status.splitlines())
    most, private, mapped = (
        int(lines[name].split()[0]) * 1024 / 1e6
        for name in ("VmHWM", "RssAnon", "RssFile")
    )
    return Memory(most, private, mapped)
