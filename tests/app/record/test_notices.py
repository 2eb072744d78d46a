"""Channels that fall silent: told once, with their reason, and told when back."""

import math
from dataclasses import replace

from app.record.notices import Silence
from instruments.reading import SECOND, Channel, Reading, Status

CHANNELS = tuple(
    Channel("shelf", "temperature", "degC", f"slot{number}") for number in range(5)
)


def read(second: float, *bad: int, status: Status = Status.ERROR) -> Reading:
    at = round(second * SECOND)
    statuses = tuple(status if n in bad else Status.OK for n in range(5))
    values = tuple(math.nan if n in bad else 30.0 for n in range(5))
    return Reading(CHANNELS, at, at + 1000, values, statuses, trouble="It broke.")


def run(*readings: Reading) -> list[tuple[str, str]]:
    silence = Silence()
    return [told for reading in readings for told in silence.note(reading)]


def test_many_channels_are_one_event() -> None:
    found = run(read(0), read(1), read(2, 0, 1, 2, 3), read(3, 0, 1, 2, 3), read(4))
    assert found == [
        (
            "warning",
            "temperature.slot0, temperature.slot1, temperature.slot2 and 1 more have "
            "no value (error): It broke.",
        ),
        (
            "info",
            "temperature.slot0, temperature.slot1, temperature.slot2 and 1 more have "
            "values again after 3.0 s",
        ),
    ]


def test_what_never_had_a_value_or_has_none_to_give_is_no_event() -> None:
    assert run(read(0, 2), read(5, 2), read(9, 2)) == []
    for status in (Status.STANDBY, Status.UNSUPPORTED):
        assert run(read(0), read(5, 2, status=status), read(9)) == []
    unasked = replace(read(5, 2, status=Status.ABSENT), end_ns=5 * SECOND)
    assert run(read(0), unasked, read(9)) == []


def test_a_repeat_or_a_short_hole_is_no_event() -> None:
    beats = [read(n / 20, *([2] if n % 2 else [])) for n in range(200)]
    assert run(*beats) == []


def test_a_channel_that_comes_and_goes_is_told_of_once_a_minute() -> None:
    beats = [read(n, *([2] if n % 4 else [])) for n in range(1, 100)]
    levels = [level for level, _ in run(*beats)]
    assert levels.count("warning") == 2
    assert levels.count("info") == 2


def test_after_a_loss_of_the_source_all_begins_anew() -> None:
    silence = Silence()
    for reading in (read(0), read(2, 1)):
        silence.note(reading)
    silence.forget()
    assert silence.note(read(10)) == []
