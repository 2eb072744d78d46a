"""The box in which further options of an engine are asked for by their name."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QCompleter

from app.operations.editing.field import Field
from app.ui.kit.option_field import CalmCombo


class OptionAsker(CalmCombo):
    """Offers options that have no field yet.

    Signals:
        asked: A field for this one (Path) is wanted.
        opened: Somebody is looking for an option, so their help is wanted.
    """

    asked = Signal(object)
    opened = Signal()

    def __init__(self, fields: Sequence[Field]) -> None:
        super().__init__()
        self._fields: list[Field] = []
        self.setEditable(True)
        self.setInsertPolicy(CalmCombo.InsertPolicy.NoInsert)
        self.setAccessibleName("Another option")
        self.setToolTip(
            "Type or choose the name of a further option, then set its value"
        )
        line = self.lineEdit()
        if line is not None:
            line.setPlaceholderText("Another option ...")
        completer = self.completer()
        if completer is not None:
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.set_fields(fields)
        self.activated.connect(self._ask)

    @property
    def fields(self) -> list[Field]:
        """What it offers."""
        return list(self._fields)

    def set_fields(self, fields: Sequence[Field]) -> None:
        """Offer these; what was typed stays."""
        typed = self.currentText()
        self._fields = list(fields)
        with QSignalBlocker(self):
            self.clear()
            for number, field in enumerate(fields):
                self.addItem(field.path[-1])
                tip = Qt.ItemDataRole.ToolTipRole
                self.setItemData(number, field.option.help, tip)
            self.setCurrentIndex(-1)
            self.setEditText(typed)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Say that somebody is looking for an option."""
        super().focusInEvent(event)
        self.opened.emit()

    @Slot(int)
    def _ask(self, _: int) -> None:
        name = self.currentText().strip()
        if name and self._fields:
            self.asked.emit((self._fields[0].path[0], name))
