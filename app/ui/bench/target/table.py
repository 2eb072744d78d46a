"""The table of disks: the reason is read whole, names of files give way to it."""

from collections.abc import Mapping

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView

from app.ui.kit.tables_wrapped import WrappedTable

_LEAST_WHY = 400
"""Pixels in which a reason is a few lines."""


class DiskTable(WrappedTable):
    """A table whose last column takes the room that is left, and is never squeezed.

    Where there is too little room the columns of `yields` give way, one after the
    other, and show begin and end of their texts; all of it is in their hints.

    Args:
        model: What it shows.
        name: What a screen reader calls it.
        yields: Columns that may be cut, the first one first, with their least widths.
    """

    def __init__(
        self, model: QAbstractItemModel, name: str, yields: Mapping[int, int]
    ) -> None:
        self._yields = yields
        super().__init__(model, name, stretch=model.columnCount() - 1)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)

    def _arrange(self) -> None:
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        last = self.model().columnCount() - 1
        widths = [
            max(self.sizeHintForColumn(section), head.sectionSizeHint(section))
            for section in range(last)
        ]
        lacking = _LEAST_WHY + sum(widths) - self.viewport().width()
        for section, least in self._yields.items():
            if lacking > 0:
                given = min(lacking, max(0, widths[section] - least))
                widths[section] -= given
                lacking -= given
        for section, width in enumerate(widths):
            self.setColumnWidth(section, width)
        left = self.viewport().width() - sum(widths)
        self.setColumnWidth(last, max(left, _LEAST_WHY))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out again."""
        super().resizeEvent(event)
        self._arrange_later()
