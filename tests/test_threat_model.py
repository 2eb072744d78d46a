"""The page about threats names tests that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "threat-model.md").read_text("utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_what_shows_it_is_there(file: str, name: str) -> None:
    assert f"def {name}(" in (ROOT / file).read_text("utf-8")


def test_every_row_is_shown_by_something() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")]
    rows = [row for row in rows if not row.startswith(("| must", "| ---"))]
    assert len(rows) > 10
    assert [row for row in rows if "::" not in row.split("|")[3]] == []
