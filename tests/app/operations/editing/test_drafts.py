"""Drafts: kept while a program lives, found when it has ended, offered to one only."""

import subprocess
import sys
from pathlib import Path

from app.operations.editing.drafts import (
    Draft,
    DraftKeeper,
    drafts_folder,
    has_left_behind,
    left_behind,
    sweep_drafts,
)

MINE = Draft("Mine", 'name = "Mine"\n', "/tmp/mine.toml", 12.5)
KILLED = """
import os, signal, sys
from pathlib import Path
from app.operations.editing.drafts import Draft, DraftKeeper
DraftKeeper(Path(sys.argv[1])).keep(Draft("Lost", "text of it", "", 99.0))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_draft_of_a_living_program_is_not_offered(tmp_path: Path) -> None:
    keeper = DraftKeeper(tmp_path)
    keeper.keep(MINE)
    assert left_behind(tmp_path) == []
    keeper.close()
    found = left_behind(tmp_path)
    assert [one.draft for one in found] == [MINE]
    found[0].drop()
    assert list(tmp_path.iterdir()) == []


def test_a_draft_of_a_killed_program_is_offered_to_one_only(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert ended.returncode == -9
    assert has_left_behind(tmp_path)
    found = left_behind(tmp_path)
    assert [one.draft.text for one in found] == ["text of it"]
    assert not has_left_behind(tmp_path)
    found[0].release()
    assert has_left_behind(tmp_path)


def test_what_is_left_beside_a_draft_is_swept_and_no_draft_is(tmp_path: Path) -> None:
    keeper = DraftKeeper(tmp_path)
    keeper.keep(MINE)
    keeper.drop()
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    [draft] = tmp_path.glob("*.json")
    for suffix in (".lock", ".new"):
        (tmp_path / "1-1").with_suffix(suffix).touch()
    before = {path.name for path in tmp_path.iterdir() if path.stem != "1-1"}
    sweep_drafts(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == before
    assert draft.exists()
    keeper.close()
    sweep_drafts(tmp_path)
    assert {path.stem for path in tmp_path.iterdir()} == {draft.stem}


def test_the_newest_comes_first_and_damage_is_left_alone(tmp_path: Path) -> None:
    for kept_s in (1.0, 3.0, 2.0):
        keeper = DraftKeeper(tmp_path)
        keeper.keep(Draft("x", "", "", kept_s))
        keeper.close()
    damaged = tmp_path / "1-1.json"
    damaged.write_text("{")
    found = left_behind(tmp_path)
    assert [one.draft.kept_s for one in found] == [3.0, 2.0, 1.0]
    for one in found:
        one.drop()
    assert damaged.exists()
    assert not has_left_behind(tmp_path)


def test_a_dropped_draft_leaves_nothing(home: Path) -> None:
    keeper = DraftKeeper()
    keeper.keep(MINE)
    assert drafts_folder().is_relative_to(home)
    keeper.drop()
    keeper.close()
    assert list(drafts_folder().iterdir()) == []
    assert not has_left_behind()
