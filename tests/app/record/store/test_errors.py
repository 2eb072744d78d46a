"""SQLite's errors become sentences."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.record.store.errors import damaged, reading
from instruments.errors import BadInput

PATH = Path("s.bayscope")


def test_what_sqlite_quotes_stays_one_short_line() -> None:
    text = str(damaged(PATH, 'unrecognized token: "`\n    x INTEGER\n' + "y" * 5000))
    assert "\n" not in text
    assert len(text) < 300
    assert 'unrecognized token: "` x INTEGER yyy' in text


def test_values_that_cannot_be_are_damage() -> None:
    said = r"s\.bayscope: .* damaged .* not modified"
    with pytest.raises(BadInput, match=said), reading(PATH):
        int("seven")


def test_a_mistake_of_ours_is_none_of_the_files() -> None:
    with (
        closing(sqlite3.connect(":memory:")) as connection,
        pytest.raises(sqlite3.ProgrammingError),
        reading(PATH),
    ):
        connection.execute("SELECT ?")
