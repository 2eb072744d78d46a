"""Where slots are drawn: by the bench's layout, or by a guess."""

import pytest

from app.report.slots import caption_of, missing_slots, rows_of_slots
from instruments.reading import Channel


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


def test_why_there_are_no_slots_depends_on_what_was_recorded() -> None:
    bay = Channel("shelf", "state", "", "slot01")
    drives = [Channel("smart", "temperature", "degC", f"drive-S{n}") for n in range(3)]
    assert missing_slots([]).startswith("Add an enclosure")
    told = missing_slots([bay, *drives])
    assert told.startswith("3 drives were asked, and in which slot each sits is not")
    assert "shelf reports its bays" in told
    assert "shelf" not in missing_slots(drives)
    assert "Add the drives themselves" in missing_slots([bay])
