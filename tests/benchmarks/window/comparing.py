"""Measures of Compare: four long sessions from the last tick to their curves."""

import shutil
import statistics
import time
from pathlib import Path

from tests.benchmarks.bench_data import streams
from tests.benchmarks.command import apart
from tests.benchmarks.figure import Figure
from tests.benchmarks.window.clicking import RATE
from tests.benchmarks.window.opened import Memory, memory, opened_window, wait
from tests.benchmarks.writing import build

SAMPLES = 40_000_000
COUNTS = (4, 8)
ROUNDS = 5
FIRST_S, MOST_MB = 1, 400


def comparing(folder: Path) -> list[Figure]:
    """Tick sessions of 40 million samples, and wait for all their curves.

    Then take the statistics of all of it, of every curve. Each number of sessions in
    a window of its own.
    """
    place = folder / "sessions"
    place.mkdir()
    paths = [place / f"{number}.bayscope" for number in range(max(COUNTS))]
    apart(build, paths[0], streams(), -(-SAMPLES // RATE))
    for path in paths[1:]:
        shutil.copy(paths[0], path)
    return [one for count in COUNTS for one in apart(compared, folder, paths[:count])]


def compared(folder: Path, paths: list[Path]) -> list[Figure]:
    """Compare these sessions in a window."""
    with opened_window(folder, paths[0].parent) as window:
        window.navigation.choose("Compare")
        view = window.pages.compare
        wait(lambda: view.picker.count >= len(paths))
        before = memory()
        chart = view.charts.pane.chart
        painted: list[float] = []
        chart.painted.connect(lambda: painted.append(time.perf_counter()))
        took, busy = [], []
        for _ in range(ROUNDS):
            view.compare()
            wait(lambda: not chart.layers and not view.lanes.records)
            painted.clear()
            begin, work = time.perf_counter(), time.process_time()
            view.compare(*paths)
            wait(lambda: len(chart.layers) == len(paths) and bool(painted))
            took.append(painted[-1] - begin)
            busy.append(time.process_time() - work)
            drawn = [one for row in chart.rows for one in row.drawn]
            assert all(one.line is not None and len(one.line.x) for one in drawn)
        wait(lambda: view.comparison is not None)
        shown = memory()
        begin, work = time.perf_counter(), time.process_time()
        view.charts.pane.show_statistics()
        lines = view.charts.pane.statistics.model
        wait(lambda: bool(lines.records))
        figured = time.perf_counter() - begin, time.process_time() - work
        count = len(lines.records)
        curves = sum(len(row.drawn) for row in chart.rows)
        most = memory()
    name = f"{len(paths)} sessions of 40 M"
    how = (
        f"{curves} curves, median of {ROUNDS}, {min(took):.2f} to {max(took):.2f}; "
        f"processor time {statistics.median(busy):.2f} s"
    )
    aimed = len(paths) == min(COUNTS)
    return [
        Figure(
            f"{name} to curves",
            f"{statistics.median(took):.2f}",
            "s",
            f"<= {FIRST_S}" if aimed else "",
            how,
        ),
        Figure(
            f"{name}, statistics of all",
            f"{figured[0]:.1f}",
            "s",
            "",
            f"{count} curves; processor time {figured[1]:.1f} s",
        ),
        _memory(name, before, shown, most, f"<= {MOST_MB}" if aimed else ""),
    ]


def _memory(
    name: str, before: Memory, shown: Memory, most: Memory, target: str
) -> Figure:
    how = f"{before.most:.0f} empty, {shown.most:.0f} with curves and tables"
    return most.figure(f"{name}, memory", target, how)
