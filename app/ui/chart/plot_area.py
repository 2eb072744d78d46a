"""The area of one plot: two axes, a grid, zoom and pan along the time only."""

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseDragEvent
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout

from app.ui.kit.clock import clock
from app.ui.kit.palette import Tokens
from app.ui.kit.theme import tabular

VALUE_AXIS_WIDTH, RIGHT_AXIS_WIDTH = 66, 58
TIME_AXIS_HEIGHT = 24
_BARE_HEIGHT = 5
_STEPS = (
    *(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900),
    *(1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800),
)
_PIXELS_A_LABEL = 84
_PIXELS_A_LINE, _PIXELS_A_NUMBER, _PIXELS_A_DIGIT = 18, 14, 9
"""Between lines at best, as high as a number with its room, and as its digits alone."""

_ROUND = ((1, 2, 5), (2.5, 4), (1.5, 3, 6, 8))
"""Steps for a low plot, the first that fit."""

_BELOW = -100
_HOUR_S, _DAY_S = 3600, 86400


class _Axis(pg.AxisItem):  # type: ignore[misc]
    """An axis that draws its ticks and grid itself, opaque and below the curves.

    pyqtgraph draws ticks and grid half transparent, from a QPicture. Qt's raster
    engine needs 15 times as long for a half transparent line as for an opaque one:
    with it the grids were most of a live chart's time.

    Args:
        side: Where it is.
        spacing: Gives how far apart ticks are, of a span drawn on this many pixels.
    """

    ground = QColor("white")
    """The colour behind it, which half transparent lines are mixed with."""

    def __init__(self, side: str, spacing: Callable[[float, float], float]) -> None:
        super().__init__(side)
        self._spacing = spacing
        self.enableAutoSIPrefix(False)

    def paint(self, p: QPainter, opt: object, widget: object) -> None:  # noqa: ARG002
        """Draw the ticks; worked out only when the range has changed."""
        if self.picture is None:
            p.setFont(self.style["tickFont"] or p.font())
            specs = self.generateDrawSpecs(p)
            if specs is None:
                return
            axis, ticks, texts = specs
            opaque = [(_mixed(pen, self.ground), *ends) for pen, *ends in ticks]
            self.picture: Any = (axis, opaque, texts)
        self.drawPicture(p, *self.picture)

    def tickSpacing(
        self,
        minVal: float,  # noqa: N803 - pyqtgraph passes it by name
        maxVal: float,  # noqa: N803
        size: float,
    ) -> list[tuple[float, float]]:
        """Space the ticks in one way only: pyqtgraph would add finer levels."""
        return [(self._spacing(maxVal - minVal, max(size, 1.0)), 0.0)]


def _mixed(pen: QPen, ground: QColor) -> QPen:
    """Make a pen that looks on a ground as a half transparent one does."""
    ink = pen.color()
    share = ink.alphaF()

    def mix(above: float, below: float) -> float:
        return above * share + below * (1 - share)

    colour = QColor.fromRgbF(
        mix(ink.redF(), ground.redF()),
        mix(ink.greenF(), ground.greenF()),
        mix(ink.blueF(), ground.blueF()),
    )
    return QPen(colour, 1)


def time_spacing(span: float, pixels: float) -> float:
    """Space seconds by full minutes, hours or weeks, so that no labels touch."""
    wanted = max(span, 1e-3) * _PIXELS_A_LABEL / pixels
    week = _STEPS[-1]
    weeks = float(week * math.ceil(wanted / week))
    return next((step for step in _STEPS if step >= wanted), weeks)


class TimeAxis(_Axis):
    """Seconds from the origin, with ticks on full minutes and hours.

    Args:
        labelled: Whether it shows numbers; only the lowest plot does.
    """

    def __init__(self, *, labelled: bool) -> None:
        super().__init__("bottom", time_spacing)
        self.setStyle(showValues=labelled, tickLength=-4)
        self.setHeight(TIME_AXIS_HEIGHT if labelled else _BARE_HEIGHT)

    def tickStrings(
        self,
        values: Sequence[float],
        scale: float,  # noqa: ARG002
        spacing: float,
    ) -> list[str]:
        """Write ticks as m:ss, with decimals when zoomed in far; days in full."""
        if spacing >= _DAY_S:
            return [f"{value / _DAY_S:.0f} d" for value in values]
        fraction = 0 if spacing >= 1 else 1 if spacing >= 0.1 else 2
        return [clock(value, fraction=fraction) for value in values]


