"""Measures of the window: from the click on a session to its curves on the screen."""

import os
import statistics
import time
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.ui.session.view import SessionsView
from tests.benchmarks.bench_data import streams
from tests.benchmarks.command import apart
from tests.benchmarks.figure import Figure
from tests.benchmarks.window.opened import memory, opened_window, wait
from tests.benchmarks.writing import build

SESSIONS = (("1 M", 1_000_000), ("40 M", 40_000_000))
"""What it is called, and samples."""
WARM_MS, COLD_MS, MOST_MB = 300, 800, 250
RATE = 370
ROUNDS = 7
COLD_ROUNDS = 3


def clicking(folder: Path) -> list[Figure]:
    """Click on a short and on a long session in turn, and wait for all their curves.

    A round is over when the hash of the session has been checked as well, so that it
    does not disturb the next one. Everything is measured twice over, for the noise.
    """
    paths = []
    for name, samples in SESSIONS:
        paths.append(folder / f"{name}.bayscope")
        apart(build, paths[-1], streams(), -(-samples // RATE))
    with opened_window(folder, folder) as window:
        window.navigation.choose("Sessions")
        view = window.pages.sessions
        wait(lambda: "hash checked" in view.page.head.facts.text())
        rounds = [_rounds(view, paths) for _ in range(2)]
        cold = [
            [_click(view, path, cold=True) for path in paths]
            for _ in range(COLD_ROUNDS)
        ]
        curves = sum(len(row.drawn) for row in view.page.pane.chart.rows)
        charts = len(view.page.pane.chart.rows)
        most = memory()
    figures = []
    drawn = f"{curves} curves in {charts} charts"
    for number, (name, _) in enumerate(SESSIONS):
        first, again = (each[number] for each in rounds)
        how = f"{drawn}, median of {ROUNDS}, the same again: {_ms(again, 0)}"
        without = [each[number] for each in cold]
        figures += [
            Figure(
                f"click to curves, {name}",
                _ms(first, 0),
                "ms",
                f"<= {WARM_MS}",
                f"{how}; processor time {_ms(first, 1)}, again {_ms(again, 1)}",
            ),
            Figure(
                f"click to curves, {name}, cold",
                _ms(without, 0),
                "ms",
                f"<= {COLD_MS}",
                f"dropped from the page cache by fadvise, median of {COLD_ROUNDS}; "
                f"processor time {_ms(without, 1)}",
            ),
            Figure(f"click to hash checked, {name}", _ms(first, 2), "ms", "", "aside"),
        ]
    how = f"after {ROUNDS * 4 + COLD_ROUNDS * 2} clicks on both"
    figures.append(most.figure("memory of the window", f"<= {MOST_MB}", how))
    return figures


def _rounds(
    view: SessionsView, paths: list[Path]
) -> list[list[tuple[float, float, float]]]:
    """Click on each in turn; get what each click took, by session."""
    found: list[list[tuple[float, float, float]]] = [[] for _ in paths]
    for _ in range(ROUNDS):
        for number, path in enumerate(paths):
            found[number].append(_click(view, path))
    return found


def _click(
    view: SessionsView, path: Path, *, cold: bool = False
) -> tuple[float, float, float]:
    """Click on a session that is not shown.

    Returns:
        Seconds to the curves, processor time until then, seconds to the hash.
    """
    painted: list[tuple[float, float]] = []

    def note() -> None:
        # The session before may be painted once more before this one is taken.
        if view.record is not None and view.record.path == path:
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
    drawn = [one for row in chart.rows for one in row.drawn]
    assert drawn
    assert all(one.line is not None and len(one.line.x) for one in drawn)
    wait(lambda: "hash checked" in view.page.head.facts.text())
    checked = time.perf_counter()
    chart.painted.disconnect(note)
    return painted[0][0] - begin, painted[0][1] - busy, checked - begin


def _ms(found: list[tuple[float, float, float]], place: int) -> str:
    return f"{1000 * statistics.median(one[place] for one in found):.0f}"
