"""Axes of a plot: time as m:ss, values with plain numbers, both of one width."""

from collections.abc import Sequence

import pyqtgraph as pg

from app.ui.palette import Tokens
from app.ui.theme import tabular
from app.ui.units import clock

VALUE_AXIS_WIDTH = 66
TIME_AXIS_HEIGHT = 24
_BARE_HEIGHT = 5
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600)
_LONG_STEPS = (900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800)
_PIXELS_A_LABEL = 84


class TimeAxis(pg.AxisItem):  # type: ignore[misc]
    """Seconds from the origin, with ticks on full minutes and hours.

    Args:
        labelled: Whether it shows numbers; only the lowest plot does.
    """

    def __init__(self, *, labelled: bool) -> None:
        super().__init__("bottom")
        self.enableAutoSIPrefix(False)
        self.setStyle(showValues=labelled, tickLength=-4)
        self.setHeight(TIME_AXIS_HEIGHT if labelled else _BARE_HEIGHT)

    def tickSpacing(
        self,
        minVal: float,  # noqa: N803 - pyqtgraph passes it by name
        maxVal: float,  # noqa: N803
        size: float,
    ) -> list[tuple[float, float]]:
        """Choose one spacing so that the labels do not touch."""
        wanted = max(maxVal - minVal, 1e-3) * _PIXELS_A_LABEL / max(size, 1.0)
        for step in (*_STEPS, *_LONG_STEPS):
            if step >= wanted:
                return [(step, 0.0)]
        return [(_LONG_STEPS[-1] * 4, 0.0)]

    def tickStrings(
        self,
        values: Sequence[float],
        scale: float,  # noqa: ARG002
        spacing: float,
    ) -> list[str]:
        """Write ticks as m:ss, with decimals when zoomed in far."""
        fraction = 0 if spacing >= 1 else 1 if spacing >= 0.1 else 2
        return [clock(value, fraction=fraction) for value in values]


class ValueAxis(pg.AxisItem):  # type: ignore[misc]
    """Values in the shown unit, of a fixed width so that stacked plots align."""

    def __init__(self) -> None:
        super().__init__("left")
        self.enableAutoSIPrefix(False)
        self.setWidth(VALUE_AXIS_WIDTH)
        self.setStyle(tickLength=-4, autoExpandTextSpace=False)

    def tickStrings(
        self,
        values: Sequence[float],
        scale: float,  # noqa: ARG002
        spacing: float,
    ) -> list[str]:
        """Write large ticks with k or M and all with equally many decimals."""
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
    axis.setPen(pg.mkPen(tokens.edge, width=1))
    axis.setTextPen(pg.mkPen(tokens.muted))
    axis.setTickFont(tabular(8.5))
    if unit:
        axis.setLabel(unit, **{"color": tokens.muted, "font-size": "8.5pt"})
    else:
        axis.showLabel(False)
