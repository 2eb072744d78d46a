"""What a plot has besides its curves: windows, gaps, notes, crosshair, playhead."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import Qt

from app.ui.chart.marks import Spans
from app.ui.chart.spans import Span
from app.ui.kit.palette import Tokens

_GAP_REACH, _NOTE_REACH = 2, 4
"""How near the mouse has to be, in pixels."""


class PlotMarks:
    """Shades the measured windows, hatches the gaps, draws notes and two lines."""

    def __init__(self, plot: pg.PlotWidget) -> None:
        self._gaps = Spans(hatched=True)
        self._bars = [Spans(hatched=True, bar=number) for number in (1, 2)]
        self._windows = Spans(hatched=False)
        self._notes = Spans(hatched=False)
        self._cursor = pg.InfiniteLine(angle=90)
        self._playhead = pg.InfiniteLine(angle=90)
        spans = (self._gaps, *self._bars, self._windows, self._notes)
        for item in (*spans, self._cursor, self._playhead):
            plot.addItem(item, ignoreBounds=True)
        self._cursor.hide()
        self._playhead.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of the theme."""
        self._gaps.set_colour(tokens.warn, 120)
        for number, bar in enumerate(self._bars):
            bar.set_colour(tokens.trace(number).name(), 230)
        self._windows.set_colour(tokens.accent, 16)
        self._notes.set_colour(tokens.accent, 200)
        dash = pg.mkPen(tokens.cursor, width=1, style=Qt.PenStyle.DashLine)
        self._cursor.setPen(dash)
        self._playhead.setPen(pg.mkPen(tokens.accent, width=1))

    def set_spans(
        self,
        windows: Sequence[Span],
        gaps: Sequence[Span],
        notes: Sequence[Span],
        layers: Sequence[str],
    ) -> None:
        """Show these; where there are several sessions, gaps as a bar for each."""
        self._notes.set_spans(notes)
        self._windows.set_spans(windows)
        several = len(layers) > 1
        for mark, name in zip(self._bars, layers, strict=False):
            mine = [one for one in gaps if one.layer == name]
            mark.set_spans(mine if several else [])
        self._gaps.set_spans([] if several else gaps)

    def set_cursor(self, x: float | None) -> None:
        """Show the crosshair at so many seconds, or hide it."""
        self._cursor.setVisible(x is not None)
        if x is not None:
            self._cursor.setValue(x)

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
