"""What a plot has besides its curves: windows, gaps, notes, crosshair, playhead."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QTransform

from app.ui.chart.layers import Threshold
from app.ui.chart.limit_lines import LimitLine
from app.ui.chart.plot_backdrop import PlotBackdrop
from app.ui.chart.spans import Span
from app.ui.kit.palette import Tokens
from app.ui.kit.theme import tabular

_BAR = 7.0
"""Height of a bar in pixels."""


class Spans(PlotBackdrop):
    """Stretches of time shaded over the whole height of a plot, or in a low bar.

    Args:
        hatched: Whether the shade is a pattern.
        bar: Which bar from the bottom of the plot; 0 for the whole height.
    """

    def __init__(self, *, hatched: bool, bar: int = 0) -> None:
        super().__init__(self._fill)
        self._spans: tuple[Span, ...] = ()
        self._brush = QBrush()
        self._hatched = hatched
        self._bar = bar
        self.setZValue(-20 if hatched else -30)

    def set_colour(self, colour: str, alpha: int) -> None:
        """Choose the shade."""
        shade = QColor(colour)
        shade.setAlpha(alpha)
        pattern = (
            Qt.BrushStyle.BDiagPattern if self._hatched else Qt.BrushStyle.SolidPattern
        )
        self._brush = QBrush(shade, pattern)
        self.update()

    def set_spans(self, spans: Sequence[Span]) -> None:
        """Show these stretches and no others."""
        if tuple(spans) != self._spans:
            self._spans = tuple(spans)
            self.update()

    def at(self, x: float, reach: float) -> Span | None:
        """Get the stretch at a moment, the shortest where they overlap."""
        found = [
            span for span in self._spans if span.start - reach <= x <= span.end + reach
        ]
        return min(found, key=lambda span: span.end - span.start, default=None)

    def _fill(self, painter: QPainter, values: QRectF, to_pixels: QTransform) -> None:
        """Fill each stretch that can be seen, however short it is."""
        for span in self._spans:
            left, right = max(span.start, values.left()), min(span.end, values.right())
            if right < left:
                continue
            box = QRectF(left, values.top(), right - left, values.height())
            box = to_pixels.mapRect(box)
            box.setWidth(max(box.width(), 1.0))
            if self._bar:
                box.setTop(box.bottom() - self._bar * _BAR)
                box.setHeight(_BAR - 1.0)
            painter.fillRect(box, self._brush)


_LANES = 8
"""This many sessions may be compared."""

_GAP_REACH, _NOTE_REACH = 2, 4
"""How near the mouse has to be, in pixels."""


class PlotMarks:
    """Shades the measured windows, hatches the gaps, draws notes and lines.

    Attributes:
        ends: The cursors A and B, which the mouse can move.
        limits: The limits of steps.
        thresholds: Those of interlocks.
    """

    def __init__(self, plot: pg.PlotWidget) -> None:
        self._plot = plot
        self._heights: list[tuple[str, int, float]] = []
        self._right = 1.0, 0.0
        self._gaps = Spans(hatched=True)
        self._bars = [Spans(hatched=True, bar=number + 1) for number in range(_LANES)]
        self._windows = [Spans(hatched=False) for _ in self._bars]
        self._notes = Spans(hatched=False)
        self.limits, self.thresholds = LimitMarks(), LimitMarks()
        self._cursor = pg.InfiniteLine(angle=90)
        self._playhead = pg.InfiniteLine(angle=90)
        self._between, self._marked = Spans(hatched=False), Spans(hatched=False)
        self.ends = tuple(
            pg.InfiniteLine(
                angle=90,
                movable=True,
                label=name,
                labelOpts={"position": 1.0, "anchors": [(0.5, 0.0)] * 2},
            )
            for name in "AB"
        )
        shades = (*self._windows, self._notes, self._between, self._marked)
        spans = (self._gaps, *self._bars, *shades)
        limits = self.limits, self.thresholds
        for item in (*spans, *limits, self._cursor, self._playhead, *self.ends):
            plot.addItem(item, ignoreBounds=True)
        self._cursor.hide()
        self._playhead.hide()
        self.set_cursors(None)

    def set_thresholds(
        self, thresholds: Sequence[Threshold], *, log: bool = False
    ) -> None:
        """Show the thresholds of interlocks and no others.

        Args:
            thresholds: In the unit of the values.
            log: Whether the axis takes decimal logarithms.
        """
        self.limits.set_log(log=log)
        self._heights = [
            (one.text, one.side, math.log10(one.value) if log else one.value)
            for one in thresholds
            if one.value > 0 or not log
        ]
        self._place_thresholds()

    def fit_right(self, factor: float, shift: float) -> None:
        """Put the thresholds of the axis at the right where its values are."""
        self._right = factor, shift
        self._place_thresholds()

    def _place_thresholds(self) -> None:
        factor, shift = self._right
        self.thresholds.set_lines(
            [
                LimitLine(
                    *(-math.inf, math.inf),
                    height * factor + shift if side else height,
                    text,
                )
                for text, side, height in self._heights
            ]
        )

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of the theme."""
        dashed = Qt.PenStyle.DashLine
        self.thresholds.set_pen(pg.mkPen(tokens.error, width=1, style=dashed))
        self.limits.set_pen(pg.mkPen(tokens.error, width=1))
        self._gaps.set_colour(tokens.warn, 120)
        for number, bar in enumerate(self._bars):
            bar.set_colour(tokens.lane(number).name(), 230)
        for number, window in enumerate(self._windows):
            shade = tokens.lane(number).name() if number else tokens.accent
            window.set_colour(shade, 30)
        self._notes.set_colour(tokens.accent, 200)
        self._between.set_colour(tokens.accent, 26)
        self._marked.set_colour(tokens.accent, 30)
        for end in self.ends:
            end.setPen(pg.mkPen(tokens.accent, width=1))
            end.setHoverPen(pg.mkPen(tokens.text, width=1))
            end.label.setColor(tokens.accent)
            end.label.fill = pg.mkBrush(tokens.surface)
        dash = pg.mkPen(tokens.cursor, width=1, style=Qt.PenStyle.DashLine)
        self._cursor.setPen(dash)
        self._playhead.setPen(pg.mkPen(tokens.accent, width=1))

    def set_spans(
        self,
        windows: Sequence[Span],
        gaps: Sequence[Span],
        notes: Sequence[Span],
        lanes: Mapping[str, int | None],
    ) -> None:
        """Show these; of several sessions windows in their colours, gaps as bars.

        Args:
            windows: The measured windows.
            gaps: Times without values.
            notes: What somebody wrote.
            lanes: The sessions, with the indices of their colours.
        """
        self._notes.set_spans(notes)
        shaded = _shaded(windows)
        for number, shade in enumerate(self._windows):
            shade.set_spans([w for w in shaded if (lanes.get(w.layer) or 0) == number])
        for lane, mark in ((None, self._gaps), *enumerate(self._bars)):
            mark.set_spans([gap for gap in gaps if lanes.get(gap.layer) == lane])

    def set_marked(self, windows: Sequence[Span]) -> None:
        """Shade the windows of figures, on the measured ones; those at one place once.

        Several shades on each other would hide the curves.
        """
        joined: list[Span] = []
        for one in sorted(windows, key=lambda window: window.start):
            if joined and one.start <= joined[-1].end:
                end = max(joined[-1].end, one.end)
                joined[-1] = replace(joined[-1], end=end)
            else:
                joined.append(one)
        self._marked.set_spans(joined)

    def set_cursor(self, x: float | None) -> None:
        """Show the crosshair at a time in seconds, or hide it."""
        self._cursor.setVisible(x is not None)
        if x is not None:
            self._cursor.setValue(x)

    def set_cursors(self, cursors: tuple[float, float] | None) -> None:
        """Show A and B, and shade what is between them; or neither."""
        for end, x in zip(self.ends, cursors or (0.0, 0.0), strict=True):
            end.setVisible(cursors is not None)
            if cursors is not None and end.value() != x:
                end.setValue(x)
        shaded = [Span(min(cursors), max(cursors))] if cursors else []
        self._between.set_spans(shaded)

    def set_playhead(self, x: float | None) -> None:
        """Show where a replay stands, or nothing."""
        self._playhead.setVisible(x is not None)
        if x is not None:
            self._playhead.setValue(x)

    def at(self, x: float, pixel: float) -> Span | None:
        """Find the note or the gap at a moment.

        Args:
            x: The moment, in seconds.
            pixel: How many seconds a pixel is wide.
        """
        found = self._notes.at(x, _NOTE_REACH * pixel)
        for mark in (self._gaps, *self._bars):
            found = found or mark.at(x, _GAP_REACH * pixel)
        return found


