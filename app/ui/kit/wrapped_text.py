"""Texts of a table that take several lines and are never cut."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

_PADDING = 16
"""Pixels left and right of a text, which a delegate forgets when it breaks lines."""


class WrappedText(QStyledItemDelegate):
    """Breaks lines at the width in which they are painted."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Get the room of a cell of this width."""
        if option.rect.isValid():
            option.rect.setWidth(max(1, option.rect.width() - _PADDING))
        return super().sizeHint(option, index)
