"""The head of the Campaigns page: which campaign is in hand, and what can be done."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QUndoStack
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.kit.context import Context
from app.ui.kit.labels import ElidedLabel, make_chip


@dataclass(frozen=True, slots=True)
class Tool:
    """One button: what it says, its icon, its tip, its keys, what it does.

    Attributes:
        text: "" for a button with an icon only.
        name: What a screen reader calls it.
        icon: Its icon.
        tip: What it does.
        keys: Its keys, "" for none or for those that the table itself takes.
        action: What is called.
        lower: Whether it is about steps, not the campaign as a whole.
        told: Keys that the tip tells, where `keys` is empty.
        menu: What it opens, instead of `action`.
    """

    text: str
    name: str
    icon: str
    tip: str
    keys: str
    action: Callable[[], object] | None = None
    lower: bool = True
    told: str = ""
    menu: QMenu | None = None


class CampaignBar(QWidget):
    """Shows the campaign in hand; below are the tools for its steps.

    Args:
        context: What the parts of the window share.
        tools: By name, in their order.
        add: The menu of the button that adds a step.
    """

    def __init__(self, context: Context, tools: Mapping[str, Tool], add: QMenu) -> None:
        super().__init__()
        self._icons = context.icons
        self._icon_of: dict[QPushButton, str] = {}
        self.buttons: dict[str, QPushButton] = {}
        self.title = ElidedLabel("")
        self.title.setObjectName("heading")
        self.writes = make_chip(
            "overwrites", "Some of its steps write to the target of the bench"
        )
        self.unsaved = make_chip(
            "not saved", "No file has this campaign as it is now (Ctrl+S)"
        )
        self.place = ElidedLabel("")
        self.place.setObjectName("muted")
        upper, lower = QHBoxLayout(), QHBoxLayout()
        upper.setSpacing(5)
        lower.setSpacing(5)
        words = QGridLayout()
        words.setVerticalSpacing(2)
        words.setHorizontalSpacing(6)
        words.addWidget(self.title, 0, 0)
        words.addWidget(self.writes, 0, 1)
        words.addWidget(self.unsaved, 0, 2)
        words.addWidget(self.place, 1, 0, 1, 3)
        words.setColumnStretch(0, 1)
        upper.addLayout(words, 1)
        lower.addWidget(self._make_add(add))
        for name, tool in tools.items():
            if name == "undo":
                lower.addStretch(1)
            (lower if tool.lower else upper).addWidget(self._make(name, tool))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 8)
        layout.setSpacing(8)
        layout.addLayout(upper)
        layout.addLayout(lower)
        context.theme.changed.connect(self._recolour)

    def _make_add(self, menu: QMenu) -> QPushButton:
        button = QPushButton(self._icons.get("plus"), " Add step")
        button.setMenu(menu)
        button.setToolTip("Add a step behind the chosen one (Ctrl+Shift+A)")
        button.setShortcut("Ctrl+Shift+A")
        self._icon_of[button] = "plus"
        self.buttons["add"] = button
        return button

    def _make(self, name: str, tool: Tool) -> QPushButton:
        button = QPushButton(self._icons.get(tool.icon), tool.text and f" {tool.text}")
        keys = tool.keys or tool.told
        button.setToolTip(f"{tool.tip} ({keys})" if keys else tool.tip)
        button.setAccessibleName(tool.name)
        if tool.keys:
            button.setShortcut(tool.keys)
        if not tool.text:
            button.setFixedWidth(38)
        button.setAutoDefault(False)
        if tool.action is not None:
            button.clicked.connect(tool.action)
        if tool.menu is not None:
            button.setMenu(tool.menu)
        self._icon_of[button] = tool.icon
        self.buttons[name] = button
        return button

    def show_campaign(
        self, name: str, place: str, *, writes: bool, unsaved: bool
    ) -> None:
        """Show which campaign is in hand."""
        self.title.setText(f"{name} *" if unsaved else name)
        self.title.setToolTip(name)
        self.place.setText(place)
        self.place.setToolTip(place)
        self.writes.setVisible(writes)
        self.unsaved.setVisible(unsaved)

    def allow(self, rows: Sequence[int], count: int, *, editable: bool) -> None:
        """Let the chosen rows be changed, of so many."""
        chosen = bool(rows) and editable
        for name in ("duplicate", "delete", "switch"):
            self.buttons[name].setEnabled(chosen)
        self.buttons["up"].setEnabled(chosen and rows[0] > 0)
        self.buttons["down"].setEnabled(chosen and rows[-1] < count - 1)
        self.buttons["add"].setEnabled(editable)

    def show_undo(self, stack: QUndoStack) -> None:
        """Say what can be undone and done again."""
        for name, able, text in (
            ("undo", stack.canUndo(), stack.undoText()),
            ("redo", stack.canRedo(), stack.redoText()),
        ):
            button = self.buttons[name]
            button.setEnabled(able)
            keys = button.shortcut().toString()
            button.setToolTip(f"{name.capitalize()} {text} ({keys})".replace("  ", " "))

    @Slot()
    def _recolour(self) -> None:
        for button, icon in self._icon_of.items():
            button.setIcon(self._icons.get(icon))


def make_add_menu(
    engines: Mapping[str, str], add: Callable[[str], object], parent: QWidget
) -> QMenu:
    """Make the menu of engines.

    Args:
        engines: What each is called in the menu, by its name.
        add: Takes the name of the one that was chosen.
        parent: What the menu belongs to.
    """
    menu = QMenu(parent)
    for engine, title in engines.items():
        action = QAction(title, menu)
        action.triggered.connect(lambda _=False, name=engine: add(name))
        menu.addAction(action)
    menu.setAccessibleName("Add a step")
    menu.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return menu
