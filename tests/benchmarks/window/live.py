"""Measures of a run that is watched: 400 channels recorded and 60 curves drawn."""

import random
import time
from dataclasses import replace
from pathlib import Path

from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.ui.window.main_window import MainWindow
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from tests.benchmarks.bench_data import INFO, Stream, streams
from tests.benchmarks.figure import Figure
from tests.benchmarks.window.opened import Beats, opened_window, wait, wait_s

WATCH_S = 40.0
SETTLE_S = 5.0
"""So long after its first curves the charts are complete; then it is watched."""

MOST_CORES, LEAST_REDRAWS = 0.5, 10


def _quantity(channel: Channel) -> str:
    """Name every second temperature otherwise, so that 60 of them are charted."""
    is_even = channel.location.strip("n").zfill(1)[-1] in "02468"
    is_left_out = channel.quantity == "temperature" and not is_even
    return "margin" if is_left_out else channel.quantity


class _Noise:
    """A source that answers at once."""

    section, driver = "power", "noise"

    def __init__(self, stream: Stream) -> None:
        first = stream.channels[0]
        self.name = first.source
        self.period_s = stream.period_ns / SECOND
        self.channels = tuple(
            Channel(
                self.name,
                _quantity(one),
                one.unit,
                one.location,
                one.period_ns,
            )
            for one in stream.channels
        )
        self._levels = stream.level.tolist()
        self._ok = (Status.OK,) * len(self.channels)

    def open(self) -> Identity:
        return Identity("Bayscope", "noise", "1", "1", "here", simulated=True)

    def read(self) -> Reading:
        start = time.monotonic_ns()
        values = tuple(random.gauss(level, level / 50) for level in self._levels)
        return Reading(self.channels, start, time.monotonic_ns(), values, self._ok)

    def close(self) -> None:
        """Nothing is held."""


def live(folder: Path) -> list[Figure]:
    """Record the bench of 67 sources in the window's own process, and watch it."""
    with opened_window(folder, folder) as window:
        window.navigation.choose("Live")
        return _watched(window, folder / "live.bayscope")


def _watched(window: MainWindow, path: Path) -> list[Figure]:
    clock, page = SystemClock(), window.pages.live
    recorder = Recorder(
        path,
        replace(
            INFO,
            boot_id=clock.boot_id(),
            monotonic_ns=clock.monotonic_ns(),
            realtime_ns=clock.realtime_ns(),
        ),
        clock=clock,
        notify=page.playhead.follow,
    )
    recorder.start()
    for stream in streams():
        recorder.watch(_Noise(stream))
    page.watch(path)
    chart, beats = page.panel.pane.chart, Beats()
    painted: list[float] = []
    chart.painted.connect(lambda: painted.append(time.perf_counter()))
    wait(lambda: bool(painted))
    wait_s(SETTLE_S)
    painted.clear()
    begin, work, own = time.perf_counter(), time.process_time(), time.thread_time()
    beats.start()
    wait_s(WATCH_S)
    wait(lambda: bool(painted))  # Its rate is known only from one redraw on.
    gaps = beats.stop()
    took, busy = time.perf_counter() - begin, time.process_time() - work
    drawing = time.thread_time() - own
    chart.painted.disconnect()
    missed = sum(one.missed for one in recorder.health().values())
    shown = sum(len(row.drawn) for row in chart.rows)
    recorder.close()
    how = f"400 channels recorded, {shown} curves in {len(chart.rows)} charts"
    how = f"{how}, {took:.0f} s, {missed} polls missed"
    each = f"{1000 * drawing / max(len(painted), 1):.0f} ms of the GUI thread a redraw"
    return [
        Figure(
            "live, redraws",
            f"{len(painted) / took:.1f}",
            "1/s",
            f">= {LEAST_REDRAWS}",
            how,
        ),
        Figure(
            "live, processor",
            f"{busy / took:.2f}",
            "cores",
            f"<= {MOST_CORES}",
            f"recording and window, {drawing / took:.2f} in the GUI thread; {each}",
        ),
        gaps.figure("live, loop away", how),
    ]