def _shaded(windows: Sequence[Span]) -> Sequence[Span]:
    """Choose the windows to shade, of many sessions those that lie beside each other.

    Translucent shades of many sessions on one another would add up to a wall: of more
    than two, one is left out where it lies on what is shaded already.
    """
    sessions = list(dict.fromkeys(window.layer for window in windows))
    if len(sessions) <= 2:
        return windows
    shaded: list[Span] = []
    for session in sessions:
        own = [window for window in windows if window.layer == session]
        if not any(_lies_on(one, other) for one in own for other in shaded):
            shaded += own
    return shaded


def _lies_on(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


_BESIDE, _ABOVE = 4.0, 3.0
"""Pixels between a line and what it says."""


class LimitMarks(PlotBackdrop):
    """Draws those in sight; each says once what it is."""

    def __init__(self) -> None:
        super().__init__(self._draw)
        self._lines: tuple[LimitLine, ...] = ()
        self._is_log = False
        self._pen = QPen()
        self.setZValue(-10)

    def set_lines(self, lines: Sequence[LimitLine]) -> None:
        """Show these and no others."""
        if tuple(lines) != self._lines:
            self._lines = tuple(lines)
            self.update()

    def set_log(self, *, log: bool) -> None:
        """Take decimal logarithms for the values, or the values themselves."""
        self._is_log = log
        self.update()

    def set_pen(self, pen: QPen) -> None:
        """Choose how they look."""
        self._pen = pen
        self.update()

    def _height(self, value: float) -> float:
        if not self._is_log:
            return value
        return math.log10(value) if value > 0 else -math.inf

    def _draw(self, painter: QPainter, values: QRectF, to_pixels: QTransform) -> None:
        painter.setPen(self._pen)
        painter.setFont(tabular(8.5))
        room = to_pixels.mapRect(values)
        told = set()
        for line in self._lines:
            left, right = max(line.start, values.left()), min(line.end, values.right())
            height = self._height(line.value)
            if right <= left or not values.top() <= height <= values.bottom():
                continue
            start = to_pixels.map(QPointF(left, height))
            painter.drawLine(start, to_pixels.map(QPointF(right, height)))
            if line.text not in told:
                told.add(line.text)
                beside = self._beside(start, line.text, room, painter)
                painter.drawText(beside, line.text)

    @staticmethod
    def _beside(start: QPointF, text: str, room: QRectF, painter: QPainter) -> QPointF:
        """Find where a text begins: above its line, or below where that is the top.

        Where the line begins late, or has only begun, it ends with the plot.
        """
        metrics = painter.fontMetrics()
        ascent = metrics.ascent()
        is_free = start.y() - _ABOVE - ascent >= room.top()
        last = room.right() - metrics.horizontalAdvance(text) - _BESIDE
        x = max(min(start.x() + _BESIDE, last), room.left() + _BESIDE)
        return QPointF(x, start.y() + (-_ABOVE if is_free else _ABOVE + ascent))
