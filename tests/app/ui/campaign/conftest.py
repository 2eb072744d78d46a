"""The Campaigns page, alone and in its window."""
# mypy: disallow-untyped-calls=False

import pytest
from pytestqt.qtbot import QtBot

from app.ui.campaign.view import CampaignView
from app.ui.window.main_window import MainWindow


@pytest.fixture
def view(campaigns: CampaignView) -> CampaignView:
    return campaigns


@pytest.fixture
def in_window(window: MainWindow, qtbot: QtBot) -> CampaignView:
    """The page in its window, with the demo in hand."""
    window.navigation.choose("Campaigns")
    page = window.pages.campaigns
    qtbot.waitUntil(lambda: page.file.name.startswith("Demo"))
    return page
