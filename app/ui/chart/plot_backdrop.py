"""What lies behind the curves of a plot: it fills the plot and never widens it."""

import pyqtgraph as pg
from PySide6.QtCore import QRectF


class PlotBackdrop(pg.GraphicsObject):  # type: ignore[misc]
    """An item as large as what the plot shows, whatever that is."""

    def boundingRect(self) -> QRectF:
        """Cover whatever the plot shows."""
        return QRectF(self.viewRect())

    def viewTransformChanged(self) -> None:
        """Follow zoom and pan."""
        self.prepareGeometryChange()
        super().viewTransformChanged()

    def dataBounds(self, *_: object, **__: object) -> tuple[None, None]:
        """Stay out of the plot's own range."""
        return None, None
