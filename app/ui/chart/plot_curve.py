"""One curve of a plot: its line, its band, its entry in the legend."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor

from app.report.chart.line import Line
from app.report.chart.panel import Curve
from app.ui.chart.legend import LegendEntry
from app.ui.chart.plot_picture import Draw
from app.ui.chart.strokes import draw_band, draw_counted, draw_line

NO_VALUE, NO_LOAD = "gap", "-"
_STYLES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DashDotDotLine,
)
_LEAST_SPAN = {"°C": 4.0, "dB(A)": 6.0, "W": 4.0, "VA": 4.0, "": 0.05, "V": 4.0}
_BAND_ALPHA, _FAINT_ALPHA = 56, 28


class PlotCurve:
    """Draws what the store answered for one curve.

    Args:
        curve: What it is.
        colour: Its colour.
        style: Index of its line style.
        layer: Name of the session it is of, "" where there is only one.
        side: 0 where its axis is that at the left, 1 for the one at the right.

    Attributes:
        counted: The samples that are marked, of each channel that has any.
    """

    def __init__(
        self, curve: Curve, colour: QColor, style: int, layer: str, side: int = 0
    ) -> None:
        self.curve, self.side = curve, side
        self._stretch = (1.0, 0.0)
        self.line: Line | None = None
        self._whole: Line | None = None
        self._limit = np.inf
        self.counted: tuple[Line, ...] = ()
        self._has_values = False
        self._is_alone = not layer
        pen_style = _STYLES[style % len(_STYLES)]
        # Antialiased lines wider than a pixel take a hundred times as long.
        self.pen = pg.mkPen(colour, width=1, style=pen_style)
        self._is_listed = True
        self._is_hidden = self._is_log = False
        shade = QColor(colour)
        shade.setAlpha(_BAND_ALPHA if self._is_alone else _FAINT_ALPHA)
        self._brush = QBrush(shade)
        label = curve.label + " (right)" * side
        label = f"{label} · {layer}" if layer else label
        self.entry = LegendEntry(label, colour, pen_style)

    def strokes(self) -> list[Draw]:
        """Get what draws it, the lowest first; nothing while it is not listed."""
        known = self.line
        if known is None or not self.is_seen:
            return []
        line = self._on_axis(known)
        found: list[Draw] = []
        if self.curve.is_band:
            found.append(lambda p, frame: draw_band(p, line, self._brush, frame))
        found.append(lambda p, frame: draw_line(p, line, self.pen, frame))
        counted = [self._on_axis(one.until(self._limit)) for one in self.counted]
        if counted:
            found.append(lambda p, frame: draw_counted(p, counted, self.pen, frame))
        return found

    def _on_axis(self, line: Line) -> Line:
        """Get a line as the axis at the left has it."""
        if self._is_log:
            line = line.logarithmic()
        if self.side:
            factor, shift = self._stretch
            line = line.mapped(lambda values: values * factor + shift)
        return line

    def set_counted(self, samples: Mapping[str, Line]) -> None:
        """Mark the samples that count for a figure, by the names of their channels.

        What is computed of channels has none of its own.
        """
        factor = self.curve.scale.factor
        own = [part.name for part in self.curve.parts] if not self.curve.maths else []
        self.counted = tuple(
            samples[name].mapped(lambda values: values * factor)
            for name in own
            if name in samples
        )

    def set_stretch(self, factor: float, shift: float) -> bool:
        """Be drawn on the axis at the right, by the one at the left.

        Returns:
            Whether it looks different now.
        """
        before, self._stretch = self._stretch, (factor, shift)
        return before != self._stretch

    def set_line(self, line: Line | None) -> None:
        """Draw other values, or none; nothing beyond the limit is shown."""
        self._whole = line
        self.line = None if line is None else line.until(self._limit)

    def set_limit(self, x: float) -> bool:
        """Show nothing later than this, in seconds; what is known stays known.

        Returns:
            Whether it looks different now.
        """
        before, self._limit = self.line, x
        self.set_line(self._whole)
        return _length(self.line) != _length(before)

    def forget(self) -> None:
        """Know nothing until the store has answered again."""
        self.line = self._whole = None

    def set_listed(self, listed: bool) -> None:
        """Draw it and name it in the legend, or neither."""
        self.entry.set_listed(listed=listed)
        self._is_listed = listed

    def set_hidden(self, hidden: bool) -> None:
        """Be named in the legend, but not drawn, as the user wants it."""
        self._is_hidden = hidden
        self.entry.set_off(off=hidden)

    @property
    def is_hidden(self) -> bool:
        """Whether the user has hidden it."""
        return self._is_hidden

    def set_log(self, log: bool) -> None:
        """Be drawn by the decimal logarithms of the values."""
        self._is_log = log

    @property
    def is_listed(self) -> bool:
        """Whether it is drawn and named."""
        return self._is_listed

    @property
    def is_seen(self) -> bool:
        """Whether it is among what the user sees."""
        return self._is_listed and not self._is_hidden

    @property
    def has_values(self) -> bool:
        """Whether anything was measured between the moments last asked about."""
        return self._has_values

    def look_between(self, left: float, right: float) -> None:
        """Look for values between two moments; what was found once stays found.

        A load that does nothing counts as no value.
        """
        if self._whole is None or self._has_values:
            return
        inside = (self._whole.x >= left) & (self._whole.x <= right)
        known = self._whole.mean[inside & np.isfinite(self._whole.mean)]
        self._has_values = bool(known.any()) if self._is_load else bool(len(known))

    @property
    def _is_load(self) -> bool:
        return self.curve.parts[0].quantity.startswith(("read_", "write_"))

    @property
    def _missing(self) -> str:
        """What is said without a value; where no load runs there is none to miss."""
        return NO_LOAD if self._is_load else NO_VALUE

    @property
    def whole(self) -> Line | None:
        """What is known, also beyond the limit."""
        return self._whole

    def show_value(self, x: float, current: Mapping[str, float] | None = None) -> str:
        """Write the value at a moment into the legend.

        Args:
            x: The moment, in seconds.
            current: Values by channel name that are shown instead of what is drawn.

        Returns:
            Label, value and unit.
        """
        value = self._text(x) if current is None else self._current(current, x)
        known = value not in ("", NO_LOAD, NO_VALUE)
        remark = self.line.remark if known and self.line is not None else ""
        self.entry.set_value(f"{value} {remark}".strip())
        shown = self.curve.scale.unit if known else ""
        return " ".join(filter(None, (self.entry.label, value, shown, remark)))

    def _current(self, values: Mapping[str, float], x: float) -> str:
        """Write what the read-outs say, so that one screen says one thing."""
        if not values:
            return ""
        names = [channel.name for channel in self.curve.channels]
        is_computed = self.curve.maths is not None and not self.curve.is_sum
        if is_computed or any(name not in values for name in names):
            return self._last(x)
        known = np.array([values[name] for name in names])
        if self.curve.is_sum:  # where one is missing there is no sum
            known = known.sum(keepdims=True)
        known = known[np.isfinite(known)] * self.curve.scale.factor
        if not len(known):
            return self._missing
        return self._write((known.mean(), known.min(), known.max()))

    def _last(self, x: float) -> str:
        """Write the last value up to a moment; a line that has ended has none."""
        if self.line is None:
            return ""
        line = self.line
        last = int(line.x.searchsorted(x, side="right")) - 1
        if last < 0 or not np.isfinite(line.mean[last]):
            return self._missing
        return self._write(
            (float(line.mean[last]), float(line.low[last]), float(line.high[last]))
        )

    def _text(self, x: float) -> str:
        if self.line is None:
            return ""
        found = self.line.at(x)
        return self._missing if found is None else self._write(found)

    def _write(self, found: tuple[float, float, float]) -> str:
        scale = self.curve.scale
        wide = self.curve.is_band and self._is_alone
        shown = found if wide else found[:1]
        mean, *ends = (scale.text(value / scale.factor) for value in shown)
        return f"{mean} ({'..'.join(ends)})" if wide else mean

    def extremes(self, left: float, right: float) -> tuple[float, float] | None:
        """Get the extremes of what is drawn between two moments, None without any."""
        line = self._whole
        if line is None or not self.is_seen:
            return None
        line = line.logarithmic() if self._is_log else line
        seen = (line.x >= left) & (line.x <= right)
        seen &= np.isfinite(line.low) & np.isfinite(line.high)
        if not seen.any():
            return None
        return float(line.low[seen].min()), float(line.high[seen].max())


def _length(line: Line | None) -> int:
    return -1 if line is None else len(line.x)


def value_range(
    extremes: Iterable[tuple[float, float] | None],
    unit: str,
    *,
    from_zero: bool = False,
    log: bool = False,
) -> tuple[float, float]:
    """Choose the range of a value axis: all values, a margin, no blown-up noise.

    Args:
        extremes: Of each curve; decimal logarithms where `log` says so.
        unit: Of the axis.
        from_zero: Whether the axis begins at zero.
        log: Whether the axis is logarithmic.
    """
    known = [extreme for extreme in extremes if extreme is not None]
    if log:
        return _log_range(known or [(0.0, 1.0)])
    if not known:
        return 0.0, max(_LEAST_SPAN.get(unit, 1.0), 1.0)
    lows, highs = zip(*known, strict=True)
    low, high = min(lows), max(highs)
    if from_zero:
        low = min(low, 0.0)
    least = _LEAST_SPAN.get(unit, abs(high) * 0.02 or 1.0)
    if high - low < least:
        middle = least / 2 if from_zero else (high + low) / 2
        low, high = middle - least / 2, middle + least / 2
    margin = (high - low) * 0.07
    bottom = low if from_zero and low >= 0 else low - margin
    return bottom, high + margin


def _log_range(known: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Widen decimal logarithms to a factor of two at least, and a margin."""
    lows, highs = zip(*known, strict=True)
    low, high = min(lows), max(highs)
    return low - 0.05, max(high, low + 0.3) + 0.05
