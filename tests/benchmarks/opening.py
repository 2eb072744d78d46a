"""Measures of the reader: a session of 40 million samples, cold and warm."""

import os
import statistics
import time
from pathlib import Path

from app.record.store import Session
from instruments.reading import SECOND, Channel
from tests.benchmarks.bench_data import START, streams
from tests.benchmarks.figure import Figure
from tests.benchmarks.writing import build

SAMPLES = 40_000_000
RATE = 370
ROUNDS = 5
CHANNELS = 60
POINTS = 1000


def opening(folder: Path) -> list[Figure]:
    """Open a long session and draw 60 overviews, from the disk and from memory."""
    path = folder / "long.bayscope"
    seconds = -(-SAMPLES // RATE)
    samples, built = build(path, streams(), seconds)
    cold, how = [], ""
    for _ in range(ROUNDS):
        how = _forget(path)
        cold.append(_open(path))
    warm = [_open(path) for _ in range(ROUNDS)]
    zoom = [_zoom(path, seconds) for _ in range(ROUNDS)]
    size = path.stat().st_size
    kind = f"{CHANNELS} channels, {POINTS} points, median of {ROUNDS}"
    bulk = f"{samples:,} samples in {built:.0f} s"
    return [
        Figure("40 M session, built", f"{samples / built:,.0f}", "samples/s", "", bulk),
        Figure(
            "40 M session, file",
            f"{size / samples:.2f}",
            "bytes/sample",
            "<= 4",
            f"{size / 1e6:.0f} MB, {seconds / 3600:.0f} h",
        ),
        Figure("open + overviews, cold", _ms(cold), "ms", "<= 800", f"{kind}, {how}"),
        Figure("open + overviews, warm", _ms(warm), "ms", "<= 100", kind),
        Figure("open + windows of 1 h, warm", _ms(zoom), "ms", "", kind),
    ]


def _open(path: Path) -> float:
    begin = time.perf_counter()
    with Session.open(path) as session:
        for channel in _spread(session):
            trace = session.trace(channel, None, POINTS)
            assert POINTS <= len(trace) <= 2 * POINTS + 2, len(trace)
    return time.perf_counter() - begin


def _zoom(path: Path, seconds: int) -> float:
    middle = START + seconds * SECOND // 2
    begin = time.perf_counter()
    with Session.open(path) as session:
        for channel in _spread(session):
            window = (middle, middle + 3600 * SECOND)
            assert len(session.trace(channel, window, POINTS)) > POINTS // 4
    return time.perf_counter() - begin


def _spread(session: Session) -> list[Channel]:
    channels = session.channels()
    return channels[:: len(channels) // CHANNELS][:CHANNELS]


def _forget(path: Path) -> str:
    """Drop the file from the page cache; return how."""
    os.sync()
    try:
        Path("/proc/sys/vm/drop_caches").write_text("3", encoding="ascii")
    except OSError:
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return "cold by fadvise"
    return "cold by drop_caches"


def _ms(times: list[float]) -> str:
    return f"{1000 * statistics.median(times):.0f}"
