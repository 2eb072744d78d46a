"""The page of sessions side by side, as its tests drive it."""
# mypy: disallow-untyped-calls=False

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
from pytestqt.qtbot import QtBot

from app.ui.chart.layers import Layer
from app.ui.chart.plot_row import PlotRow
from app.ui.compare.view import CompareView
from instruments.reading import SECOND, Identity
from tests.app.ui.sample import (
    MAINS,
    START,
    begin_sample,
)


def names(view: CompareView) -> tuple[str, ...]:
    return tuple(one.session.info.name for one in view.lanes.records)


def two_meters(path: Path) -> Path:
    """Another device, at two meters of which one is called as that of the others."""
    path, writer = begin_sample(path, step_s=12, name="Shelf", silence=False)
    who = Identity("Bayscope", "HMC8015", "SIM-2", "1.0", "127.0.0.1", simulated=True)
    writer.add_source("mains2", "power", "simulated", who, "")
    second = tuple(replace(one, source="mains2") for one in MAINS[:2])
    times = START + np.arange(840, dtype=np.int64) * (SECOND // 10) + SECOND // 30
    values = np.full((840, 2), 300.0)
    writer.append_trace(second, times, times, values)
    writer.set_session(dut="Shelf A", verdict="PASS", ended_ns=START + 84 * SECOND)
    writer.finish()
    return path


def compared(view: CompareView, *paths: Path) -> Callable[[QtBot], None]:
    """Compare files, and wait until their curves are asked for and tables are there."""

    def wait(qtbot: QtBot) -> None:
        view.compare(*paths)
        qtbot.waitUntil(lambda: view.lanes.paths == paths)
        qtbot.waitUntil(lambda: view.comparison is not None)
        qtbot.waitUntil(lambda: len(layers(view)) == len(paths))
        sessions = [record.session for record in view.lanes.records]
        qtbot.waitUntil(lambda: [one.session for one in layers(view)] == sessions)

    return wait


def layers(view: CompareView) -> tuple[Layer, ...]:
    return view.charts.pane.chart.layers


def chart_step(view: CompareView, label: str, qtbot: QtBot) -> None:
    number = view.charts._number
    view.picker.choose_step(label)
    assert view.picker.labels == (label,)
    qtbot.waitUntil(lambda: view.charts._number > number)
    starts = [
        step.start_ns
        for record in view.lanes.records
        for step in record.session.steps()
        if step.label == label
    ]
    qtbot.waitUntil(lambda: [one.origin for one in layers(view)] == starts)


def all_drawn(row: PlotRow) -> bool:
    return all(one.line is not None for one in row.drawn if one.is_listed)


def drawn(view: CompareView) -> bool:
    rows = view.charts.pane.chart.rows
    return bool(rows) and all(line is not None for r in rows for _, line in r.curves)


def edited(first: Path, other: Path, change: str) -> Path:
    """Copy a session, and change its steps."""
    shutil.copy(first, other)
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute(f"UPDATE step SET {change}")
    return other


def without(path: Path, label: str, copy: Path) -> Path:
    """Copy a session that has no step of this label."""
    shutil.copy(path, copy)
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE step SET label = ? WHERE label = ?", ("X", label))
    return copy
