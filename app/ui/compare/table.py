"""The compared tables on screen: every metric of a step in one cell of two lines."""

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Slot,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.ui.compare.model import PARTS_ROLE, CompareModel, Parts
from app.ui.kit.tables import SpreadTable
from app.ui.kit.theme import Theme, tabular

_Index = QModelIndex | QPersistentModelIndex
_ROW_HEIGHT = 40
_PAD = 8
_BETWEEN = 10
_SMALL = 8.75


class CompareDelegate(QStyledItemDelegate):
    """Paints A and B in the colours of their traces, the difference below."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._font = tabular(0, QFont.Weight.Medium)
        self._small = tabular(_SMALL)

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Room for the wider of the two lines."""
        parts: Parts | None = index.data(PARTS_ROLE)
        if parts is None:
            return QSize(super().sizeHint(option, index).width(), _ROW_HEIGHT)
        width, small = QFontMetrics(self._font), QFontMetrics(self._small)
        both = sum(width.horizontalAdvance(one) for one in parts.values) + _BETWEEN
        below = small.horizontalAdvance(parts.change)
        return QSize(max(both, below) + 2 * _PAD, _ROW_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: _Index
    ) -> None:
        """Paint one cell; a step that only one session has stays half empty."""
        parts: Parts | None = index.data(PARTS_ROLE)
        if parts is None:
            super().paint(painter, option, index)
            return
        self.initStyleOption(option, index)
        option.text = ""
        style = option.widget.style()
        style.drawControl(
            QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget
        )
        box: QRect = option.rect
        tokens = self._theme.tokens
        painter.save()
        painter.setFont(self._font)
        right = box.right() - _PAD
        for number, text in reversed(list(enumerate(parts.values))):
            width = painter.fontMetrics().horizontalAdvance(text)
            painter.setPen(tokens.trace(number))
            _write(painter, right, box.top() + 3, width, text)
            right -= width + _BETWEEN
        painter.setFont(self._small)
        painter.setPen(QColor(tokens.muted))
        width = painter.fontMetrics().horizontalAdvance(parts.change)
        _write(painter, box.right() - _PAD, box.top() + 20, width, parts.change)
        painter.restore()


def _write(painter: QPainter, right: int, top: int, width: int, text: str) -> None:
    box = QRect(QPoint(right - width, top), QSize(width + 1, 17))
    painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter), text)


class CompareTable(SpreadTable):
    """Shows a comparison, all metrics beside each other."""

    def __init__(self, model: CompareModel, theme: Theme) -> None:
        super().__init__(model, "Report tables side by side")
        self.setItemDelegate(CompareDelegate(theme, self))
        self.verticalHeader().setDefaultSectionSize(_ROW_HEIGHT)
        self.horizontalHeader().setMinimumHeight(42)
        self.setToolTip("Choose a row to see its traces below")
        theme.changed.connect(self._repaint)

    @Slot()
    def _repaint(self) -> None:
        self.viewport().update()
