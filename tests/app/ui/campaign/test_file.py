"""The campaign in hand: changes, undo, what is saved, what is not TOML."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.plan.edit import NEW, put
from app.ui.campaign.file import CampaignFile
from app.ui.kit.background import Background
from instruments.errors import BadInput


@pytest.fixture
def file(background: Background, qtbot: QtBot) -> CampaignFile:
    return CampaignFile(background)


def rename(file: CampaignFile, name: str, merge: str = "") -> None:
    file.change("rename", lambda text: put(text, None, ("name",), name), merge=merge)


def state(file: CampaignFile) -> tuple[str, bool]:
    return file.name, file.has_changes


def test_what_is_changed_is_undone(file: CampaignFile) -> None:
    file.take(NEW, None)
    rename(file, "First")
    rename(file, "Second")
    assert state(file) == ("Second", True)
    file.stack.undo()
    assert state(file) == ("First", True)
    file.stack.undo()
    assert file.text == NEW
    assert state(file) == ("New campaign", False)
    file.stack.redo()
    assert state(file) == ("First", True)


def test_typing_in_one_field_is_one_change(file: CampaignFile) -> None:
    for name in ("A", "Ab", "Abc"):
        rename(file, name, "name 0")
    rename(file, "Abcd", "name 1")
    assert file.stack.count() == 2
    file.stack.undo()
    assert file.name == "Abc"
    file.stack.undo()
    assert file.text == NEW


def test_what_changes_nothing_is_no_change(file: CampaignFile) -> None:
    rename(file, "New campaign")
    assert file.stack.count() == 0


def test_what_is_no_toml_keeps_the_last_values(
    file: CampaignFile, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(file.checked):
        file.change("typing", lambda _: "name =\nx = 1\n")
    assert file.trouble is not None
    assert file.name == "New campaign"
    assert file.look().campaign is None
    assert file.campaign_before is not None
    assert file.mistakes[0].line == 1
    file.stack.undo()
    assert file.trouble is None


def test_saved_and_taken_files_have_no_changes(
    file: CampaignFile, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "deep" / "mine.toml"
    rename(file, "Mine")
    file.save(path)
    assert path.read_text() == file.text
    assert (file.path, file.has_changes) == (path, False)
    file.stack.undo()
    assert [file.has_changes] == [True]
    with qtbot.waitSignal(file.replaced):
        file.take(NEW, None, shipped=True)
    assert (file.path, file.is_shipped, file.has_changes) == (None, True, False)
    assert not file.stack.canUndo()
    file.begin()
    assert not file.has_changes
    file.begin(f"{NEW}# mine\n")
    assert [file.has_changes] == [True]


def test_a_place_that_cannot_be_written_is_said(
    file: CampaignFile, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        file.save(tmp_path / "file" / "mine.toml")
