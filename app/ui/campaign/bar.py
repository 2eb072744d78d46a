"""The tools of the Campaigns page."""

from app.ui.kit.document_bar import Tool

CAMPAIGN_TOOLS = {
    "new": Tool("", "file-plus", "Start an empty campaign", "Ctrl+N", name="New"),
    "open": Tool(
        "",
        "folder-open",
        "Open a campaign.toml, or make a campaign from fio jobs",
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
        "Paste or open fio jobs, or save the steps as fio jobs",
        "Ctrl+J",
        name="fio jobs",
    ),
}
STEP_TOOLS = {
    "add": Tool(
        "Add step", "plus", "Add a step after the selected one", "Ctrl+Shift+A"
    ),
    "duplicate": Tool(
        "Duplicate",
        "copy-plus",
        "Put a copy of the selected steps after them",
        "Ctrl+D",
        name="Duplicate",
    ),
    "delete": Tool(
        "", "trash-2", "Delete the selected steps", table_key="Del", name="Delete"
    ),
    "up": Tool("", "move-up", "Move the selected steps up", "Alt+Up", name="Move up"),
    "down": Tool(
        "", "move-down", "Move the selected steps down", "Alt+Down", name="Move down"
    ),
    "switch": Tool(
        "&On/off",
        "ban",
        "Run the selected steps, or skip them",
        table_key="Space or Alt+O",
        name="On or off",
    ),
    "undo": Tool("", "undo-2", "Undo", "Ctrl+Z", name="Undo", at_right=True),
    "redo": Tool("", "redo-2", "Redo", "Ctrl+Shift+Z", name="Redo"),
}
