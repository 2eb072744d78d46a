"""Measures of the library: ten thousand sessions, from nothing, and found again."""

import os
import random
import shutil
import sqlite3
import statistics
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from app.operations.sessions.library import Library
from app.plan.step import Step
from app.plan.writing import step_text
from app.record.store import Result, Writer
from app.record.store.index import Index
from app.ui.session.browser import SessionBrowser
from app.ui.window.main_window import MainWindow
from instruments.reading import SECOND
from tests.benchmarks.command import apart
from tests.benchmarks.figure import Figure
from tests.benchmarks.window.opened import Beats, Gaps, opened_window, settle, wait
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


class _Clock(NamedTuple):
    """Wall and processor since a moment."""

    wall: float
    busy: float

    @classmethod
    def now(cls) -> "_Clock":
        return cls(time.perf_counter(), time.process_time())

    def until_now(self) -> "_Clock":
        now = self.now()
        return _Clock(now.wall - self.wall, now.busy - self.busy)


def library(folder: Path) -> list[Figure]:
    """Read a folder of many sessions the first time, list it again, and search it.

    Without the window, and then in it with an index that is empty, and is known.
    """
    place = folder / "library"
    fill(place, SESSIONS)
    figures = read_and_searched(folder, place)
    figures += apart(first_listed, folder, place)
    figures += apart(listed_again, folder, place)
    shutil.rmtree(place)
    return figures


def read_and_searched(folder: Path, place: Path) -> list[Figure]:
    """Measure what the window and the command line build on."""
    index = folder / "index.sqlite"
    begin = _Clock.now()
    kept = Index(index)
    count = len(Library(place, kept).read_all())
    read = begin.until_now()
    kept.close()
    begin = _Clock.now()
    kept = Index(index)
    again = Library(place, kept)
    found, left = again.begin()
    start = begin.until_now()
    if (count, len(found), left) != (SESSIONS, SESSIONS, []):
        raise AssertionError((count, len(found), len(left)))
    took = []
    for text in SEARCHES:
        begin = _Clock.now()
        again.search(text)
        took.append(begin.until_now())
    kept.close()
    size = index.stat().st_size / 1e6
    kind = f"{SESSIONS:,} sessions"
    return [
        Figure(
            "library, first reading",
            f"{count / read.wall:.0f}",
            "files/s",
            ">= 200",
            f"{kind}; {count / read.busy:.0f} by time of the processor",
        ),
        Figure(
            "library, start",
            f"{start.wall:.2f}",
            "s",
            "<= 0.5",
            f"{kind}; processor time {start.busy:.2f}",
        ),
        _searched("library, search", took),
        Figure("library, index", f"{size:.0f}", "MB", "", kind),
    ]


def _searched(what: str, took: list[_Clock]) -> Figure:
    walls, works = ([1000 * one[place] for one in took] for place in range(2))
    return Figure(
        what,
        f"{statistics.median(walls):.0f} / {max(walls):.0f}",
        "ms",
        "<= 100",
        f"median and longest of {len(took)}, {SESSIONS:,} sessions; processor time "
        f"{statistics.median(works):.0f} / {max(works):.0f}",
    )


def first_listed(folder: Path, place: Path) -> list[Figure]:
    """Turn to a folder that is not known yet."""
    with _window_on_nothing(folder) as window:
        progress = set[str]()
        _, took, gaps = _list_all(window, place, progress)
    told = sum(text.startswith("Read ") for text in progress)
    how = f"{SESSIONS:,} sessions, progress told {told} times"
    return [
        Figure(
            "window, first index",
            f"{SESSIONS / took.wall:.0f}",
            "files/s",
            ">= 200",
            f"{how}; {SESSIONS / took.busy:.0f} by time of the processor",
        ),
        gaps.figure("window, first index, loop away", how),
    ]


def listed_again(folder: Path, place: Path) -> list[Figure]:
    """Turn to a folder that is known, and search in it."""
    with _window_on_nothing(folder) as window:
        browser, start, gaps = _list_all(window, place, set())
        settle()  # the newest are compared with their hashes aside
        beats = Beats()
        beats.start()
        took = []
        for text in SEARCHES:
            matched: list[bool] = []
            browser.model.modelReset.connect(partial(matched.append, True))
            browser.search.wanted.emit("")
            wait(lambda: browser.model.rowCount() == SESSIONS)
            matched.clear()
            begin = _Clock.now()
            browser.search.wanted.emit(text)
            wait(lambda: bool(matched))  # noqa: B023
            took.append(begin.until_now())
            browser.model.modelReset.disconnect()
        searching = beats.stop()
    return [
        Figure(
            "window, list of a known folder",
            f"{start.wall:.2f}",
            "s",
            "<= 0.5",
            f"{SESSIONS:,} sessions; processor time {start.busy:.2f}",
        ),
        gaps.figure("window, list of a known folder, loop away", ""),
        _searched("window, search", took),
        searching.figure("window, search, loop away", ""),
    ]


@contextmanager
def _window_on_nothing(folder: Path) -> Iterator[MainWindow]:
    """Show the sessions of an empty folder, so that all that is imported once is."""
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    nothing = folder / "nothing"
    nothing.mkdir(exist_ok=True)
    with opened_window(folder, nothing) as window:
        window.navigation.choose("Sessions")
        settle()
        yield window


def _list_all(
    window: MainWindow, place: Path, progress: set[str]
) -> tuple[SessionBrowser, _Clock, Gaps]:
    """Turn to a folder, and wait until all its sessions are listed."""
    browser, beats = window.pages.sessions.browser, Beats()
    begin = _Clock.now()
    beats.start()
    window.pages.sessions.set_folder(place)

    def done() -> bool:
        progress.add(browser.place.text())
        known = browser.model.rowCount() == SESSIONS
        return known and "Read" not in browser.place.text()

    wait(done)
    return browser, begin.until_now(), beats.stop()


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
