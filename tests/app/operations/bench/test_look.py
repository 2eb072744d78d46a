"""A look at one source: what it has told after one reading or two."""

import math
from collections.abc import Iterator

import pytest

from app.operations.bench.check import look
from instruments.base import Source
from instruments.errors import SourceError
from instruments.reading import Channel, Identity, Reading, Status

TEMPERATURE = Channel("ses", "temperature", "degC", "slot00")
RATE = Channel("ses", "rate", "1/s")


class Fake:
    """A source that gives the readings it was told to."""

    name, section, driver, period_s = "ses", "thermal", "test", 0.01
    channels: tuple[Channel, ...] = (TEMPERATURE,)

    def __init__(self, *readings: Reading | Exception) -> None:
        self._readings: Iterator[Reading | Exception] = iter(readings)
        self.closed = False

    def open(self) -> Identity:
        return Identity("", "shelf", "", "", "")

    def read(self) -> Reading:
        found = next(self._readings)
        if isinstance(found, Exception):
            raise found
        return found

    def close(self) -> None:
        self.closed = True


def reading(channel: Channel, value: float, status: Status = Status.OK) -> Reading:
    return Reading((channel,), 0, 1, (value,), (status,), b"raw")


def test_an_answer_without_a_value_is_kept_with_its_status() -> None:
    source = Fake(reading(TEMPERATURE, math.nan, Status.ABSENT))
    found = look(source)
    assert source.closed
    assert found.error is None
    assert [status for _, _, status in found.values] == [Status.ABSENT]
    assert found.raw == "raw"


def test_channels_that_are_read_in_turn_are_put_together() -> None:
    source: Source = Fake(reading(TEMPERATURE, 21.0), reading(RATE, 5.0))
    source.channels = (TEMPERATURE, RATE)  # type: ignore[misc]
    assert {c.name: v for c, v, _ in look(source).values} == {
        "ses.temperature.slot00": 21.0,
        "ses.rate": 5.0,
    }


def test_places_whose_turn_does_not_come_are_counted() -> None:
    drives = [Channel("smart", "temperature", "degC", f"slot{n:02d}") for n in range(9)]
    ages = [Channel("smart", "power_on_hours", "", f"slot{n:02d}") for n in range(9)]
    source: Source = Fake(reading(drives[0], 21.0), reading(drives[1], 22.0))
    source.channels = (*drives, *ages)  # type: ignore[misc]
    found = look(source)
    assert (len(found.values), found.later) == (2, 7)


def test_a_rate_takes_two_readings() -> None:
    found = look(
        Fake(reading(TEMPERATURE, math.nan, Status.NAN), reading(TEMPERATURE, 7.0))
    )
    assert [value for _, value, _ in found.values] == [7.0]


@pytest.mark.parametrize("error", [SourceError("lost", where="ses"), KeyError("bug")])
def test_what_fails_is_told_and_closed(error: Exception) -> None:
    source = Fake(error)
    found = look(source)
    assert source.closed
    assert found.identity is not None
    assert found.error is not None
    assert str(error).strip("'") in str(found.error)
