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
