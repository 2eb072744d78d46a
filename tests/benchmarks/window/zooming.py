"""Measures of pan and zoom: frames while the mouse drags and its wheel is turned.

A frame is the time from one painting of the charts to the next. On a busy machine most
of it is waiting for a processor; what the window's thread itself worked stands beside.
"""

import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.ui.chart.chart import Chart
from instruments.reading import SECOND, Channel
from tests.benchmarks.bench_data import Stream
from tests.benchmarks.command import apart
from tests.benchmarks.figure import Figure
from tests.benchmarks.window.opened import (
    Beats,
    Paints,
    at_share,
    canvas_of,
    opened_window,
    wait,
    wait_s,
)
from tests.benchmarks.writing import build

CURVES = ((10, 33), (60, 50))
"""How many curves, and the ms that 99 % of the frames may take."""

LONG_S = 4 * 3600
DRAG_S = 10.0
MOUSE_MS = 16
_NOTCH = 120
_PERIOD_S = 3.0


def zooming(folder: Path) -> list[Figure]:
    """Pan and zoom sessions with so many curves in one chart, four hours at 1 Hz."""
    found = []
    for curves, most in CURVES:
        path = folder / f"{curves}.bayscope"
        apart(build, path, meters(curves), LONG_S)
        with opened_window(folder, folder) as window:
            view = window.pages.sessions
            window.navigation.choose("Sessions")
            view.open(path)
            wait(lambda: view.record is not None and view.record.path == path)  # noqa: B023
            wait(lambda: "hash checked" in view.page.head.facts.text())  # noqa: B023
            chart = view.page.pane.chart
            assert sum(len(row.drawn) for row in chart.rows) == curves
            for name, move in (("pan", _pan), ("zoom", _turn)):
                found += _moved(chart, f"{name}, {curves} curves", move, most)
        path.unlink()
    return found


def meters(count: int) -> list[Stream]:
    """Make so many sound meters, whose curves share a chart."""
    return [
        Stream(
            (Channel(f"meter{number:02}", "LAeq", "dB", "", SECOND),),
            *(np.array([value]) for value in (45.0 + number, 6.0, 1.2, 0.1)),
        )
        for number in range(count)
    ]


def _moved(
    chart: Chart, name: str, move: Callable[[QWidget, float], None], most: int
) -> list[Figure]:
    """Use the mouse for a while, and look at what is painted meanwhile."""
    chart.zoom.zoom_to(LONG_S * 0.25, LONG_S * 0.75)
    wait_s(1.0)
    plot = canvas_of(chart.rows[-1])
    drawn = [one.line for one in chart.rows[-1].drawn if one.line is not None]
    points = min(len(line.polyline()[0]) for line in drawn)
    paints, beats, mouse = Paints(plot), Beats(), QTimer()
    begin = time.monotonic()
    mouse.timeout.connect(lambda: move(plot, time.monotonic() - begin))
    _button(plot, QEvent.Type.MouseButtonPress)
    mouse.start(MOUSE_MS)
    beats.start()
    wait_s(DRAG_S)
    gaps = beats.stop()
    mouse.stop()
    _button(plot, QEvent.Type.MouseButtonRelease)
    plot.removeEventFilter(paints)
    frames, works = (
        sorted(np.diff(times).tolist()) for times in (paints.walls, paints.works)
    )
    assert len(frames) > DRAG_S, "the mouse moved nothing"
    how = f"{len(frames)} frames in {DRAG_S:.0f} s, {points:,} points a curve"
    work = f"own work p99 {at_share(works, 0.99):.0f}, longest {works[-1]:.0f}"
    middle = f"median {at_share(frames, 0.5):.0f}, {work}"
    return [
        Figure(
            f"{name}, frame p99",
            f"{at_share(frames, 0.99):.0f}",
            "ms",
            f"<= {most}",
            f"{middle}; {how}",
        ),
        gaps.figure(f"{name}, loop away", how),
    ]


def _middle(plot: QWidget) -> QPoint:
    return QPoint(plot.width() // 2, plot.height() // 2)


def _pan(plot: QWidget, seconds: float) -> None:
    """Drag to and fro."""
    share = math.sin(2 * math.pi * seconds / _PERIOD_S) / 3
    at = QPointF(_middle(plot)) + QPointF(share * plot.width(), 0)
    _send(plot, QEvent.Type.MouseMove, at)


def _button(plot: QWidget, kind: QEvent.Type) -> None:
    _send(plot, kind, QPointF(_middle(plot)))


def _send(plot: QWidget, kind: QEvent.Type, at: QPointF) -> None:
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    event = QMouseEvent(
        kind,
        at,
        QPointF(plot.mapToGlobal(at.toPoint())),
        none if kind == QEvent.Type.MouseMove else left,
        none if kind == QEvent.Type.MouseButtonRelease else left,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(plot, event)


def _turn(plot: QWidget, seconds: float) -> None:
    """Turn the wheel forth and back."""
    notch = _NOTCH if seconds % _PERIOD_S < _PERIOD_S / 2 else -_NOTCH
    at = _middle(plot)
    event = QWheelEvent(
        QPointF(at),
        QPointF(plot.mapToGlobal(at)),
        QPoint(),
        QPoint(0, notch // 8),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(plot, event)
