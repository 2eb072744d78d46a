"""Lines and bands drawn in pixels: only what can be seen, in one path each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPainterPath, QPen

from app.report.chart.line import Floats, Line

_DOT = 1.5
"""Radius of a value that stands alone, or is marked, in pixels."""

_THICK, _DENSE = 5.0, 3.0
"""Diameter of a sample that counts for a figure, in pixels, and of one among many."""

_MOST_COUNTED = 5000
"""More samples in sight than this are not marked: their window is shaded."""

_APART = 4.0
"""From so many pixels on between two samples each of them is marked."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A rectangle of values and the pixels it is drawn on.

    Attributes:
        values: Its left is the first moment in seconds, its top the lowest value.
        width: In pixels.
        height: In pixels.
    """

    values: QRectF
    width: float
    height: float

    def place(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Turn seconds and values into pixels from the upper left corner."""
        across = self.width / self.values.width()
        up = self.height / self.values.height()
        return (x - self.values.left()) * across, (self.values.bottom() - y) * up

    def seen(self, line: Line) -> Line:
        """Get the part of a line between the edges, and a point beyond each."""
        first = int(np.searchsorted(line.x, self.values.left())) - 1
        last = int(np.searchsorted(line.x, self.values.right(), side="right")) + 1
        return line.part(slice(max(first, 0), last))


def draw_line(painter: QPainter, line: Line, pen: QPen, frame: Frame) -> None:
    """Draw a line through its values; it breaks where one is missing.

    A value between two that are missing is a dot, and so is each sample where they are
    few enough to be told apart.
    """
    seen = frame.seen(line)
    x, y = frame.place(*seen.polyline())
    is_whole = bool(np.isfinite(y).all())
    painter.setPen(pen)
    if len(x) > 1:
        connect = "all" if is_whole else "finite"
        painter.drawPath(pg.arrayToQPath(x, y, connect=connect))
    if are_samples_apart(seen, frame):
        dots = np.flatnonzero(np.isfinite(seen.mean))
    elif is_whole and len(seen.x) > 1:
        return
    else:
        dots = seen.alone()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QBrush(pen.color()))
    for across, down in zip(*frame.place(seen.x[dots], seen.mean[dots]), strict=True):
        painter.drawEllipse(QPointF(float(across), float(down)), _DOT, _DOT)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def are_samples_apart(seen: Line, frame: Frame) -> bool:
    """Tell whether each point is a sample, and they are few enough to be marked."""
    known = seen.x[np.isfinite(seen.mean)]
    if not seen.exact or len(known) < 2:
        return False
    across, _ = frame.place(known, known)
    return bool(np.median(np.diff(across)) >= _APART)


def draw_counted(
    painter: QPainter, lines: Sequence[Line], pen: QPen, frame: Frame
) -> None:
    """Draw a thick dot on each sample; many make the line thicker, too many none."""
    for line in lines:
        seen = frame.seen(line.part(np.isfinite(line.mean)))
        if len(seen.x) > _MOST_COUNTED:
            continue
        is_apart = len(line.x) == 1 or are_samples_apart(seen, frame)
        dot = QPen(pen.color(), _THICK if is_apart else _DENSE)
        dot.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(dot)
        places = zip(*frame.place(seen.x, seen.mean), strict=True)
        painter.drawPoints([QPointF(float(x), float(y)) for x, y in places])


def draw_band(painter: QPainter, line: Line, brush: QBrush, frame: Frame) -> None:
    """Fill from the lowest to the highest values; open where they are missing."""
    seen = frame.seen(line)
    known = np.isfinite(seen.low) & np.isfinite(seen.high)
    edges = np.flatnonzero(np.diff(np.r_[False, known, False]))
    path = QPainterPath()
    for start, end in zip(edges[0::2], edges[1::2], strict=True):
        part = slice(start, end)
        x, over = frame.place(seen.x[part], seen.high[part])
        _, under = frame.place(seen.x[part], seen.low[part])
        around = np.r_[x, x[::-1]], np.r_[over, under[::-1]]
        if len(x) > 1:
            path.addPath(pg.arrayToQPath(*around, connect="all"))
    painter.fillPath(path, brush)
