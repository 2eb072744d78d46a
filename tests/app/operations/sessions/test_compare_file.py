"""Comparisons as files."""

import json
from pathlib import Path

import pytest

from app.analysis.compare import About, Comparison
from app.operations.sessions.comparison_file import write_comparison
from instruments.errors import BadInput

TOLD = "Read: A and B are equally fast at about 90k"
BOTH = (About("PASS"), About("FAIL"))
COMPARISON = Comparison(
    ("one", "two"), (False, True), (), about=BOTH, crossings=(TOLD,)
)


def test_text_and_json_have_the_crossings(tmp_path: Path) -> None:
    write_comparison(COMPARISON, tmp_path / "x.json")
    found = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert found["sessions"] == ["one", "two"]
    assert found["crossings"] == [TOLD]


def test_what_cannot_be_written_says_why(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no form"):
        write_comparison(COMPARISON, tmp_path / "x.doc")
    with pytest.raises(BadInput, match="cannot be written"):
        write_comparison(COMPARISON, Path("/proc/none/x.json"))
