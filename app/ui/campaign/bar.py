"""The head of the Campaigns page: which campaign is in hand, and its buttons."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QGridLayout, QMenu, QWidget

from app.ui.kit.document_bar import Tool
from app.ui.kit.labels import ElidedLabel, make_chip

CAMPAIGN_TOOLS = {
    "new": Tool("", "file-plus", "Begin an empty campaign", "Ctrl+N", name="New"),
    "open": Tool(
        "",
        "folder-open",
        "Open a campaign.toml, or make a campaign of fio jobs",
        "Ctrl+O",
        name="Open",
    ),
    "save": Tool("Save", "save", "Save this campaign", "Ctrl+S", name="Save"),
    "save_as": Tool(
        "Save as", "save", "Save it under another name", "Ctrl+Shift+S", name="Save as"
    ),
    "fio": Tool(
        "fio",
        "import",
        "Paste or open fio jobs, or save the steps as such",
        "Ctrl+J",
        name="fio jobs",
    ),
}
STEP_TOOLS = {
    "add": Tool("Add step", "plus", "Add a step behind the chosen one", "Ctrl+Shift+A"),
    "duplicate": Tool(
        "Duplicate",
        "copy-plus",
        "Put a copy of the chosen steps behind them",
        "Ctrl+D",
        name="Duplicate",
    ),
    "delete": Tool("", "trash-2", "Delete the chosen steps", told="Del", name="Delete"),
    "up": Tool("", "move-up", "Move the chosen steps up", "Alt+Up", name="Move up"),
    "down": Tool(
        "", "move-down", "Move the chosen steps down", "Alt+Down", name="Move down"
    ),
    "switch": Tool(
        "&On/off",
        "ban",
        "Let the chosen steps be run, or skipped",
        told="Space or Alt+O",
        name="On or off",
    ),
    "undo": Tool("", "undo-2", "Undo", "Ctrl+Z", name="Undo", at_right=True),
    "redo": Tool("", "redo-2", "Redo", "Ctrl+Shift+Z", name="Redo"),
}


class CampaignHead(QWidget):
    """Says which campaign is in hand."""

    def __init__(self) -> None:
        super().__init__()
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
        words = QGridLayout(self)
        words.setContentsMargins(0, 0, 0, 0)
        words.setVerticalSpacing(2)
        words.setHorizontalSpacing(6)
        words.addWidget(self.title, 0, 0)
        words.addWidget(self.writes, 0, 1)
        words.addWidget(self.unsaved, 0, 2)
        words.addWidget(self.place, 1, 0, 1, 3)
        words.setColumnStretch(0, 1)

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
