"""The enclosure as rows of slots, each coloured by its temperature."""

import math
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.ui.kit.theme import Theme, tabular
from app.ui.session.slots.heat import heat, ink_on
from app.ui.session.slots.values import SlotState
from instruments.errors import one_line

_GAP = 3.0
_MARGIN = 12.0
_TALLEST = 120.0
_WIDEST = 150.0
_STEPS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class SlotMap(QWidget):
    """Draws slots; a slot without a value is hatched and says why.

    Signals:
        chosen: A slot was clicked or reached with the arrow keys (its location).
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: list[list[str]] = []
        self._state = SlotState()
        self._is_rise = False
        self._chosen = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Slots of the enclosure")
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Room for 4 x 15 slots that can be read."""
        return QSize(900, 340)

    def minimumSizeHint(self) -> QSize:
        """Small, but still with numbers."""
        return QSize(360, 70)

    @property
    def chosen_slot(self) -> str:
        """The location of the chosen slot, or ""."""
        return self._chosen

    def set_rows(self, rows: Sequence[Sequence[str]]) -> None:
        """Say where slots are: rows of locations from top to bottom, "" for none."""
        self._rows = [list(row) for row in rows]
        self.update()

    def set_state(self, state: SlotState, *, rise: bool) -> None:
        """Show other values.

        Args:
            state: The values.
            rise: Whether to write kelvins over the inlet instead of degC.
        """
        self._state, self._is_rise = state, rise
        self.setAccessibleDescription(state.summary)
        self.update()

    def text_of(self, name: str) -> str:
        """Write a slot's value as it is drawn, "" where it has none."""
        slot = self._state.slots.get(name)
        if slot is None or math.isnan(slot.temperature):
            return ""
        value = self._state.rise(name) if self._is_rise else slot.temperature
        if math.isnan(value):
            return ""
        return f"{value:+.1f}" if self._is_rise else f"{value:.1f}"

    def colour_of(self, name: str) -> QColor | None:
        """Get a slot's colour, None where it has no value."""
        slot = self._state.slots.get(name)
        if slot is None or math.isnan(slot.temperature):
            return None
        low, high = self._state.low, self._state.high
        return heat((slot.temperature - low) / (high - low))

    def tip_of(self, name: str) -> str:
        """Say all that is known of a slot."""
        slot = self._state.slots.get(name)
        if slot is None:
            return f"{name}: not recorded"
        if math.isnan(slot.temperature):
            return f"{name}: gap ({slot.reason})"
        text = f"{name}: {slot.temperature:.1f} °C"
        rise = self._state.rise(name)
        return text if math.isnan(rise) else f"{text}, {rise:+.1f} K over the inlet"

    def rect_of(self, name: str) -> QRectF:
        """Get where a slot is drawn; empty where it is not."""
        return next((rect for one, rect in self._places() if one == name), QRectF())

    def _places(self) -> list[tuple[str, QRectF]]:
        columns = max((len(row) for row in self._rows), default=0)
        if not columns:
            return []
        wide = (self.width() - 2 * _MARGIN + _GAP) / columns - _GAP
        high = (self.height() - 2 * _MARGIN + _GAP) / len(self._rows) - _GAP
        wide, high = min(wide, _WIDEST), min(high, _TALLEST)
        left = (self.width() - columns * (wide + _GAP) + _GAP) / 2
        return [
            (
                name,
                QRectF(
                    left + column * (wide + _GAP),
                    _MARGIN + y * (high + _GAP),
                    wide,
                    high,
                ),
            )
            for y, row in enumerate(self._rows)
            for column, name in enumerate(row)
            if name
        ]

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Draw every slot."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for name, rect in self._places():
            self._paint_slot(painter, name, rect)

    def _paint_slot(self, painter: QPainter, name: str, rect: QRectF) -> None:
        tokens = self._theme.tokens
        ground = self.colour_of(name)
        painter.setPen(QPen(QColor(tokens.border), 1))
        painter.setBrush(QColor(tokens.window) if ground is None else ground)
        painter.drawRoundedRect(rect, 4, 4)
        if ground is None and name in self._state.slots:
            painter.setPen(Qt.PenStyle.NoPen)
            brush = QColor(tokens.muted)
            brush.setAlpha(90)
            painter.setBrush(brush)
            painter.setBrush(Qt.BrushStyle.BDiagPattern)
            painter.drawRoundedRect(rect, 4, 4)
        if name == self._chosen:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(tokens.text), 2))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 4, 4)
        ink = QColor(tokens.muted) if ground is None else ink_on(ground)
        self._paint_words(painter, name, rect, ink)

    def _paint_words(
        self, painter: QPainter, name: str, rect: QRectF, ink: QColor
    ) -> None:
        small = tabular(max(6.5, min(8.0, rect.height() / 6)))
        painter.setPen(ink)
        painter.setFont(small)
        number = one_line(name.removeprefix("slot"))
        inside = rect.adjusted(5, 3, -4, -3)
        corner = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        if rect.height() >= 30:
            painter.drawText(inside, int(corner), number)
        text = self.text_of(name)
        size = max(7.0, min(13.0, rect.width() / 4.6, rect.height() / 3.2))
        painter.setFont(tabular(size, QFont.Weight.DemiBold))
        low = inside.adjusted(0, 8 if rect.height() >= 30 else 0, 0, 0)
        if not text and name in self._state.slots:
            text = "gap"  # a bay that is not recorded, or not read yet, is empty
        painter.drawText(low, int(Qt.AlignmentFlag.AlignCenter), text)

    def event(self, event: QEvent) -> bool:
        """Show what is known of the slot under the mouse."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            name = self._at(QPointF(event.pos()))
            QToolTip.showText(
                event.globalPos(), self.tip_of(name) if name else "", self
            )
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the slot under the mouse."""
        self._choose(self._at(event.position()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from slot to slot with the arrow keys."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        self._choose(self._beside(*step))

    def _beside(self, down: int, right: int) -> str:
        for y, row in enumerate(self._rows):
            if self._chosen and self._chosen in row:
                place, line = row.index(self._chosen) + right, y + down
                inside = 0 <= line < len(self._rows)
                inside = inside and 0 <= place < len(self._rows[line])
                return (self._rows[line][place] if inside else "") or self._chosen
        return next((name for row in self._rows for name in row if name), "")

    def _at(self, point: QPointF) -> str:
        return next((name for name, rect in self._places() if rect.contains(point)), "")

    def _choose(self, name: str) -> None:
        if name != self._chosen:
            self._chosen = name
            self.chosen.emit(name)
            self.update()
