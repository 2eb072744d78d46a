"""The demo, with a campaign of seconds instead of minutes."""

from pathlib import Path

import pytest

from app.operations.run.demo import demo_campaign, run_demo
from app.plan.verdict import Verdict
from instruments.errors import BadInput
from tests.app.operations.benches import READ, campaign


def test_the_demo_leaves_session_table_and_charts_and_nothing_else(
    tmp_path: Path,
) -> None:
    mine = tmp_path / "scratch.dat"
    mine.write_text("my own data")
    result = run_demo(tmp_path, campaign=campaign(READ))
    assert result.run.verdict is Verdict.PASS
    assert {path.suffix for path in result.files} == {".html", ".png", ".csv"}
    left = {path.suffix for path in tmp_path.iterdir()}
    assert left == {".bayscope", ".html", ".png", ".csv", ".dat"}
    assert mine.read_text() == "my own data"


def test_a_folder_that_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(BadInput, match="this is a file"):
        run_demo(file, campaign=campaign())
    assert file.read_text() == "x"


def test_the_demo_takes_two_minutes() -> None:
    assert 90 <= demo_campaign().duration_s <= 150
