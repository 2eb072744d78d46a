"""The strip over the charts that names the steps."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.ui.chart.layers import Phase
from app.ui.kit.clock import clock
from app.ui.kit.palette import Tokens
from app.ui.kit.states import look_of_run

_HEIGHT = 24


class PhaseStrip(QWidget):
    """Boxes with the steps' names, on the time axis of the charts below.

    Signals:
        chosen: The user clicked a step (Phase).
    """

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._phases: tuple[Phase, ...] = ()
        self._range = (0.0, 1.0)
        self._sides = (66.0, 14.0)
        self._tokens: Tokens | None = None
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Steps on the time axis")
        self.setToolTip("Click a step to zoom to it and to see its statistics")

    def sizeHint(self) -> QSize:
        """As wide as it gets."""
        return QSize(200, _HEIGHT)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of the theme."""
        self._tokens = tokens
        self.update()

    def set_phases(self, phases: Sequence[Phase]) -> None:
        """Show these steps."""
        if tuple(phases) != self._phases:
            self._phases = tuple(phases)
            names = ", ".join(f"{phase.label} {_word(phase)}" for phase in phases)
            self.setAccessibleDescription(names)
            self.update()

    def set_range(self, left: float, right: float, sides: tuple[float, float]) -> None:
        """Follow the charts: seconds shown, and pixels left and right of them."""
        if (left, right, sides) != (*self._range, self._sides):
            self._range, self._sides = (left, right), sides
            self.update()

    def _box(self, phase: Phase) -> QRectF:
        left, right = self._range
        width = self.width() - sum(self._sides)
        scale = width / max(right - left, 1e-9)
        start = max(phase.start, left)
        end = min(phase.end, right)
        return QRectF(
            self._sides[0] + (start - left) * scale,
            3,
            (end - start) * scale,
            _HEIGHT - 6,
        )

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Paint a box a step; a name that does not fit is cut with dots."""
        if self._tokens is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = painter.font()
        font.setPointSizeF(8.5)
        painter.setFont(font)
        metrics = painter.fontMetrics()
        for phase in self._phases:
            box = self._box(phase)
            if box.width() < 1.5:
                continue
            bad = phase.state in ("FAIL", "ERROR", "VOID", "ABORTED")
            edge = self._tokens.error if bad else self._tokens.border
            painter.setPen(QPen(QColor(edge), 1))
            painter.setBrush(QColor(self._tokens.raised))
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -1.0, -0.5), 3, 3)
            if box.width() > 26:
                text = f"{phase.label}  {_word(phase)}" if bad else phase.label
                room = int(box.width()) - 12
                shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
                painter.setPen(QColor(self._tokens.error if bad else self._tokens.text))
                painter.drawText(
                    box.adjusted(6, 0, -4, 0),
                    Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
                    shown,
                )
        painter.end()

    def _phase_at(self, x: float) -> Phase | None:
        for phase in self._phases:
            box = self._box(phase)
            if box.left() <= x <= box.right():
                return phase
        return None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Zoom to the step under the mouse."""
        phase = self._phase_at(event.position().x())
        if phase is not None:
            self.chosen.emit(phase)

    def event(self, event: QEvent) -> bool:
        """Tell about the step under the mouse."""
        if isinstance(event, QHelpEvent):
            phase = self._phase_at(event.pos().x())
            if phase is not None:
                span = f"{clock(phase.start)} to {clock(phase.end)}"
                text = f"{phase.label}: {_word(phase) or 'running'}, {span}"
                QToolTip.showText(event.globalPos(), text, self)
                return True
        return super().event(event)


def _word(phase: Phase) -> str:
    return look_of_run(phase.state, phase.marks).word
