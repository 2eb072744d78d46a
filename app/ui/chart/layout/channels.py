"""The channels of a session, to be searched, chosen and dragged onto charts."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QMimeData,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QWidget

from app.report.chart.layout import Arranger
from app.report.chart.scale import channel_scale
from app.ui.chart.layout.drag import CHANNELS, drag_of
from app.ui.kit.context import Context
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.tables import Table
from app.ui.kit.widgets import column, named
from instruments.reading import Channel

_Index = QModelIndex | QPersistentModelIndex
_Line = tuple[str, Channel]


class ChannelModel(RowsModel[_Line]):
    """What a channel is called, and its unit; can be dragged."""

    def __init__(self, context: Context, parent: QWidget) -> None:
        columns = [
            Column[_Line]("Channel", lambda one: one[0], tip=lambda one: one[1].name),
            Column[_Line]("Unit", lambda one: channel_scale(one[1]).unit),
        ]
        super().__init__(columns, context, parent)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Let every row be dragged."""
        return super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled

    def mimeTypes(self) -> list[str]:
        """What is dragged."""
        return [CHANNELS]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Pack the names of what is chosen."""
        rows = sorted({index.row() for index in indexes})
        lines = [line for row in rows if (line := self.at(row)) is not None]
        return drag_of(channel.name for _, channel in lines)


class ChannelList(QWidget):
    """A field to search in, and the channels that have all of its words.

    Attributes:
        search: The field.
        table: The channels.

    Signals:
        wanted: Enter or a double click on channels.
        changed: Others are chosen.
    """

    wanted = Signal()
    changed = Signal()

    def __init__(self, context: Context, name: str) -> None:
        super().__init__()
        self._lines: list[_Line] = []
        self.search = named(QLineEdit(), f"Search {name.lower()}")
        self.search.setPlaceholderText("Search: fan, slot07, W")
        self.search.setClearButtonEnabled(True)
        self.search.setMaxLength(200)
        self.search.textChanged.connect(self._show)
        self._model = ChannelModel(context, self)
        self.table = Table(self._model, name)
        extended = QAbstractItemView.SelectionMode.ExtendedSelection
        self.table.setSelectionMode(extended)
        self.table.setDragEnabled(True)
        self.table.activated.connect(self.wanted)
        self.table.selectionModel().selectionChanged.connect(self.changed)
        parts = (self.search, self.table)
        column(*parts, of=self, grows=self.table, spacing=4)

    @property
    def chosen(self) -> list[Channel]:
        """Those that are chosen, as they stand in the list."""
        rows = sorted(i.row() for i in self.table.selectionModel().selectedRows())
        lines = [line for row in rows if (line := self._model.at(row)) is not None]
        return [channel for _, channel in lines]

    def show_channels(self, arranger: Arranger | None) -> None:
        """List the channels of a session."""
        self._lines = (
            [(arranger.name_of(one), one) for one in arranger.channels]
            if arranger is not None
            else []
        )
        self._show()

    def _show(self) -> None:
        words = self.search.text().lower().split()

        def has_all(line: _Line) -> bool:
            text = f"{line[0]} {line[1].name} {channel_scale(line[1]).unit}".lower()
            return all(word in text for word in words)

        chosen = self.chosen
        shown = [one for one in self._lines if one[1] in chosen or has_all(one)]
        self._model.set_records(shown)
        self.choose(chosen)

    def choose(self, channels: Sequence[Channel]) -> None:
        """Choose these and no others; they stay listed, whatever is searched."""
        selection = QItemSelection()
        for number, (_, channel) in enumerate(self._model.records):
            if channel in channels:
                index = self._model.index(number, 0)
                selection.select(index, index)
        how = QItemSelectionModel.SelectionFlag
        flags = how.ClearAndSelect | how.Rows
        self.table.selectionModel().select(selection, flags)
