"""The strip over the charts with a flag for each event; flags that touch are one."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.ui.chart.flags import Flag, clusters
from app.ui.kit.clock import clock
from app.ui.kit.palette import Tokens
from app.ui.kit.theme import tabular
from instruments.sizes import counted

_HEIGHT = 16
_ROOM = 18
"""Pixels that a flag takes; nearer ones are put together."""

_LISTED = 8
"""So many of a cluster are named in its tip."""

_STEPS = {int(Qt.Key.Key_Left): -1, int(Qt.Key.Key_Right): 1}
_CHOOSE = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)

_Cluster = tuple[Flag, ...]


class FlagStrip(QWidget):
    """Flags on the time axis of the charts below.

    Signals:
        chosen: The user wants to see this one (Flag) in the log.
        hovered: The mouse, or the chosen flag, is at so many seconds; None for none.
    """

    chosen = Signal(object)
    hovered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._flags: tuple[Flag, ...] = ()
        self._range = (0.0, 1.0)
        self._sides = (66.0, 14.0)
        self._tokens: Tokens | None = None
        self._at: Flag | None = None
        self._room = 0.0
        self._clusters: list[_Cluster] = []
        self._shown: list[_Cluster] | None = None
        self.setFixedHeight(_HEIGHT)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Events on the time axis")
        self.setToolTip("Events and notes; a click, or Enter, shows one in the log")

    def sizeHint(self) -> QSize:
        """As wide as it gets."""
        return QSize(200, _HEIGHT)

    @property
    def flags(self) -> tuple[Flag, ...]:
        """All flags, in the order of time."""
        return self._flags

    @property
    def shown(self) -> list[_Cluster]:
        """Those that can be seen, put together where they would touch."""
        if self._shown is None:
            # Rounded: what a view is wide differs in its last digits while it is moved.
            room = float(f"{_ROOM / self._scale:.6g}")
            if self._room != room:
                # Of all flags, so that none changes its cluster with what is in view.
                self._room, self._clusters = room, clusters(self._flags, room)
            self._shown = [one for one in self._clusters if self._first(one)]
        return self._shown

    def _first(self, cluster: _Cluster) -> Flag | None:
        """Get the first flag of a cluster in view: there it stands."""
        left, right = self._range
        return next((one for one in cluster if left <= one.x <= right), None)

    @property
    def _scale(self) -> float:
        """Pixels of a second."""
        left, right = self._range
        return max(self.width() - sum(self._sides), 1.0) / max(right - left, 1e-9)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of the theme."""
        self._tokens = tokens
        self.update()

    def set_flags(self, flags: Sequence[Flag]) -> None:
        """Show these."""
        if tuple(flags) != self._flags:
            self._flags, self._room = tuple(flags), 0.0
            self._changed()

    def set_range(self, left: float, right: float, sides: tuple[float, float]) -> None:
        """Follow the charts: seconds shown, and pixels left and right of them."""
        if (left, right, sides) != (*self._range, self._sides):
            self._range, self._sides = (left, right), sides
            self._changed()

    def _changed(self) -> None:
        self._shown = None
        self.update()

    def event(self, event: QEvent) -> bool:
        """Tell about the flags under the mouse."""
        if event.type() == QEvent.Type.Resize:
            self._changed()
        if isinstance(event, QHelpEvent):
            found = self._cluster_at(event.pos().x())
            if found is not None:
                QToolTip.showText(event.globalPos(), _text(found), self)
                return True
        return super().event(event)

    def _place(self, cluster: _Cluster) -> float:
        at = (self._first(cluster) or cluster[0]).x
        return self._sides[0] + (at - self._range[0]) * self._scale

    def _cluster_at(self, x: float) -> _Cluster | None:
        near = [one for one in self.shown if -4 <= x - self._place(one) < _ROOM]
        return near[-1] if near else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show in the charts where a flag is."""
        found = self._cluster_at(event.position().x())
        first = self._first(found) if found is not None else None
        self.hovered.emit(first.x if first is not None else None)
        hand = Qt.CursorShape.PointingHandCursor
        self.setCursor(hand if found is not None else Qt.CursorShape.ArrowCursor)

    def leaveEvent(self, event: QEvent) -> None:
        """Show it no longer."""
        super().leaveEvent(event)
        self.hovered.emit(None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the flag under the mouse."""
        found = self._cluster_at(event.position().x())
        if found is not None:
            self._choose(found)

    def _choose(self, cluster: _Cluster) -> None:
        """Take the one of a cluster that matters most; again and again, the next."""
        order = sorted(cluster, key=lambda flag: (flag.rank, flag.t_ns))
        again = order.index(self._at) + 1 if self._at in order else 0
        self._at = order[again % len(order)]
        self.update()
        self.chosen.emit(self._at)

    def mark(self, flag_id: int) -> None:
        """Mark the flag of an event, which was chosen elsewhere."""
        self._at = next((one for one in self._flags if one.id == flag_id), None)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from flag to flag, and choose one."""
        key, shown = event.key(), self.shown
        place = next((n for n, one in enumerate(shown) if self._at in one), None)
        if shown and key in _CHOOSE:
            self._choose(shown[place or 0])
        elif shown and key in _STEPS:
            if place is None:  # from before the first, or from behind the last
                place = -1 if _STEPS[key] > 0 else len(shown)
            place = min(max(place + _STEPS[key], 0), len(shown) - 1)
            self._show(shown[place])
        else:
            super().keyPressEvent(event)

    def _show(self, cluster: _Cluster) -> None:
        """Go to a cluster: its tip, and the crosshair of the charts there."""
        self._at = self._first(cluster) or cluster[0]
        self.setAccessibleDescription(_text(cluster))
        self.hovered.emit(self._at.x)
        at = self.mapToGlobal(QPointF(self._place(cluster), _HEIGHT)).toPoint()
        QToolTip.showText(at, _text(cluster), self)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Let go of the crosshair."""
        super().focusOutEvent(event)
        self.hovered.emit(None)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Paint a pole and a pennant each; a cluster has its number on it."""
        tokens = self._tokens
        if tokens is None:
            return
        colours = {
            "error": tokens.error,
            "warning": tokens.warn,
            "note": tokens.accent,
            "info": tokens.muted,
        }
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(tabular(7.5))
        for cluster in self.shown:
            worst = min(cluster, key=lambda flag: flag.rank)
            colour = QColor(colours.get(worst.level, tokens.muted))
            x = self._place(cluster)
            painter.setPen(QPen(colour, 1.2))
            painter.drawLine(QPointF(x, 2), QPointF(x, _HEIGHT))
            painter.setBrush(colour)
            if len(cluster) == 1:
                corners = (QPointF(x, 2), QPointF(x + 8, 5.5), QPointF(x, 9))
                painter.drawPolygon(QPolygonF(corners))
            else:
                many = len(cluster)
                box = QRectF(x, 1.5, 15, 10.5)
                painter.drawRect(box)
                painter.setPen(QColor(tokens.surface))
                middle = Qt.AlignmentFlag.AlignCenter
                painter.drawText(box, middle, str(many) if many < 100 else "99+")
            if self._at in cluster:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(tokens.text), 1))
                painter.drawRect(QRectF(x - 2.5, 0.5, 20, _HEIGHT - 1.5))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(tokens.accent), 1))
            painter.drawRect(QRectF(0.5, 0.5, self.width() - 1, _HEIGHT - 1))
        painter.end()


def _text(cluster: _Cluster) -> str:
    lines = [f"{clock(one.x, fraction=1)}  {one.text[:120]}" for one in cluster]
    more = len(lines) - _LISTED
    if more > 0:
        lines = [*lines[:_LISTED], f"and {counted(more, 'more event')}"]
    return "\n".join(lines)
