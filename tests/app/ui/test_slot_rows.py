"""Where slots are drawn: by the bench's layout, or by a guess."""

import pytest

from app.ui.slot_rows import caption_of, rows_of_slots


def slots(count: int) -> list[str]:
    return [f"slot{number:02d}" for number in range(count)]


def test_the_layout_of_the_bench_counts() -> None:
    rows = rows_of_slots('[dut]\nlayout = "2x12"\n', slots(24))
    assert [len(row) for row in rows] == [12, 12]
    assert rows[1][0] == "slot12"
    assert "2 rows of 12" in caption_of('[dut]\nlayout = "2x12"\n', slots(24))


def test_sixty_slots_are_guessed_and_said_to_be() -> None:
    rows = rows_of_slots("", slots(60))
    assert [len(row) for row in rows] == [15] * 4
    assert rows[-1][0] == "slot00"
    assert "guess" in caption_of("", slots(60))


def test_slots_that_a_layout_does_not_know_follow() -> None:
    rows = rows_of_slots('[dut]\nlayout = "1x2"\n', ["slot00", "slot01", "slot07"])
    assert rows == [["slot00", "slot01"], ["slot07"]]


@pytest.mark.parametrize(
    "bench", ["not = [toml", "dut = 3", '[dut]\nlayout = "/nowhere/at-all.toml"\n']
)
def test_without_a_layout_slots_are_in_order(bench: str) -> None:
    rows = rows_of_slots(bench, slots(20))
    assert [len(row) for row in rows] == [15, 5]
    assert "no layout" in caption_of(bench, slots(20))
