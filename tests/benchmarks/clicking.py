"""Measures of the window: from the click on a session to its curves on the screen."""

import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.bench_data import streams
from tests.benchmarks.figure import Figure
from tests.benchmarks.writing import build

if TYPE_CHECKING:
    from app.ui.session.view import SessionsView
    from app.ui.window.main_window import MainWindow

SESSIONS = (("1 M", 1_000_000, 300), ("40 M", 40_000_000, 600))
"""What it is called, samples, and milliseconds aimed at where it is in memory."""
RATE = 370
ROUNDS = 7
PATIENCE_S = 120.0
_WAKE_MS = 5


def clicking(folder: Path) -> list[Figure]:
    """Click on a short and on a long session in turn, and wait for all their curves.

    A round is over when the hash of the session has been checked as well, so that it
    does not disturb the next one. Everything is measured twice over, for the noise.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from app.bench.file import default_bench  # noqa: PLC0415
    from app.ui.kit.settings import Settings  # noqa: PLC0415
    from app.ui.kit.theme import Theme  # noqa: PLC0415
    from app.ui.window.application import make_application  # noqa: PLC0415
    from app.ui.window.main_window import MainWindow  # noqa: PLC0415

    paths = []
    # Elsewhere, so that its memory is not taken for that of the window.
    with ProcessPoolExecutor(1, get_context("spawn")) as elsewhere:
        for name, samples, _ in SESSIONS:
            paths.append(folder / f"{name}.bayscope")
            seconds = -(-samples // RATE)
            elsewhere.submit(build, paths[-1], streams(), seconds).result()
    app = make_application()
    settings = Settings(folder / "settings.toml")
    window = MainWindow(default_bench(), folder, Theme(app, settings), settings)
    window.resize(1600, 900)
    window.show()
    window.navigation.choose("Sessions")
    view = window.pages.sessions
    wait(lambda: "hash checked" in view.page.head.facts.text())
    figures = []
    once = "once, dropped from the page cache by fadvise"
    rounds = [_rounds(view, paths) for _ in range(2)]
    cold = [_click(view, path, cold=True) for path in paths]
    curves = sum(len(row.drawn) for row in view.page.pane.chart.rows)
    for number, (name, _, target) in enumerate(SESSIONS):
        first, again = (each[number] for each in rounds)
        how = f"{curves} curves, median of {ROUNDS}"
        noise = f"the same again: {_ms(again, 0)}; processor time {_ms(first, 1)}"
        checked = _ms(first, 2)
        figures += [
            Figure(
                f"click to curves, {name}",
                _ms(first, 0),
                "ms",
                f"<= {target}",
                f"{how}, {noise}",
            ),
            Figure(
                f"click to curves, {name}, cold", _ms([cold[number]], 0), "ms", "", once
            ),
            Figure(f"click to hash checked, {name}", checked, "ms", "", "aside, once"),
        ]
    most = f"{memory_mb():.0f}"
    figures.append(Figure("memory of the window", most, "MB", "", "most of all that"))
    close_window(window)
    return figures


def _rounds(
    view: "SessionsView", paths: list[Path]
) -> list[list[tuple[float, float, float]]]:
    """Click on each in turn; get what each click took, by session."""
    found: list[list[tuple[float, float, float]]] = [[] for _ in paths]
    for _ in range(ROUNDS):
        for number, path in enumerate(paths):
            found[number].append(_click(view, path))
    return found


def _click(
    view: "SessionsView", path: Path, *, cold: bool = False
) -> tuple[float, float, float]:
    """Click on a session that is not shown.

    Returns:
        Seconds to the curves, processor time until then, seconds to the hash.
    """
    from PySide6.QtCore import Qt  # noqa: PLC0415
    from PySide6.QtTest import QTest  # noqa: PLC0415

    painted: list[tuple[float, float]] = []

    def note() -> None:
        painted.append((time.perf_counter(), time.process_time()))

    if cold:
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    chart = view.page.pane.chart
    index = view.model.index(view.model.row_of(path))
    place = view.list.visualRect(index).center()
    assert view.record is None or view.record.path != path
    chart.painted.connect(note)
    busy, begin = time.process_time(), time.perf_counter()
    QTest.mouseClick(
        view.list.viewport(),
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
        place,
    )
    wait(lambda: bool(painted))
    assert view.record is not None
    assert view.record.path == path
    drawn = [one for row in chart.rows for one in row.drawn]
    assert drawn
    assert all(one.line is not None and len(one.line.x) for one in drawn)
    wait(lambda: "hash checked" in view.page.head.facts.text())
    checked = time.perf_counter()
    chart.painted.disconnect(note)
    return painted[0][0] - begin, painted[0][1] - busy, checked - begin


def wait(ready: Callable[[], bool]) -> None:
    """Let the window work until something is so, without using the processor."""
    from PySide6.QtCore import QEventLoop, QTimer  # noqa: PLC0415

    loop, timer = QEventLoop(), QTimer()
    timer.timeout.connect(lambda: loop.quit() if ready() else None)
    timer.start(_WAKE_MS)
    QTimer.singleShot(round(1000 * PATIENCE_S), loop.quit)
    loop.exec()
    timer.stop()
    assert ready(), "it did not happen"


def close_window(window: "MainWindow") -> None:
    window.stop_and_close()
    wait(lambda: not window.isVisible())
    window.deleteLater()


def memory_mb() -> float:
    """Get the most memory that this process has had."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(one for one in status.splitlines() if one.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def _ms(found: list[tuple[float, float, float]], place: int) -> str:
    return f"{1000 * statistics.median(one[place] for one in found):.0f}"
