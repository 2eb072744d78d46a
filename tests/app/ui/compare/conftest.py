"""What the tests of Compare share."""

import pytest
from pytestqt.qtbot import QtBot

from app.ui.compare.view import CompareView
from app.ui.window.main_window import MainWindow
from tests.app.ui.compare.compare_page import compared


@pytest.fixture
def view(window: MainWindow, qtbot: QtBot) -> CompareView:
    window.navigation.choose("Compare")
    found = window.pages.compare
    compared(found, found.folder / "first.bayscope", found.folder / "second.bayscope")(
        qtbot
    )
    return found
