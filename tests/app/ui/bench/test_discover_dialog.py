"""Looking for devices: what is found is offered, and may be taken."""
# mypy: disallow-untyped-calls=False

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.bench.drivers import drivers
from app.operations.bench.discover import Discovery
from app.ui.bench.discover_dialog import DiscoverDialog
from app.ui.kit.context import Context
from instruments.driver import Found


@pytest.fixture
def dialog(qtbot: QtBot, context: Context) -> Iterator[DiscoverDialog]:
    found = DiscoverDialog(context)
    qtbot.addWidget(found)
    found.show()
    yield found
    found.reject()


def test_it_looks_and_says_what_it_found(dialog: DiscoverDialog, qtbot: QtBot) -> None:
    assert not dialog.again.isEnabled()
    qtbot.waitUntil(dialog.again.isEnabled)
    found = [line.found.label for line in dialog.model.records if line.found]
    assert any("This machine" in label for label in found)
    assert f"{len(found)} found" in dialog.about.text()


def test_what_is_chosen_is_taken_and_the_dialog_stays(
    dialog: DiscoverDialog, qtbot: QtBot
) -> None:
    qtbot.waitUntil(dialog.again.isEnabled)
    driver = next(iter(drivers().values()))
    shelf = Found("Shelf", {"device": "/dev/sg3"})
    dialog._lines = []
    dialog._hear(Discovery(driver, error="the tool is missing"))
    assert not dialog.buttons.yes.isEnabled()
    dialog._hear(Discovery(driver, (shelf,)))
    assert dialog.model.index(0, 2).data() == "Shelf"
    assert dialog.model.index(0, 3).data() == "device /dev/sg3"
    assert dialog.model.index(1, 2).data() == "the tool is missing"
    dialog.table.choose_row(0)
    with qtbot.waitSignal(dialog.taken) as taken:
        dialog.accept()
    assert taken.args == [driver, {"device": "/dev/sg3"}]
    assert dialog.isVisible()
    dialog.table.choose_row(1)
    with qtbot.assertNotEmitted(dialog.taken):
        dialog.accept()
