"""The Sessions page in its window."""
# mypy: disallow-untyped-calls=False

import pytest
from pytestqt.qtbot import QtBot

from app.ui.session.view import SessionsView
from app.ui.window.main_window import MainWindow


@pytest.fixture
def view(window: MainWindow, qtbot: QtBot) -> SessionsView:
    window.navigation.choose("Sessions")
    found = window.pages.sessions
    both = [found.folder / f"{name}.bayscope" for name in ("first", "second")]
    qtbot.waitUntil(lambda: min(map(found.model.row_of, both)) >= 0)
    return found
