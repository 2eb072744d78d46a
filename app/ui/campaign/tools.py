"""The tools of the Campaigns page: what they say and what they do."""

from PySide6.QtGui import QUndoStack
from PySide6.QtWidgets import QMenu

from app.ui.campaign.bar import Tool
from app.ui.campaign.file_actions import CampaignFileActions
from app.ui.campaign.step_actions import StepActions


def campaign_tools(
    files: CampaignFileActions, steps: StepActions, stack: QUndoStack, fio: QMenu
) -> dict[str, Tool]:
    """Make the tools of a page, by name and in their order.

    Args:
        files: What is done with the campaign as a whole.
        steps: What is done with the chosen steps.
        stack: What can be undone and done again.
        fio: What can be done with fio jobs.
    """
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
            menu=fio,
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
