"""The tick that gives a step one of the tables it may go without."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QCheckBox

from app.operations.editing.field import Group


class TableTick(QCheckBox):
    """Switches a table of a step on and off; half where only some steps have it.

    Args:
        group: The table.
        share: Which share of the chosen steps has it, 0 to 1.

    Signals:
        entered: The table (Path) is to begin with this (dict), or to go (None).
    """

    entered = Signal(object, object)

    def __init__(self, group: Group, share: float) -> None:
        super().__init__(group.title)
        self._group = group
        font = self.font()
        font.setWeight(QFont.Weight.DemiBold)
        self.setFont(font)
        self.setToolTip(f"{group.help} (Space)")
        states = Qt.CheckState
        if 0 < share < 1:
            self.setCheckState(states.PartiallyChecked)
            self.setToolTip(f"Some of the chosen steps have it. {self.toolTip()}")
        else:
            self.setChecked(share == 1)
        # Queued: the page is made anew then, and the box with it.
        self.checkStateChanged.connect(self._tell, Qt.ConnectionType.QueuedConnection)

    @Slot()
    def _tell(self) -> None:
        value = dict(self._group.first) if self.isChecked() else None
        self.entered.emit((self._group.table,), value)
