"""A table whose long texts take several lines and are never cut."""

from PySide6.QtCore import QAbstractItemModel

from app.ui.kit.tables import Table


class WrappedTable(Table):
    """A table with rows as high as their texts; all texts are set off a little."""

    def __init__(self, model: QAbstractItemModel, name: str, *, stretch: int) -> None:
        super().__init__(model, name, stretch=stretch)
        self.setObjectName("wrapped")
        self.wrap()