def value_spacing(span: float, pixels: float) -> float:
    """Space values by 1, 2 or 5 times a power of ten: grid lines with room.

    Closer in a low plot that would have one number, as that tells no scale; what is at
    an end of the axis has none.
    """
    span = max(span, 1e-12)
    wanted = span * _PIXELS_A_LINE / pixels
    power = 10.0 ** math.floor(math.log10(wanted))
    step = power * next(
        one for one in (1, 2, 5, 10) if one * power >= wanted * (1 - 1e-9)
    )
    most = span * (1 - _PIXELS_A_NUMBER / pixels) / 2
    if step <= most:
        return step
    least = span * _PIXELS_A_DIGIT / pixels
    power = 10.0 ** math.floor(math.log10(least))
    for round_ones in _ROUND:
        steps = [one * power * ten for one in round_ones for ten in (1, 10)]
        if fitting := [one for one in steps if least <= one <= most]:
            return max(fitting)
    return step


class ValueAxis(_Axis):
    """Values in the shown unit, of a fixed width so that stacked plots align.

    Args:
        side: "left"; or "right", whose range is not that of the plot: it is set.
    """

    is_log = False
    """Whether what it is given are decimal logarithms of the values."""

    def __init__(self, side: str = "left") -> None:
        super().__init__(side, value_spacing)
        self._is_free = side == "right"
        self.setWidth(RIGHT_AXIS_WIDTH if self._is_free else VALUE_AXIS_WIDTH)
        self.setStyle(tickLength=-4, autoExpandTextSpace=False)

    def linkedViewChanged(
        self,
        view: pg.ViewBox,
        newRange: object = None,  # noqa: N803
    ) -> None:
        """Follow the plot, but at the right."""
        if not self._is_free:
            super().linkedViewChanged(view, newRange)

    def tickValues(
        self,
        minVal: float,  # noqa: N803
        maxVal: float,  # noqa: N803
        size: float,
    ) -> list[tuple[float, list[float]]]:
        """Put ticks at full decades where it is logarithmic, at 2 and 5 with room."""
        if not self.is_log:
            found: list[tuple[float, list[float]]] = super().tickValues(
                minVal, maxVal, size
            )
            return found
        room = size / max(maxVal - minVal, 1e-9) > 3 * _PIXELS_A_LINE
        steps = (1, 2, 5) if room else (1,)
        decades = range(math.floor(minVal), math.ceil(maxVal) + 1)
        ticks = [decade + math.log10(step) for decade in decades for step in steps]
        return [(1.0, [tick for tick in ticks if minVal <= tick <= maxVal])]

    def tickStrings(
        self,
        values: Sequence[float],
        scale: float,  # noqa: ARG002
        spacing: float,
    ) -> list[str]:
        """Write large ticks with k or M and all with equally many decimals."""
        if self.is_log:
            return [f"{float(f'{10.0**value:.1g}'):g}" for value in values]
        largest = max((abs(value) for value in values), default=0.0)
        factor, suffix = 1.0, ""
        if largest >= 1e6:
            factor, suffix = 1e6, " M"
        elif largest >= 2e4:
            factor, suffix = 1e3, " k"
        step = spacing / factor
        decimals = 0
        while decimals < 4 and abs(step - round(step, decimals)) > step * 1e-6:
            decimals += 1
        return [
            f"{value / factor:.{decimals}f}{suffix}" if value else "0"
            for value in values
        ]


def colour_axis(axis: pg.AxisItem, tokens: Tokens, unit: str = "") -> None:
    """Give an axis the colours of the theme, and its unit as the label."""
    axis.ground = QColor(tokens.surface)
    axis.setZValue(_BELOW)  # pyqtgraph puts it, and the grid with it, on top
    axis.setPen(pg.mkPen(tokens.edge, width=1))
    axis.setTextPen(pg.mkPen(tokens.muted))
    axis.setTickFont(tabular(8.5))
    if unit:
        axis.setLabel(escape(unit), **{"color": tokens.muted, "font-size": "8.5pt"})
    else:
        axis.showLabel(False)


class PlotView(pg.ViewBox):  # type: ignore[misc]
    """What is between the axes; a drag pans it.

    Signals:
        spanned: Dragged with Shift from here to there, in seconds.
        dragged: Dragged with Ctrl by a number of seconds, and whether it is let go of.
    """

    spanned = Signal(float, float)
    dragged = Signal(float, bool)

    def mouseDragEvent(self, ev: MouseDragEvent, axis: int | None = None) -> None:
        """Pan, or tell of a drag with Shift or Ctrl."""
        keys = ev.modifiers()
        is_left = ev.button() == Qt.MouseButton.LeftButton
        spans = bool(keys & Qt.KeyboardModifier.ShiftModifier)
        if not is_left or not (spans or keys & Qt.KeyboardModifier.ControlModifier):
            super().mouseDragEvent(ev, axis)
            return
        ev.accept()
        start, now = (
            float(self.mapSceneToView(point).x())
            for point in (ev.buttonDownScenePos(), ev.scenePos())
        )
        if spans:
            self.spanned.emit(start, now)
        else:
            self.dragged.emit(now - start, ev.isFinish())


