"""What a plot shows behind its curves: measured windows and gaps."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.ui.chart.plot_backdrop import PlotBackdrop
from app.ui.chart.spans import Span

_BAR = 7.0
"""Height of a bar in pixels."""


class Spans(PlotBackdrop):
    """Stretches of time shaded over the whole height of a plot, or in a low bar.

    Args:
        hatched: Whether the shade is a pattern.
        bar: Which bar from the bottom of the plot; 0 for the whole height.
    """

    def __init__(self, *, hatched: bool, bar: int = 0) -> None:
        super().__init__()
        self._spans: tuple[Span, ...] = ()
        self._brush = QBrush()
        self._pen = QPen(Qt.PenStyle.NoPen)
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

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,  # noqa: ARG002
        widget: QWidget | None = None,  # noqa: ARG002
    ) -> None:
        """Paint in pixels, so that the hatching is not stretched."""
        view = QRectF(self.viewRect())
        transform = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        for span in self._spans:
            left, right = max(span.start, view.left()), min(span.end, view.right())
            if right < left:
                continue
            box = transform.mapRect(
                QRectF(left, view.top(), right - left, view.height())
            )
            box.setWidth(max(box.width(), 1.0))
            if self._bar:
                box.setTop(box.bottom() - self._bar * _BAR)
                box.setHeight(_BAR - 1.0)
            painter.fillRect(box, self._brush)
        painter.restore()
