"""A table whose long texts take several lines and are never cut."""

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QSize
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from app.ui.tables import Table

_PADDING = 16
"""Pixels left and right of a text, which a delegate forgets when it breaks lines."""


class WrappedTable(Table):
    """A table with rows as high as their texts; all texts are set off a little."""

    def __init__(self, model: QAbstractItemModel, name: str, *, stretch: int) -> None:
        super().__init__(model, name, stretch=stretch)
        self.setObjectName("wrapped")
        self.setItemDelegateForColumn(stretch, _Delegate(self))
        self.wrap()


class _Delegate(QStyledItemDelegate):
    """Breaks lines at the width in which they are painted."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Get the room of a cell of this width."""
        if option.rect.isValid():
            option.rect.setWidth(max(1, option.rect.width() - _PADDING))
        return super().sizeHint(option, index)
