"""What the mouse does in a plot: hover, click, zoom and pan, in seconds."""

from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent
from PySide6.QtCore import QObject, QPoint, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QToolTip

from app.ui.chart.plot_area import PlotArea
from app.ui.chart.plot_marks import PlotMarks


class MouseSignals(QObject):
    """What the mouse does in any plot of a chart.

    Signals:
        hovered: The mouse is at a time in seconds.
        left: It no longer is.
        clicked: The user clicked at a time in seconds.
        range_changed: The user zoomed or panned to (from, to) in seconds.
        reset: The user wants to see everything.
        spanned: The user put the cursors A and B at a time in seconds.
        dragged: The user drags what is compared by a number of seconds; the flag tells
            whether it is let go of.
    """

    hovered = Signal(float)
    left = Signal()
    clicked = Signal(float)
    range_changed = Signal(float, float)
    reset = Signal()
    spanned = Signal(float, float)
    dragged = Signal(float, bool)


class PlotMouse(QObject):
    """Listens to one plot, and says why a gap is one while the mouse is over it.

    Args:
        plot: The plot.
        marks: Its gaps and notes.
        signals: What is told of it.
        parent: The row of the plot.
    """

    def __init__(
        self, plot: PlotArea, marks: PlotMarks, signals: MouseSignals, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._plot = plot
        self._marks = marks
        self._signals = signals
        self._mirrors = False
        self._resting: QPointF | None = None
        plot.getViewBox().sigXRangeChanged.connect(self._tell_range)
        plot.scene().sigMouseMoved.connect(self._moved)
        plot.scene().sigMouseClicked.connect(self._click)
        plot.mouse_left.connect(self._leave)
        view = plot.getViewBox()
        view.spanned.connect(signals.spanned)
        view.dragged.connect(signals.dragged)
        for end in marks.ends:
            end.sigDragged.connect(self._tell_ends)

    def _tell_ends(self) -> None:
        self._signals.spanned.emit(*(float(end.value()) for end in self._marks.ends))

    def show_range(self, left: float, right: float) -> None:
        """Show this stretch of time, which the user did not ask for."""
        self._mirrors = True
        self._plot.getViewBox().setXRange(left, right, padding=0)
        self._mirrors = False
        if self._resting is not None:  # another moment has come beneath it
            self._signals.hovered.emit(self._seconds_at(self._resting))

    def _seconds_at(self, position: QPointF) -> float:
        return float(self._plot.getViewBox().mapSceneToView(position).x())

    @Slot()
    def _leave(self) -> None:
        self._resting = None
        self._signals.left.emit()

    @Slot(object)
    def _moved(self, position: QPointF) -> None:
        view = self._plot.getViewBox()
        if not view.sceneBoundingRect().contains(position):
            self._leave()
            return
        self._resting = position
        x = self._seconds_at(position)
        self._signals.hovered.emit(x)
        found = self._marks.at(x, view.viewPixelSize()[0])
        if found is not None:
            QToolTip.showText(QCursor.pos() + QPoint(12, 12), found.text, self._plot)
        else:
            QToolTip.hideText()

    @Slot(object)
    def _click(self, event: MouseClickEvent) -> None:
        if event.double():
            self._signals.reset.emit()
        elif event.button() == Qt.MouseButton.LeftButton:
            self._signals.clicked.emit(self._seconds_at(event.scenePos()))

    @Slot(object, object)
    def _tell_range(self, _view: object, span: tuple[float, float]) -> None:
        if not self._mirrors:
            self._signals.range_changed.emit(float(span[0]), float(span[1]))

    def stop(self) -> None:
        """Listen no longer, before the plot is taken apart."""
        self._plot.scene().sigMouseMoved.disconnect(self._moved)
        self._plot.mouse_left.disconnect(self._leave)
        self._plot.getViewBox().sigXRangeChanged.disconnect(self._tell_range)
