"""What others wrote is shown letter by letter, and an error is one line."""

import pytest

from instruments.errors import BadInput, one_line, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\tc", "a\\nb\\tc"),
        ("a\u202eb", "a\\u202eb"),
        ("\u200f\u061c\ufeff\u2066", "\\u200f\\u061c\\ufeff\\u2066"),
        ("\udcff\U000e0001", "\\udcff\\U000e0001"),
        ("5\u00a0\u00b5s \U0001f600", "5\u00a0\u00b5s \U0001f600"),
    ],
)
def test_what_is_not_seen_is_written_by_its_number(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert str(BadInput(text)) == f"{shown}."


def test_lines_may_stay_lines() -> None:
    assert printable("a\nb\r", "\n") == "a\nb\\r"


def test_a_line_is_not_endless() -> None:
    assert len(one_line("x" * 10_000_000)) < 2000
