"""The tools of the Campaigns page: what they say and what they do."""

from typing import TYPE_CHECKING

from app.ui.campaign.bar import Tool

if TYPE_CHECKING:
    from app.ui.campaign.view import CampaignView


def campaign_tools(view: "CampaignView") -> dict[str, Tool]:
    """Make the tools of a page, by name and in their order."""
    files, steps, stack = view.files, view.steps, view.file.stack
    return {
        "new": Tool(
            "",
            "New",
            "file-plus",
            "Begin an empty campaign",
            "Ctrl+N",
            files.new,
            lower=False,
        ),
        "open": Tool(
            "",
            "Open",
            "folder-open",
            "Open a campaign.toml, or make a campaign of fio jobs",
            "Ctrl+O",
            files.choose,
            lower=False,
        ),
        "save": Tool(
            "Save",
            "Save",
            "save",
            "Save this campaign",
            "Ctrl+S",
            files.save,
            lower=False,
        ),
        "save_as": Tool(
            "Save as",
            "Save as",
            "save",
            "Save it under another name",
            "Ctrl+Shift+S",
            files.save_as,
            lower=False,
        ),
        "fio": Tool(
            "fio",
            "fio jobs",
            "import",
            "Paste or open fio jobs, or save the steps as such",
            "Ctrl+J",
            lower=False,
            menu=view.fio.menu,
        ),
        "duplicate": Tool(
            "Duplicate",
            "Duplicate",
            "copy-plus",
            "Put a copy of the chosen steps behind them",
            "Ctrl+D",
            steps.duplicate,
        ),
        "delete": Tool(
            "",
            "Delete",
            "trash-2",
            "Delete the chosen steps",
            "",
            steps.delete,
            told="Del",
        ),
        "up": Tool(
            "",
            "Move up",
            "move-up",
            "Move the chosen steps up",
            "Alt+Up",
            steps.move_up,
        ),
        "down": Tool(
            "",
            "Move down",
            "move-down",
            "Move the chosen steps down",
            "Alt+Down",
            steps.move_down,
        ),
        "switch": Tool(
            "&On/off",
            "On or off",
            "ban",
            "Let the chosen steps be run, or skipped",
            "",
            steps.switch,
            told="Space or Alt+O",
        ),
        "undo": Tool("", "Undo", "undo-2", "Undo", "Ctrl+Z", stack.undo),
        "redo": Tool("", "Redo", "redo-2", "Redo", "Ctrl+Shift+Z", stack.redo),
    }
