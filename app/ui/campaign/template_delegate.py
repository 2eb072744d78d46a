"""How a campaign on offer is drawn: its name with its facts below."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.operations.editing.templates import Template
from app.ui.kit.theme import Theme
from app.ui.kit.units import clock

_Index = QModelIndex | QPersistentModelIndex
TEMPLATE = Qt.ItemDataRole.UserRole
_HEAD, _LINE, _NAME = 30, 46, 18
MARGIN = 12
_SPARE = 3
"""Pixels by which a line that is elided may be wider than its advance."""


def facts_of(template: Template) -> str:
    """Tell how long it takes and whether it writes."""
    if template.campaign is None:
        return "has a mistake"
    parts = [
        f"{template.runs} {'run' if template.runs == 1 else 'runs'}",
        clock(template.duration_s),
        template.loss,
    ]
    return " \N{MIDDLE DOT} ".join(parts)


def _font(option: QStyleOptionViewItem) -> QFont:
    font = QFont(option.font)
    font.setWeight(QFont.Weight.Medium)
    return font


def _lines(name: str, font: QFont, room: int) -> list[str]:
    """Break a name into two lines at most."""
    metrics = QFontMetrics(font)
    words = name.split()
    first = words[:1]
    while len(first) < len(words):
        longer = words[: len(first) + 1]
        if metrics.horizontalAdvance(" ".join(longer)) > room - _SPARE:
            break
        first = longer
    rest = " ".join(words[len(first) :])
    right = Qt.TextElideMode.ElideRight
    found = [metrics.elidedText(" ".join(first), right, room)]
    return [*found, metrics.elidedText(rest, right, room)] if rest else found


class TemplateDelegate(QStyledItemDelegate):
    """Draws a name with its facts below; headings have no template."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Room for its lines in the width of the list."""
        template = index.data(TEMPLATE)
        if not isinstance(template, Template):
            return QSize(0, _HEAD)
        view = self.parent()
        room = view.viewport().width() if isinstance(view, QListView) else 0
        lines = len(_lines(template.name, _font(option), room - 2 * MARGIN))
        return QSize(0, _LINE + (lines - 1) * _NAME)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: _Index
    ) -> None:
        """Draw one row."""
        template = index.data(TEMPLATE)
        tokens = self._theme.tokens
        room: QRect = option.rect
        painter.save()
        inner = room.adjusted(MARGIN, 0, -MARGIN, 0)
        if template is None:
            font = QFont(option.font)
            font.setPointSizeF(font.pointSizeF() - 1)
            font.setWeight(QFont.Weight.DemiBold)
            painter.setFont(font)
            painter.setPen(QColor(tokens.muted))
            inner.setTop(inner.top() + 8)
            painter.drawText(inner, int(Qt.AlignmentFlag.AlignVCenter), index.data())
            painter.restore()
            return
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(room, QColor(tokens.accent_soft))
            bar = QRect(room.left(), room.top(), 3, room.height())
            painter.fillRect(bar, QColor(tokens.accent))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(room, QColor(tokens.raised))
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        font = _font(option)
        painter.setFont(font)
        painter.setPen(QColor(tokens.text))
        top = room.top() + 5
        for line in _lines(template.name, font, inner.width()):
            painter.drawText(
                QRect(inner.left(), top, inner.width(), _NAME), middle, line
            )
            top += _NAME
        lower = QRect(inner.left(), top, room.right() - inner.left(), 17)
        font.setWeight(QFont.Weight.Normal)
        font.setPointSizeF(font.pointSizeF() - 1)
        painter.setFont(font)
        is_wrong = template.campaign is None
        painter.setPen(QColor(tokens.error if is_wrong else tokens.muted))
        painter.drawText(lower, middle, facts_of(template))
        painter.restore()
