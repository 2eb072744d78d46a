"""The Sessions page in its window."""
# mypy: disallow-untyped-calls=False

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.ui.session.page import SessionPage
from app.ui.session.view import SessionsView
from app.ui.window.main_window import MainWindow
from tests.app.ui.session.sessions_page import write


@pytest.fixture
def view(window: MainWindow, qtbot: QtBot) -> SessionsView:
    window.navigation.choose("Sessions")
    found = window.pages.sessions
    both = [found.folder / f"{name}.bayscope" for name in ("first", "second")]
    qtbot.waitUntil(lambda: min(map(found.model.row_of, both)) >= 0)
    return found


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> SessionPage:
    window.navigation.choose("Sessions")
    window.pages.sessions.open(write(tmp_path))
    found = window.pages.sessions.page
    qtbot.waitUntil(lambda: found.record is not None)
    found.tabs.setCurrentWidget(found.report)
    qtbot.waitUntil(lambda: found.report.model is not None)
    return found
