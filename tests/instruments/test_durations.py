import pytest

from instruments.durations import (
    clock_text,
    format_duration,
    length_text,
    parse_duration,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("300s", 300), ("1h", 3600), ("1h30m", 5400), ("500ms", 0.5), ("2.5s", 2.5)],
)
def test_texts_are_read_and_written_back(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds
    assert parse_duration(format_duration(seconds)) == seconds


@pytest.mark.parametrize(
    "text", ["", "abc", "5", "5 parsecs", "-3s", "1h x", "999999d"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"duration|range"):
        parse_duration(text)


def test_numbers_are_seconds_and_flags_are_not() -> None:
    assert parse_duration(90) == 90
    with pytest.raises(ValueError, match="not a duration"):
        parse_duration(True)


def test_remaining_time_reads_like_a_clock() -> None:
    assert clock_text(125) == "2:05"
    assert clock_text(3607) == "1:00:07"
    assert clock_text(-4) == "0:00"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0 ms"), (0.0002, "0.2 ms"), (0.04, "40 ms"), (2.46, "2.5 s")],
)
def test_a_length_is_never_rounded_to_nothing(seconds: float, text: str) -> None:
    assert length_text(seconds) == text
