from pathlib import Path

import pytest

from app.operations.compare import compare_sessions, comparison_json, comparison_text
from instruments.errors import BadInput
from tests.app.report.test_document import write


def test_one_session_has_nothing_beside_it(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="two or more session files"):
        compare_sessions([tmp_path / "x.bayscope"])


def test_equal_names_are_numbered_and_simulated_ones_say_so(tmp_path: Path) -> None:
    places = [tmp_path / "a", tmp_path / "b"]
    for place in places:
        place.mkdir()
    real, fake = write(places[0], simulated=False), write(places[1])
    comparison = compare_sessions([real, fake])
    assert comparison.names == ("x #1", "x #2")
    lines = comparison_text(comparison).splitlines()
    assert lines[:2] == ["A = x #1", "B = x #2 (simulated)"]
    power = next(line for line in lines if line.startswith("Idle"))
    assert power.split() == ["Idle", "Power", "(W)", "501.0", "501.0", "+0.0", "+0.0"]


def test_json_has_a_difference_for_each_further_session(tmp_path: Path) -> None:
    path = write(tmp_path)
    shown = comparison_json(compare_sessions([path, path, path]))
    assert shown["sessions"] == ["x #1", "x #2", "x #3"]
    rows = shown["rows"]
    assert isinstance(rows, list)
    assert rows[0]["step"] == "Idle"
    assert rows[0]["power_w"] == {
        "values": [501.0] * 3,
        "difference": [0.0] * 2,
        "percent": [0.0] * 2,
    }
    assert "iops" not in rows[0], "what no session has is left out"
