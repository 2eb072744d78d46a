"""How numbers of a table are written."""

import pytest

from app.report.numbers import NumberStyle, difference
from app.report.table import show

GERMAN = NumberStyle(",", ".")


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.2, 0, "0,2"),
        (0.183, 0, "0,18"),
        (0.00082, 1, "0,00082"),
        (-0.04, 1, "-0,04"),
        (0.0, 1, "0,0"),
        (0.6, 0, "1"),
        (1.4, 0, "1"),
        (12345.6, 0, "12.346"),
        # What is left of sums that cancel is no figure.
        (1e-16, 1, "0,0"),
    ],
)
def test_what_is_no_nought_is_not_written_as_one(
    value: float, decimals: int, text: str
) -> None:
    assert show(value, decimals, GERMAN) == text


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.3, 0, "+0.3"),
        (-0.012, 1, "-0.012"),
        (12.34, 1, "+12.3"),
        (0.0, 1, "0.0"),
        (-1e-16, 1, "0.0"),
    ],
)
def test_a_difference_that_is_there_is_no_nought(
    value: float, decimals: int, text: str
) -> None:
    assert difference(value, decimals).text() == text


@pytest.mark.parametrize(
    ("text", "german"),
    [
        ("its last value is from 2026-11-24 14:03:07", None),
        ("2026-11-24", "24.11.2026"),
        ("2026-11-24_14-03-07_demo.bayscope", "2026-11-24_14-03-07_demo.bayscope"),
        ("v-2026-11-24", "v-2026-11-24"),
        ("2026-13-45", "2026-13-45"),
    ],
)
def test_days_in_sentences_are_in_the_language(text: str, german: str | None) -> None:
    style = NumberStyle(",", ".", "%d.%m.%Y")
    assert style.dated(text) == (german or "its last value is from 24.11.2026 14:03:07")
    assert NumberStyle().dated(text) == text
