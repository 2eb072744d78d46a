"""What lies behind the curves of a plot: it fills the plot and never widens it."""

from collections.abc import Callable

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget


class PlotBackdrop(pg.GraphicsObject):  # type: ignore[misc]
    """An item as large as what the plot shows, whatever that is.

    Args:
        draw: Draws what there is of the values that the plot shows; gets them, and the
            way from them to pixels.
    """

    def __init__(self, draw: Callable[[QPainter, QRectF, QTransform], None]) -> None:
        super().__init__()
        self._content = draw

    def boundingRect(self) -> QRectF:
        """Cover whatever the plot shows."""
        return QRectF(self.viewRect())

    def viewTransformChanged(self) -> None:
        """Follow zoom and pan."""
        self.prepareGeometryChange()
        super().viewTransformChanged()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,  # noqa: ARG002
        widget: QWidget | None = None,  # noqa: ARG002
    ) -> None:
        """Paint in pixels, so that nothing is stretched with the values."""
        transform = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        self._content(painter, QRectF(self.viewRect()), transform)
        painter.restore()

    def dataBounds(self, *_: object, **__: object) -> tuple[None, None]:
        """Stay out of the plot's own range."""
        return None, None
