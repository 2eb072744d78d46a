"""What lies behind the curves of a plot: it fills the plot and never widens it."""

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget


class PlotBackdrop(pg.GraphicsObject):  # type: ignore[misc]
    """An item as large as what the plot shows, whatever that is."""

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
        self.draw(painter, QRectF(self.viewRect()), transform)
        painter.restore()

    def draw(self, painter: QPainter, values: QRectF, to_pixels: QTransform) -> None:
        """Draw what there is of these values."""
        raise NotImplementedError

    def dataBounds(self, *_: object, **__: object) -> tuple[None, None]:
        """Stay out of the plot's own range."""
        return None, None
