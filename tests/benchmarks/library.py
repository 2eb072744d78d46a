"""Measures of the library: ten thousand sessions, from nothing, and found again."""

import random
import shutil
import sqlite3
import statistics
import time
from contextlib import closing
from pathlib import Path

from app.operations.sessions.library import Library
from app.plan.step import Step
from app.plan.writing import step_text
from app.record.store import Result, Writer
from app.record.store.index import Index
from instruments.reading import SECOND
from tests.benchmarks.figure import Figure
from tests.session_info import session_info

SESSIONS = 10_000
SEARCHES = (
    "device:jbod-17",
    "verdict:fail operator:bo",
    "step:random power_w>500",
    "iops>=20k -tag:old",
    "nothing-like-that",
    "date:2026-03 option:bs=4k",
)
_LABELS = ("Idle", "Sequential write", "Sequential read", "Random write", "Random read")
_NAMES = ("power_w", "iops", "bandwidth_mb_s", "energy_wh", "ambient_c", "lambda")


def library(folder: Path) -> list[Figure]:
    """Read a folder of many sessions the first time, list it again, and search it."""
    place = folder / "library"
    fill(place, SESSIONS)
    index = folder / "index.sqlite"
    begin = time.perf_counter()
    kept = Index(index)
    count = len(Library(place, kept).read_all())
    read = time.perf_counter() - begin
    kept.close()
    begin = time.perf_counter()
    kept = Index(index)
    again = Library(place, kept)
    found, left = again.begin()
    start = time.perf_counter() - begin
    if (count, len(found), left) != (SESSIONS, SESSIONS, []):
        raise AssertionError((count, len(found), len(left)))
    took = []
    for text in SEARCHES:
        begin = time.perf_counter()
        again.search(text)
        took.append(1000 * (time.perf_counter() - begin))
    kept.close()
    size = index.stat().st_size / 1e6
    shutil.rmtree(place)
    index.unlink()
    median, worst = statistics.median(took), max(took)
    kind = f"{SESSIONS:,} sessions"
    return [
        Figure(
            "library, first reading", f"{count / read:.0f}", "files/s", ">= 200", kind
        ),
        Figure("library, start", f"{start:.2f}", "s", "<= 0.5", kind),
        Figure(
            "library, search",
            f"{median:.0f} / {worst:.0f}",
            "ms",
            "<= 100",
            f"median and longest of {len(SEARCHES)}, {kind}",
        ),
        Figure("library, index", f"{size:.0f}", "MB", "", kind),
    ]


def fill(folder: Path, count: int) -> None:
    """Make sessions of eight steps each, that differ in what they are found by."""
    folder.mkdir()
    pattern = folder.with_name("pattern.bayscope")
    _write(pattern)
    dice = random.Random(1)  # The same each time.
    for number in range(count):
        path = folder / f"{number:05}.bayscope"
        shutil.copy(pattern, path)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(
                "UPDATE session SET name = ?, dut = ?, operator = ?, verdict = ?, "
                "realtime_ns = realtime_ns + ?",
                (
                    f"Session {number}",
                    f"JBOD-{number % 40} of lab {number % 7}",
                    ("Ann", "Bo", "Chris")[number % 3],
                    ("PASS", "PASS", "FAIL", "ERROR")[number % 4],
                    number * 3600 * SECOND,
                ),
            )
            scale = dice.uniform(0.5, 2.0)
            connection.execute("UPDATE result SET value = value * ?", (scale,))
    pattern.unlink()


def _write(path: Path) -> None:
    writer = Writer.create(path, session_info())
    for position in range(1, 9):
        label = f"{_LABELS[position % len(_LABELS)]} {position}"
        options = {"bs": ("4k", "4m")[position % 2], "iodepth": str(2**position)}
        options |= {"rw": "randread", "numjobs": "4", "ioengine": "libaio"}
        step = Step(label=label, engine="fio", runtime_s=60, options=options)
        number = writer.add_step(position, label, "fio", step_text(step))
        writer.update_step(number, outcome="DONE", verdict="PASS")
        for place, name in enumerate(_NAMES):
            value = 100.0 * position * (place + 1)
            writer.result(number, Result(name, value, "", 0, 0, 10, 10, "mains.P"))
    writer.finish()
