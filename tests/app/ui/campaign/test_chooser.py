"""The campaigns on offer."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.plan.campaign import parse_campaign
from app.ui.campaign.chooser import CampaignChooser, Choice, shipped_campaigns

MINE = """
name = "Mine"
[[step]]
label = "Rest"
engine = "idle"
runtime = "1s"
repeat = 9
"""


@pytest.fixture
def chooser(qtbot: QtBot) -> CampaignChooser:
    found = CampaignChooser(shipped_campaigns())
    qtbot.addWidget(found)
    return found


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
    with qtbot.waitSignal(chooser.changed):
        chooser.add(file)
    assert chooser.box.count() == count + 1
    assert chooser.choice.file == file
    file.write_text("name = 1")
    with qtbot.waitSignal(chooser.changed):
        chooser.add(file)
    assert chooser.box.count() == count + 1
    assert chooser.choice.campaign is None
    assert "mine.toml" in chooser.choice.error
    assert "not valid" in chooser.box.currentText()


def test_the_campaign_of_a_run_is_found_again(
    chooser: CampaignChooser, tmp_path: Path
) -> None:
    first = shipped_campaigns()[1]
    chooser.choose(first, None)
    assert chooser.box.currentIndex() == 1
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    chooser.choose(first, file)
    assert chooser.choice.file == file


def test_a_campaign_whose_file_is_gone_is_run_again_as_it_was(
    chooser: CampaignChooser, tmp_path: Path
) -> None:
    own = parse_campaign(MINE, "mine.toml")
    chooser.choose(own, tmp_path / "mine.toml")
    assert chooser.choice.campaign == own
    assert chooser.choice.file is None
    assert "mine.toml" in chooser.box.currentText()


def test_a_description_says_steps_and_time(
    chooser: CampaignChooser, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(MINE)
    chooser.add(file)
    told = chooser.choice.description
    assert told.startswith("9 steps, 0:09: Rest")
    assert told.endswith(" ....")
    assert "overwrites" in chooser._choices[0].description
    assert Choice(None).description.startswith("Choose another campaign")
