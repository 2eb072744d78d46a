"""The table of steps: several can be chosen, dragged, copied and switched off."""

from collections.abc import Iterable

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView

from app.ui.campaign.steps_model import COLUMNS, LABEL, ON, OPTIONS, RARE, StepsModel
from app.ui.kit.tables import Table

_Flag = QItemSelectionModel.SelectionFlag


class StepsTable(Table):
    """Shows the steps and passes on what keys ask for.

    Signals:
        chosen: Other rows are chosen.
        switched: Space was pressed: the chosen steps are to be run, or not.
        deleted: Del was pressed.
        copied: The chosen steps are to be copied, or all.
        pasted: What was copied is to be pasted.
    """

    chosen = Signal()
    switched = Signal()
    deleted = Signal()
    copied = Signal()
    pasted = Signal()

    def __init__(self, model: StepsModel) -> None:
        super().__init__(model, "Steps of the campaign", stretch=OPTIONS, keeps=LABEL)
        self.steps_model = model
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDragDropOverwriteMode(False)
        self.setDropIndicatorShown(True)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        head = self.horizontalHeader()
        head.setMinimumSectionSize(30)
        head.setResizeContentsPrecision(0)  # only what is seen counts for the width
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit())
        model.modelReset.connect(self.chosen)
        model.modelReset.connect(self.show_rare_columns)
        model.dataChanged.connect(lambda *_: self.show_rare_columns())

    def show_rare_columns(self) -> None:
        """Hide columns that are empty for every step: the options need the room."""
        steps = self.steps_model.records
        for column in RARE:
            self.setColumnHidden(column, not any(map(COLUMNS[column].text, steps)))

    def rows(self) -> list[int]:
        """Get the rows that are chosen, in their order."""
        return sorted(index.row() for index in self.selectionModel().selectedRows())

    def row(self) -> int:
        """Get the chosen row with the cursor, or the first one; -1 without any."""
        rows, current = self.rows(), self.currentIndex().row()
        return current if current in rows else (rows[0] if rows else -1)

    def choose_rows(self, rows: Iterable[int]) -> None:
        """Choose these rows; the last one is the current one."""
        model, wanted = self.model(), list(rows)
        selection = QItemSelection()
        last = model.columnCount() - 1
        for row in wanted:
            if 0 <= row < model.rowCount():
                selection.select(model.index(row, 0), model.index(row, last))
        picker = self.selectionModel()
        picker.select(selection, _Flag.ClearAndSelect)
        if wanted:
            index = model.index(wanted[-1], 1)
            picker.setCurrentIndex(index, _Flag.NoUpdate)
            self.scrollTo(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the keys that are for whole steps."""
        plain = not event.modifiers()
        if plain and event.key() == Qt.Key.Key_Space:
            self.switched.emit()
        elif plain and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.deleted.emit()
        elif event.matches(QKeySequence.StandardKey.Paste):
            self.pasted.emit()
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def copy(self) -> None:
        """Copy steps as text, so that they can be pasted into another campaign."""
        self.copied.emit()

    def startDrag(self, actions: Qt.DropAction) -> None:
        """Drag rows; the tick box of the first column is not what is meant."""
        if self.currentIndex().column() == ON or self.rows():
            super().startDrag(actions)
