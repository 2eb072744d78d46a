"""Measures of a window that stays open: one session after another, and a replay.

Sessions that are shown no longer are to leave nothing behind, neither memory nor files.
"""

import shutil
import time
from pathlib import Path

from app.ui.session.playhead import SPEEDS
from app.ui.session.view import SessionsView
from tests.app.ui.sample import open_files
from tests.benchmarks.bench_data import streams
from tests.benchmarks.command import apart
from tests.benchmarks.figure import Figure
from tests.benchmarks.window.clicking import RATE
from tests.benchmarks.window.opened import (
    Beats,
    Paints,
    canvas_of,
    memory,
    opened_window,
    wait,
    wait_s,
)
from tests.benchmarks.writing import build

SAMPLES = 8_000_000
COUNT = 20
REPLAY_S = 20.0
MOST_GROWN = 10


def staying(folder: Path) -> list[Figure]:
    """Open sessions in turn, all of them twice, and replay the last one."""
    place = folder / "sessions"
    place.mkdir()
    paths = [place / f"{number:02}.bayscope" for number in range(COUNT)]
    apart(build, paths[0], streams(), -(-SAMPLES // RATE))
    for path in paths[1:]:
        shutil.copy(paths[0], path)
    with opened_window(folder, place) as window:
        window.navigation.choose("Sessions")
        view = window.pages.sessions
        wait(lambda: "hash checked" in view.page.head.facts.text())
        for path in paths:
            _open(view, path)
        before = memory()
        for path in paths:
            _open(view, path)
        after, files = memory(), len(open_files(place))
        figures = _replayed(view)
    how = f"private memory from the {COUNT}th to the {2 * COUNT}th; {files} files open"
    grown = f"{after.private - before.private:.0f}"
    name = f"{COUNT} sessions one after another"
    return [
        Figure(f"{name}, grown", grown, "MB", f"<= {MOST_GROWN}", how),
        after.figure(f"{name}, memory", "", f"of {SAMPLES / 1e6:.0f} M samples"),
        *figures,
    ]


def _open(view: SessionsView, path: Path) -> None:
    view.open(path)
    wait(lambda: view.record is not None and view.record.path == path)
    wait(lambda: "hash checked" in view.page.head.facts.text())


def _replayed(view: SessionsView) -> list[Figure]:
    """Replay as fast as it goes, and look at the event loop meanwhile."""
    page, beats = view.page, Beats()
    playhead, chart = page.playhead, page.pane.chart
    playhead.set_speed(SPEEDS[-1])
    playhead.loops = True
    paints = Paints(canvas_of(chart.rows[0]))
    playhead.seek(playhead.start)
    playhead.play()
    beats.start()
    begin, own, busy = time.perf_counter(), time.thread_time(), time.process_time()
    wait_s(REPLAY_S)
    gaps = beats.stop()
    took = time.perf_counter() - begin
    own, busy = time.thread_time() - own, time.process_time() - busy
    playhead.pause()
    curves = sum(len(row.drawn) for row in chart.rows)
    how = f"{curves} curves, at {SPEEDS[-1]}x for {took:.0f} s"
    cores = f"{own / took:.2f} cores in the GUI thread"
    redraws = f"{len(paints.walls) / took:.1f}"
    return [
        Figure("replay, redraws", redraws, "1/s", "", how),
        Figure("replay, processor", f"{busy / took:.2f}", "cores", "", cores),
        gaps.figure("replay, loop away", how),
    ]
