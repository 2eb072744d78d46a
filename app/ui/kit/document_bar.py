"""The head of a page with a document in hand: what it is, and what can be done."""

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.ui.kit.context import Context

_ICON_ONLY = 38


@dataclass(frozen=True, slots=True)
class Tool:
    """One button.

    Attributes:
        text: What it says; "" for a button with an icon only.
        icon: Its icon.
        tip: What it does.
        keys: Its keys; "" for none, or for those that the table itself takes.
        told: Keys that the tip tells, where `keys` is empty.
        name: What a screen reader calls it, where that is not its text.
        at_right: Whether it and the following ones stand at the right edge.
    """

    text: str
    icon: str
    tip: str
    keys: str = ""
    told: str = ""
    name: str = ""
    at_right: bool = False


class DocumentBar(QWidget):
    """Shows what is in hand with the tools for it; below are the tools for its parts.

    Args:
        context: What the parts of the window share.
        head: Says what is in hand.
        whole: The tools for the document as a whole, by name.
        parts: The tools for its parts, by name.
        margin: Pixels at the left and right.
    """

    def __init__(
        self,
        context: Context,
        head: QWidget,
        whole: Mapping[str, Tool],
        parts: Mapping[str, Tool],
        *,
        margin: int,
    ) -> None:
        super().__init__()
        self._icons = context.icons
        self._icon_of: dict[QPushButton, str] = {}
        self.buttons: dict[str, QPushButton] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(margin, 10, margin, 8)
        layout.setSpacing(8)
        upper, lower = QHBoxLayout(), QHBoxLayout()
        upper.addWidget(head, 1)
        for row, tools in ((upper, whole), (lower, parts)):
            row.setSpacing(5)
            layout.addLayout(row)
            for name, tool in tools.items():
                if tool.at_right:
                    row.addStretch(1)
                row.addWidget(self._make(name, tool))
        context.theme.changed.connect(self._recolour)

    def _make(self, name: str, tool: Tool) -> QPushButton:
        button = QPushButton(self._icons.get(tool.icon), tool.text and f" {tool.text}")
        keys = tool.keys or tool.told
        button.setToolTip(f"{tool.tip} ({keys})" if keys else tool.tip)
        if tool.name:
            button.setAccessibleName(tool.name)
        if tool.keys:
            button.setShortcut(tool.keys)
        if not tool.text:
            button.setFixedWidth(_ICON_ONLY)
        button.setAutoDefault(False)
        self._icon_of[button] = tool.icon
        self.buttons[name] = button
        return button

    def make_primary(self, name: str) -> None:
        """Let a button stand out."""
        button = self.buttons[name]
        self._icon_of[button] = f"{self._icon_of[button]} accent_text"
        button.setDefault(True)
        self._recolour()

    @Slot()
    def _recolour(self) -> None:
        for button, icon in self._icon_of.items():
            button.setIcon(self._icons.get(*icon.split()))
