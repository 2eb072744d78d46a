"""What others wrote is shown letter by letter, and an error is one line."""

import errno
import json
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import pytest

from instruments.errors import BadInput, one_line, plain_words, printable
from instruments.files.foreign_text import MISSHAPEN


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\tc", "a\\nb\\tc"),
        ("a\u202eb", "a\\u202eb"),
        ("\u200f\u061c\ufeff\u2066", "\\u200f\\u061c\\ufeff\\u2066"),
        ("\udcff\U000e0001", "\\udcff\\U000e0001"),
        ("5\u00a0\u00b5s \U0001f600", "5\u00a0\u00b5s \U0001f600"),
        ("\u3164\u115f\u034f\u2800", "\\u3164\\u115f\\u034f\\u2800"),
        ("\u6771\u3000\u4eac", "\u6771\u3000\u4eac"),
        ("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("a\u200db\u3164\u200d\u3164", "a\\u200db\\u3164\\u200d\\u3164"),
    ],
)
def test_what_is_not_seen_is_written_by_its_number(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert str(BadInput(text)) == f"{shown}."


def test_lines_may_stay_lines() -> None:
    assert printable("a\nb\r", "\n") == "a\nb\\r"


def test_a_line_is_not_endless() -> None:
    assert len(one_line("x" * 10_000_000)) < 2000


def _two(given: Any) -> Any:
    one, two = given
    return one + two


def _keyword(*, size: int) -> int:
    return size


KIND = "a value in it has the wrong type"

PYTHONS: list[tuple[Callable[[], object], str]] = [
    (lambda: dict[str, int]()["runtime"], '"runtime" is missing'),
    (lambda: list[int]()[0], "a part of it is missing"),
    (lambda: float("a b"), '"a b" is not a number'),
    (lambda: int("1.5"), '"1.5" is not a whole number'),
    (lambda: int("9" * 5000), "a number is out of range"),
    (lambda: int(float("nan")), "a number is out of range"),
    (lambda: int(float("inf")), "a number is out of range"),
    (lambda: 1 / 0, "a number in it is out of range"),
    (lambda: datetime.fromisoformat("noon"), '"noon" is not a time'),
    (lambda: datetime.fromisoformat("2024-13-01T00:00:00"), "a time is out of range"),
    (lambda: _two([1]), "a part of it is missing"),
    (lambda: _two([1, "a"]), KIND),
    (
        lambda: cast("Any", "").none,
        "a value in it has the wrong type",
    ),
    (b"\xff".decode, "its text is damaged"),
    (lambda: json.loads("{"), "it is not JSON, line 1 column 2"),
    (lambda: _keyword(**{"size": 1, "sort": 2}), '"sort" is not known'),
    (lambda: _keyword(**{}), '"size" is missing'),
    (lambda: Path("/dev/null/x").read_text(), os.strerror(errno.ENOTDIR)),
]


@pytest.mark.parametrize(("mistake", "told"), PYTHONS)
def test_pythons_own_words_are_not_shown(
    mistake: Callable[[], object], told: str
) -> None:
    with pytest.raises((*MISSHAPEN, OSError)) as caught:
        mistake()
    assert plain_words(caught.value) == told


def test_a_text_of_our_own_is_kept() -> None:
    assert plain_words(ValueError("no element in it")) == "no element in it"
