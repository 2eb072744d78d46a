"""Measures of the window: how long its event loop is away while ten sources come in."""

import itertools
import os
import random
import statistics
import time
from pathlib import Path

from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import SessionInfo
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from tests.benchmarks.figure import Figure

WATCH_S = 60.0
RATES = (50, 50, 20, 20, 20, 10, 10, 10, 10, 10)
KINDS = (("P", "W"), ("temperature", "degC"), ("LAeq", "dB"))
_BEAT_MS = 5


class _Noise:
    """A source of ten channels that answers at once."""

    section, driver = "power", "noise"

    def __init__(self, number: int, rate: int) -> None:
        quantity, unit = KINDS[number % len(KINDS)]
        self.name = f"source{number}"
        self.period_s = 1 / rate
        self.channels = tuple(
            Channel(self.name, quantity, unit, f"slot{n:02d}", SECOND // rate)
            for n in range(10)
        )
        self._ok = (Status.OK,) * len(self.channels)

    def open(self) -> Identity:
        return Identity("Bayscope", "noise", "1", "1", "here", simulated=True)

    def read(self) -> Reading:
        start = time.monotonic_ns()
        values = tuple(random.gauss(50, 5) for _ in self.channels)
        return Reading(self.channels, start, time.monotonic_ns(), values, self._ok)

    def close(self) -> None:
        """Nothing is held."""


def event_loop(folder: Path) -> list[Figure]:
    """Ten sources at 10 to 50 Hz, recorded and shown live in one process."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    # Imported here so that the other measures do not need a screen.
    from PySide6.QtCore import QTimer  # noqa: PLC0415

    from app.bench.file import default_bench  # noqa: PLC0415
    from app.ui.kit.settings import Settings  # noqa: PLC0415
    from app.ui.kit.theme import Theme  # noqa: PLC0415
    from app.ui.window.application import make_application  # noqa: PLC0415
    from app.ui.window.main_window import MainWindow  # noqa: PLC0415

    app = make_application()
    settings = Settings(folder / "settings.toml")
    window = MainWindow(default_bench(), folder, Theme(app, settings), settings)
    window.resize(1600, 900)
    window.show()
    clock = SystemClock()
    path = folder / "loop.bayscope"
    info = SessionInfo(
        "benchmark",
        *("", "", "bench", "0"),
        True,
        "dut",
        clock.boot_id(),
        clock.monotonic_ns(),
        clock.realtime_ns(),
    )
    recorder = Recorder(
        path, info, clock=clock, notify=window.pages.live.playhead.follow
    )
    recorder.start()
    for number, rate in enumerate(RATES):
        recorder.watch(_Noise(number, rate))
    window.navigation.choose("Live")
    window.pages.live.watch(path)
    beats: list[int] = []
    works: list[int] = []
    timer = QTimer()
    timer.setInterval(_BEAT_MS)
    timer.timeout.connect(lambda: beats.append(time.monotonic_ns()))
    timer.timeout.connect(lambda: works.append(time.thread_time_ns()))
    # The first seconds make the charts; what counts is the watching.
    QTimer.singleShot(5000, timer.start)
    QTimer.singleShot(round(1000 * (WATCH_S + 5)), app.exit)
    app.exec()
    rows = len(window.pages.live.board.pane.chart.rows)
    recorder.close()
    window.stop_and_close()
    gaps = sorted((b - a) / 1e6 for a, b in itertools.pairwise(beats))
    # On a busy machine a gap is mostly waiting for a processor; this is our part.
    work = max((b - a) / 1e6 for a, b in itertools.pairwise(works))
    how = f"{sum(RATES) * 10} samples/s, {rows} charts, {WATCH_S:.0f} s"
    p99 = gaps[int(0.99 * (len(gaps) - 1))]
    return [
        Figure("event loop, longest gap", f"{gaps[-1]:.0f}", "ms", "<= 50", how),
        Figure(
            "event loop, longest work of its own", f"{work:.0f}", "ms", "<= 50", how
        ),
        Figure("event loop, gap p99", f"{p99:.1f}", "ms", "", how),
        Figure("event loop, median", f"{statistics.median(gaps):.1f}", "ms", "5", how),
    ]
