"""The tools of the Campaigns page."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.ui.kit.document_bar import Tool

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
    "delete": Tool(
        "", "trash-2", "Delete the chosen steps", table_key="Del", name="Delete"
    ),
    "up": Tool("", "move-up", "Move the chosen steps up", "Alt+Up", name="Move up"),
    "down": Tool(
        "", "move-down", "Move the chosen steps down", "Alt+Down", name="Move down"
    ),
    "switch": Tool(
        "&On/off",
        "ban",
        "Let the chosen steps be run, or skipped",
        table_key="Space or Alt+O",
        name="On or off",
    ),
    "undo": Tool("", "undo-2", "Undo", "Ctrl+Z", name="Undo", at_right=True),
    "redo": Tool("", "redo-2", "Redo", "Ctrl+Shift+Z", name="Redo"),
}


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
