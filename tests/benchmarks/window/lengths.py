"""Measures of a zoom in sessions of one million to three hundred million samples."""

import statistics
import time
from pathlib import Path

from instruments.reading import SECOND
from tests.benchmarks.bench_data import START, streams
from tests.benchmarks.command import apart
from tests.benchmarks.figure import Figure
from tests.benchmarks.window.clicking import RATE
from tests.benchmarks.window.opened import memory, opened_window, wait
from tests.benchmarks.writing import build

SAMPLES = (1_000_000, 40_000_000, 300_000_000)
STRETCHES = (("10 minutes", 600), ("whole session", 0))
ROUNDS = 15


def lengths(folder: Path) -> list[Figure]:
    """Zoom to as long a stretch at many places, and to all, in each session."""
    found = []
    for samples in SAMPLES:
        path = folder / f"{samples // 1_000_000}.bayscope"
        apart(build, path, streams(), -(-samples // RATE))
        found += apart(zoomed, folder, path, f"{samples / 1e6:.0f} M")
        path.unlink()
    return found


def zoomed(folder: Path, path: Path, name: str) -> list[Figure]:
    """Measure in a window with this session alone."""
    with opened_window(folder, folder) as window:
        view = window.pages.sessions
        window.navigation.choose("Sessions")
        wait(lambda: "hash checked" in view.page.head.facts.text())
        chart, record = view.page.pane.chart, view.record
        assert record is not None
        assert record.path == path
        length = (record.layer.end - START) / SECOND
        curves = sum(len(row.drawn) for row in chart.rows)
        painted: list[bool] = []
        chart.loaded.connect(painted.clear)
        chart.painted.connect(lambda: painted.append(True))
        found = []
        for stretch, seconds in STRETCHES:
            took, busy = [], []
            for number in range(ROUNDS):
                start = (length - seconds) * number / ROUNDS
                if not seconds:
                    chart.zoom.zoom_to(length / 3, length / 3 + 600)
                    painted.clear()
                    wait(lambda: bool(painted))
                painted.clear()
                begin, work = time.perf_counter(), time.process_time()
                if seconds:
                    chart.zoom.zoom_to(start, start + seconds)
                else:
                    chart.zoom.show_all()
                wait(lambda: bool(painted))
                took.append(1000 * (time.perf_counter() - begin))
                busy.append(1000 * (time.process_time() - work))
            how = f"{curves} curves, median of {ROUNDS}, longest {max(took):.0f}"
            found.append(
                Figure(
                    f"zoom to {stretch}, {name}",
                    f"{statistics.median(busy):.0f}",
                    "ms (processor)",
                    "the same",
                    f"{statistics.median(took):.0f} ms to the curves; {how}",
                )
            )
        return [*found, memory().figure(f"memory, {name}", "", "after the zooms")]
