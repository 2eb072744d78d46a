"""The area of one plot: two axes, a grid, zoom and pan along the time only."""

import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout

from app.ui.chart.axes import VALUE_AXIS_WIDTH, TimeAxis, ValueAxis, colour_axis
from app.ui.kit.palette import Tokens

_LEAST_HEIGHT = 48
_LEAST_WIDTH = 50
_RIGHT_SIDE = 14
_GRID = 0.16


class PlotArea(pg.PlotWidget):  # type: ignore[misc]
    """A plot that says when the mouse has left it.

    Args:
        last: Whether it is the lowest of a stack, which has the numbers of the time.

    Signals:
        mouse_left: The mouse has left.
    """

    mouse_left = Signal()

    def __init__(self, *, last: bool) -> None:
        axes = {"left": ValueAxis(), "bottom": TimeAxis(labelled=last)}
        super().__init__(axisItems=axes, viewBox=pg.ViewBox(enableMenu=False))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMinimumHeight(_LEAST_HEIGHT)
        view = self.getViewBox()
        view.setMouseEnabled(x=True, y=False)
        view.setDefaultPadding(0)
        view.disableAutoRange()
        item = self.getPlotItem()
        item.hideButtons()
        item.setContentsMargins(0, 2, _RIGHT_SIDE, 0)
        if last:
            self._add_unit()

    def _add_unit(self) -> None:
        unit = QLabel("min:s")
        unit.setObjectName("axis")
        unit.setToolTip("Time since the start, in minutes and seconds")
        unit.setFixedWidth(int(VALUE_AXIS_WIDTH) - 8)
        unit.setAlignment(Qt.AlignmentFlag.AlignRight)
        gutter = QVBoxLayout(self)
        gutter.setContentsMargins(0, 0, 0, 4)
        below = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft
        gutter.addWidget(unit, 0, below)

    @property
    def inner_width(self) -> int:
        """Width between the axes, in pixels."""
        return max(int(self.getViewBox().width()), _LEAST_WIDTH)

    @property
    def inner_left(self) -> float:
        """Left edge of what is between the axes, in pixels of this widget."""
        box = self.getViewBox().sceneBoundingRect()
        return float(self.mapFromScene(box.topLeft()).x())

    def set_tokens(self, tokens: Tokens, unit: str) -> None:
        """Take the colours of the theme, and the unit of the values."""
        self.setBackground(tokens.surface)
        colour_axis(self.getAxis("left"), tokens, unit or " ")
        colour_axis(self.getAxis("bottom"), tokens)
        self.showGrid(x=True, y=True, alpha=_GRID)

    def leaveEvent(self, event: QEvent) -> None:
        """Say so."""
        super().leaveEvent(event)
        self.mouse_left.emit()

    def take_apart(self) -> None:
        """Go before Qt takes the parts away in the wrong order."""
        self.hide()
        # What the mouse was over would be told that it has left, when it is no more.
        self.scene().hoverItems.clear()
        self.close()
        self.deleteLater()
