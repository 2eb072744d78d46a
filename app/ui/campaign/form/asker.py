"""The box in which further options of an engine are asked for by their name."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCompleter

from app.operations.editing.field import Field
from app.ui.kit.option_field import CalmCombo


class OptionAsker(CalmCombo):
    """Offers options that have no field yet.

    Signals:
        asked: A field for this one (Path) is wanted.
    """

    asked = Signal(object)

    def __init__(self, fields: Sequence[Field]) -> None:
        super().__init__()
        self._fields = list(fields)
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
        for number, field in enumerate(fields):
            self.addItem(field.path[-1])
            self.setItemData(number, field.option.help, Qt.ItemDataRole.ToolTipRole)
        self.setCurrentIndex(-1)
        self.activated.connect(self._ask)

    @property
    def fields(self) -> list[Field]:
        """What it offers."""
        return list(self._fields)

    @Slot(int)
    def _ask(self, _: int) -> None:
        name = self.currentText().strip()
        if name and self._fields:
            self.asked.emit((self._fields[0].path[0], name))
