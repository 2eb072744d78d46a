"""Parts of a step's form: the box for further options, a fold, a checkbox."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QCheckBox, QCompleter, QToolButton, QWidget

from app.operations.editing.field import Field, Group
from app.ui.kit.option_field import CalmCombo
from app.ui.kit.widgets import column, named


class OptionAsker(CalmCombo):
    """Offers options that have no field yet.

    Attributes:
        fields: What it offers.

    Signals:
        asked: A field for this one (Path) is wanted.
    """

    asked = Signal(object)

    def __init__(self, fields: Sequence[Field]) -> None:
        super().__init__()
        self.fields = list(fields)
        self.setEditable(True)
        self.setInsertPolicy(CalmCombo.InsertPolicy.NoInsert)
        tip = "Type or choose the name of a further option, then set its value"
        named(self, "Another option", tip)
        if (line := self.lineEdit()) is not None:
            line.setPlaceholderText("Another option ...")
        if (completer := self.completer()) is not None:
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        for number, field in enumerate(fields):
            self.addItem(field.path[-1])
            self.setItemData(number, field.option.help, Qt.ItemDataRole.ToolTipRole)
        self.setCurrentIndex(-1)
        self.activated.connect(self._ask)

    @Slot(int)
    def _ask(self, _: int) -> None:
        name = self.currentText().strip()
        if name and self.fields:
            self.asked.emit((self.fields[0].path[0], name))


class Fold(QWidget):
    """Hides its content until the heading is clicked, or somebody opens it.

    Args:
        title: The heading.
        content: What is hidden.
        is_open: Whether it is shown from the start.
    """

    def __init__(self, title: str, content: QWidget, *, is_open: bool) -> None:
        super().__init__()
        self._content = content
        self.button = QToolButton()
        self.button.setText(title)
        self.button.setCheckable(True)
        self.button.setChecked(is_open)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        tip = f"Show or hide the options for {title.lower()} (Space)"
        named(self.button, f"{title} options", tip, look="fold")
        self.button.toggled.connect(self._show)
        column(self.button, content, of=self, spacing=6)
        self._show()

    def open(self) -> None:
        """Show the content."""
        self.button.setChecked(True)

    @Slot()
    def _show(self) -> None:
        is_open = self.button.isChecked()
        arrow = Qt.ArrowType.DownArrow if is_open else Qt.ArrowType.RightArrow
        self.button.setArrowType(arrow)
        self._content.setVisible(is_open)


class TableCheckbox(QCheckBox):
    """Switches a table of a step on and off; half where only some steps have it.

    Args:
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
        if 0 < share < 1:
            self.setCheckState(Qt.CheckState.PartiallyChecked)
            self.setToolTip(f"Some of the selected steps have it. {self.toolTip()}")
        else:
            self.setChecked(share == 1)
        # Queued: the page is made again then, and the box with it.
        self.checkStateChanged.connect(self._emit, Qt.ConnectionType.QueuedConnection)

    @Slot()
    def _emit(self) -> None:
        value = dict(self._group.first) if self.isChecked() else None
        self.entered.emit((self._group.table,), value)
