"""What is entered on the Campaigns page, and what its text says then."""
# mypy: disallow-untyped-calls=False

from PySide6.QtWidgets import (
    QLineEdit,
)
from pytestqt.qtbot import QtBot

from app.plan.blocks import items
from app.ui.campaign.view import CampaignView
from app.ui.kit.option_field import OptionField


def labels(view: CampaignView) -> list[object]:
    return [step["label"] for step in items(view.file.values, "step")]


def step(view: CampaignView, row: int) -> dict[str, object]:
    return dict(items(view.file.values, "step")[row])


def field(view: CampaignView, *path: str) -> OptionField:
    return view.form.fields[path]


def enter(view: CampaignView, qtbot: QtBot, text: str, *path: str) -> None:
    editor = field(view, *path).editor
    assert isinstance(editor, QLineEdit)
    editor.selectAll()
    qtbot.keyClicks(editor, text)


IDLE = '[[step]]\nlabel = "Idle"\nengine = "idle"\nruntime = "1s"\n'
