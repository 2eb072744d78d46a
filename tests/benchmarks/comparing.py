"""Measures of Compare: four long sessions from the last tick to their curves."""

import os
import shutil
import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from tests.benchmarks.bench_data import streams
from tests.benchmarks.clicking import RATE, close_window, memory_mb, wait
from tests.benchmarks.figure import Figure
from tests.benchmarks.writing import build

SAMPLES = 40_000_000
COUNT = 4
ROUNDS = 5


def comparing(folder: Path) -> list[Figure]:
    """Tick four sessions of 40 million samples, and wait for all their curves.

    Then take the statistics of all of it, of every curve.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from app.bench.file import default_bench  # noqa: PLC0415
    from app.ui.kit.settings import Settings  # noqa: PLC0415
    from app.ui.kit.theme import Theme  # noqa: PLC0415
    from app.ui.window.application import make_application  # noqa: PLC0415
    from app.ui.window.main_window import MainWindow  # noqa: PLC0415

    place = folder / "sessions"
    place.mkdir()
    paths = [place / f"{number}.bayscope" for number in range(COUNT)]
    # Elsewhere, so that its memory is not taken for that of the window.
    with ProcessPoolExecutor(1, get_context("spawn")) as elsewhere:
        seconds = -(-SAMPLES // RATE)
        elsewhere.submit(build, paths[0], streams(), seconds).result()
    for path in paths[1:]:
        shutil.copy(paths[0], path)
    app = make_application()
    settings = Settings(folder / "settings.toml")
    window = MainWindow(default_bench(), place, Theme(app, settings), settings)
    window.resize(1600, 900)
    window.show()
    window.navigation.choose("Compare")
    view = window.pages.compare
    wait(lambda: view.picker.count == COUNT)
    before = memory_mb()
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
        wait(lambda: len(chart.layers) == COUNT and bool(painted))
        took.append(painted[-1] - begin)
        busy.append(time.process_time() - work)
        drawn = [one for row in chart.rows for one in row.drawn]
        assert all(one.line is not None and len(one.line.x) for one in drawn)
    shown = memory_mb()
    wait(lambda: view.comparison is not None)
    begin = time.perf_counter()
    view.charts.pane.show_statistics()
    lines = view.charts.pane.statistics.model
    wait(lambda: bool(lines.records))
    figured = time.perf_counter() - begin
    count = len(lines.records)
    curves = sum(len(row.drawn) for row in chart.rows)
    most = memory_mb()
    close_window(window)
    median = statistics.median(took)
    how = (
        f"{curves} curves, median of {ROUNDS}, {min(took):.2f} to {max(took):.2f}; "
        f"processor time {statistics.median(busy):.2f} s"
    )
    return [
        Figure("four 40 M sessions to curves", f"{median:.2f}", "s", "<= 1", how),
        Figure(
            "statistics of all of them", f"{figured:.1f}", "s", "", f"{count} curves"
        ),
        Figure(
            "memory of the window",
            f"{most:.0f}",
            "MB",
            "<= 400",
            f"{before:.0f} empty, {shown:.0f} with curves",
        ),
    ]
