"""Every row of the guard's table comes out as it has to, on loop devices."""

from pathlib import Path

import pytest

from tests.workloads.guard.table import (
    ARMED,
    ROWS,
    Outcome,
    judge,
    loop_disk,
    table_text,
)


@pytest.mark.parametrize("title", list(ROWS))
def test_the_row_comes_out_as_it_has_to(title: str, tmp_path: Path) -> None:
    found = judge(title, ROWS[title], loop_disk, tmp_path)
    assert found.expected, found
    assert (found.outcome == ARMED) == ("a safe target" in title)


def test_the_table_shows_what_came_out_wrong() -> None:
    bad = Outcome("a | row", ARMED, ("busy",), "one\ntwo", expected=False)
    assert "armed (WRONG)" in table_text([bad])
    assert "one two" in table_text([bad])