_LEAST_HEIGHT = 78
"""Pixels with the numbers of the time; what is lower shows no course."""
_LEAST_WIDTH = 50
RIGHT_SIDE = 14
"""Pixels beside a plot without an axis at the right."""

_GRID = 0.28


class PlotArea(pg.PlotWidget):  # type: ignore[misc]
    """A plot that says when the mouse has left it.

    Args:
        last: Whether it is the lowest of a stack, which has the numbers of the time.

    Signals:
        mouse_left: The mouse has left.
    """

    mouse_left = Signal()

    def __init__(self, *, last: bool) -> None:
        axes = {
            "left": ValueAxis(),
            "right": ValueAxis("right"),
            "bottom": TimeAxis(labelled=last),
        }
        super().__init__(axisItems=axes, viewBox=PlotView(enableMenu=False))
        for one in (self, self.viewport()):
            one.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAcceptDrops(False)  # the row takes what is dropped
        self.setMinimumHeight(_LEAST_HEIGHT)
        view = self.getViewBox()
        view.setMouseEnabled(x=True, y=False)
        view.setDefaultPadding(0)
        view.disableAutoRange()
        item = self.getPlotItem()
        item.hideButtons()
        item.hideAxis("right")
        item.setContentsMargins(0, 2, RIGHT_SIDE, 0)
        if last:
            self._add_unit()

    def _add_unit(self) -> None:
        unit = QLabel("")
        unit.setObjectName("axis")
        unit.setToolTip("Time since the start")
        unit.setFixedWidth(int(VALUE_AXIS_WIDTH) - 8)
        unit.setAlignment(Qt.AlignmentFlag.AlignRight)
        gutter = QVBoxLayout(self)
        gutter.setContentsMargins(0, 0, 0, 4)
        below = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft
        gutter.addWidget(unit, 0, below)

        def name_unit(_view: object, span: tuple[float, float]) -> None:
            longest = max(abs(second) for second in span)
            unit.setText("h:min:s" if longest >= _HOUR_S else "min:s")

        self.getViewBox().sigXRangeChanged.connect(name_unit)
        name_unit(None, (0.0, 0.0))

    @property
    def inner_width(self) -> int:
        """Width between the axes, in pixels."""
        return max(int(self.getViewBox().width()), _LEAST_WIDTH)

    @property
    def inner_left(self) -> float:
        """Left edge of what is between the axes, in pixels of this widget."""
        box = self.getViewBox().sceneBoundingRect()
        return float(self.mapFromScene(box.topLeft()).x())

    def set_log(self, *, log: bool) -> None:
        """Take decimal logarithms for the values, or the values themselves."""
        for side in ("left", "right"):
            axis = self.getAxis(side)
            if axis.is_log != log:
                axis.is_log = log
                axis.picture = None
                axis.update()

    def set_right(self, *, shown: bool, room: int) -> None:
        """Have an axis at the right, or as much room as plots that have one."""
        item = self.getPlotItem()
        item.showAxis("right", shown)
        own = RIGHT_AXIS_WIDTH if shown else 0
        item.setContentsMargins(0, 2, max(room - own, 0), 0)

    def show_times(self, *, shown: bool) -> None:
        """Have the numbers of the time at the bottom, or none."""
        axis = self.getAxis("bottom")
        axis.setStyle(showValues=shown)
        axis.setHeight(TIME_AXIS_HEIGHT if shown else _BARE_HEIGHT)

    def set_tokens(self, tokens: Tokens, unit: str, right: str = "") -> None:
        """Take the colours of the theme, and the units of the values."""
        self.setBackground(tokens.surface)
        colour_axis(self.getAxis("left"), tokens, unit or " ")
        colour_axis(self.getAxis("right"), tokens, right or " ")
        colour_axis(self.getAxis("bottom"), tokens)
        self.showGrid(x=True, y=True, alpha=_GRID)
        self.getAxis("right").setGrid(False)  # one grid is enough

    def leaveEvent(self, event: QEvent) -> None:
        """Say so."""
        super().leaveEvent(event)
        self.mouse_left.emit()

    def take_apart(self) -> None:
        """Go before Qt takes the parts away in the wrong order."""
        self.hide()
        # What the mouse was over would be told that it has left, when it is gone.
        self.scene().hoverItems.clear()
        self.close()
        self.deleteLater()
