"""A frozen display: its first seconds are no measurement either."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.analysis.samples import samples_of
from app.record.store import Session
from instruments.reading import SECOND, Reading, Status
from tests.app.analysis.record import START, WINDOW, Record, channel


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return Record(tmp_path)


def stored(
    record: Record, power: Callable[[int], float], stale: Callable[[int], bool]
) -> tuple[float, int, int]:
    """Store ten seconds of power and voltage; get mean, valid and expected samples."""
    both = (channel("a", "P", "W"), channel("a", "S", "VA"))
    for number in range(100):
        at = START + number * SECOND // 10
        status = Status.STALE if stale(number) else Status.OK
        values = (power(number), power(number) + 1)
        record.writer.append([Reading(both, at, at, values, (status,) * 2)])
    record.writer.commit()
    record.writer.finish()
    with Session.open(record.path) as session:
        found = samples_of(session, both[0], WINDOW)
    return float(found.values.mean()), found.values.size, found.expected


def test_the_first_seconds_of_a_frozen_display_are_left_out(record: Record) -> None:
    """It stands still from 3 s to 7 s, and is called so after 3 s."""

    def power(number: int) -> float:
        return 900.0 if 30 <= number < 70 else 500.0 + number % 7

    mean, valid, expected = stored(record, power, lambda number: 60 <= number < 70)
    assert mean == pytest.approx(503, abs=0.2)
    assert (valid, expected) == (60, 100)


def test_a_refresh_that_was_read_twice_loses_only_itself(record: Record) -> None:
    def power(number: int) -> float:
        return 500.0 + number // 2 % 7

    _, valid, expected = stored(record, power, lambda number: number % 2 == 1)
    assert (valid, expected) == (50, 100)


def test_what_varies_beside_it_was_not_frozen(record: Record) -> None:
    """The source was called stale for another reason, and had changed just before."""

    def power(number: int) -> float:
        return 500.0 + number % 2

    _, valid, expected = stored(record, power, lambda number: number >= 90)
    assert (valid, expected) == (90, 100)
