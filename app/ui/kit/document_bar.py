"""The head of a page with a document in hand: what it is, and what can be done."""

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QPushButton, QWidget

from app.ui.kit.context import Context
from app.ui.kit.folding_row import FoldingRow
from app.ui.kit.labels import ElidedLabel, make_chip
from app.ui.kit.widgets import column, make_button, named, row

_ICON_ONLY = 38


@dataclass(frozen=True, slots=True)
class Tool:
    """One button.

    Attributes:
        text: Its text; "" for a button with an icon only.
        icon: Its icon.
        tip: What it does.
        keys: Its shortcut; "" for none.
        table_key: Keys that the table takes, for the tip.
        name: What a screen reader calls it, where that is not its text.
        at_right: Whether it and the following ones stand at the right edge.
    """

    text: str
    icon: str
    tip: str
    keys: str = ""
    table_key: str = ""
    name: str = ""
    at_right: bool = False


class DocumentHead(QWidget):
    """Says which document is in hand, whether it was saved, and facts about it.

    Args:
        chip: A mark that some documents have, and its tool tip.
        unsaved: The tool tip of the mark of changes that were not saved.
    """

    def __init__(self, chip: tuple[str, str], unsaved: str) -> None:
        super().__init__()
        self.title = named(ElidedLabel(), "", look="heading")
        self.chip = make_chip(*chip)
        self.unsaved = make_chip("not saved", unsaved)
        self.facts = named(ElidedLabel(), "", look="muted")
        upper = row(self.title, self.chip, self.unsaved, grows=self.title, spacing=6)
        column(upper, self.facts, of=self, spacing=2)

    def show_document(
        self, name: str, facts: str, *, has_chip: bool, is_changed: bool
    ) -> None:
        """Show another document, or another version of it."""
        self.title.setText(f"{name} *" if is_changed else name)
        self.title.setToolTip(name)
        self.facts.setText(facts)
        self.chip.setVisible(has_chip)
        self.unsaved.setVisible(is_changed)


class DocumentBar(QWidget):
    """Shows what is in hand with the tools for it; below are the tools for its parts.

    Args:
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
        upper, lower = row(head, grows=head, spacing=5), FoldingRow(context.icons)
        lower.setSpacing(5)
        for line, tools in ((upper, whole), (lower, parts)):
            for name, tool in tools.items():
                if tool.at_right:
                    line.addStretch(1)
                line.addWidget(self._make(name, tool))
        lower.fold(*(self.buttons[name] for name in reversed(list(parts))))
        column(upper, lower, of=self, margins=(margin, 10, margin, 8), spacing=8)
        context.theme.changed.connect(self._recolour)

    def _make(self, name: str, tool: Tool) -> QPushButton:
        keys = tool.keys or tool.table_key
        tip = f"{tool.tip} ({keys})" if keys else tool.tip
        icon = self._icons.get(tool.icon)
        button = make_button(tool.text, tip, icon=icon, name=tool.name)
        if tool.keys:
            button.setShortcut(tool.keys)
        if not tool.text:
            button.setFixedWidth(_ICON_ONLY)
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
