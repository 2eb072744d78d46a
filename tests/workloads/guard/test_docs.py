"""The chapter about the guard has the table's rows, all of them refused."""

from pathlib import Path

from tests.guard_guest.path_rows import GUEST_ROWS
from tests.workloads.guard.table import ROWS

CHAPTER = Path(__file__).parents[3] / "docs" / "target-guard.md"


def test_the_chapter_has_every_row_with_its_outcome() -> None:
    text = CHAPTER.read_text("utf-8")
    table = text.partition("<!-- table -->")[2].partition("<!-- /table -->")[0]
    cells = [line.strip("|").split("|") for line in table.splitlines() if "|" in line]
    found = {line[0].strip(): line[1].strip() for line in cells[2:]}
    assert set(found) == {*ROWS, *GUEST_ROWS}
    for title, outcome in found.items():
        expected = "armed" if "a safe target" in title else "refused"
        assert outcome == expected, title
