"""The campaigns on offer."""

import threading
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.plan.campaign import Campaign, load_campaign, parse_campaign
from app.ui.campaign.chooser import CampaignChooser, Choice, shipped_campaigns
from app.ui.kit.background import Background

MINE = """
name = "Mine"
[[step]]
label = "Rest"
engine = "idle"
runtime = "1s"
repeat = 9
"""


@pytest.fixture
def chooser(qtbot: QtBot, background: Background) -> CampaignChooser:
    found = CampaignChooser(shipped_campaigns(), background)
    qtbot.addWidget(found)
    return found


def wait(chooser: CampaignChooser, qtbot: QtBot) -> None:
    assert chooser.choice.is_being_read, "a file is never read in the GUI thread"
    qtbot.waitUntil(lambda: not chooser.choice.is_being_read)


def test_every_campaign_that_ships_is_offered(chooser: CampaignChooser) -> None:
    offered = [chooser.box.itemText(n) for n in range(chooser.box.count())]
    assert len(offered) == len(shipped_campaigns()) >= 2
    assert offered[0].startswith("Demo")


def test_a_file_is_offered_once_and_read_again(
    chooser: CampaignChooser, tmp_path: Path, qtbot: QtBot
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    count = chooser.box.count()
    chooser.add(file)
    assert chooser.box.count() == count + 1
    with qtbot.waitSignal(chooser.changed):
        wait(chooser, qtbot)
    assert chooser.choice.file == file
    assert chooser.box.currentText() == "Mine  (mine.toml)"
    file.write_text("name = 1")
    chooser.add(file)
    wait(chooser, qtbot)
    assert chooser.box.count() == count + 1
    assert chooser.choice.campaign is None
    assert "mine.toml" in chooser.choice.error
    assert "not valid" in chooser.box.currentText()


def test_a_file_on_a_server_that_is_gone_holds_up_nothing(
    chooser: CampaignChooser,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    back = threading.Event()

    def hang(path: Path) -> Campaign:
        back.wait()
        return load_campaign(path)

    monkeypatch.setattr("app.ui.campaign.chooser.load_campaign", hang)
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    chooser.add(file)
    assert chooser.box.currentText() == "mine.toml  (being read)"
    assert str(file) in chooser.choice.description
    chooser.box.setCurrentIndex(1)
    changes: list[str] = []
    chooser.changed.connect(lambda: changes.append(chooser.box.currentText()))
    back.set()
    index = chooser.box.count() - 1
    qtbot.waitUntil(lambda: chooser.box.itemText(index) == "Mine  (mine.toml)")
    assert chooser.box.currentIndex() == 1, "what was chosen meanwhile stays"
    assert changes == []


def test_the_campaign_of_a_run_is_found_again(
    chooser: CampaignChooser, tmp_path: Path, qtbot: QtBot
) -> None:
    first = shipped_campaigns()[1]
    chooser.choose(first, None)
    assert chooser.box.currentIndex() == 1
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    chooser.choose(first, file)
    wait(chooser, qtbot)
    assert chooser.choice.file == file


def test_a_campaign_whose_file_is_gone_is_run_again_as_it_was(
    chooser: CampaignChooser, tmp_path: Path, qtbot: QtBot
) -> None:
    own = parse_campaign(MINE, "mine.toml")
    chooser.choose(own, tmp_path / "mine.toml")
    wait(chooser, qtbot)
    assert chooser.choice.campaign == own
    assert chooser.choice.file is None
    assert "mine.toml as it was" in chooser.box.currentText()


def test_a_description_says_steps_and_time(
    chooser: CampaignChooser, tmp_path: Path, qtbot: QtBot
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    chooser.add(file)
    wait(chooser, qtbot)
    told = chooser.choice.description
    assert told.startswith("9 steps, 0:09: Rest")
    assert told.endswith(" ....")
    assert "overwrites" in chooser._choices[0].description
    broken = Choice(None, file, "It has a mistake.")
    assert broken.description.startswith("Choose another campaign")
