"""A queue that is full loses readings, and knows which."""

from app.record.writer_thread import Overflow
from tests.app.record.recording import NOISE, POWER, readings


def test_what_finds_no_room_is_remembered_by_source() -> None:
    overflow = Overflow(3)
    power, noise = readings(POWER, 10), readings(NOISE, 2)
    assert [overflow.admit(reading) for reading in power[:5]] == [True] * 3 + [
        False
    ] * 2
    assert not overflow.admit(noise[0])
    lost = {one.channels: one for one in overflow.take()}
    assert lost[POWER].start_ns == power[3].start_ns
    assert lost[POWER].end_ns == power[4].end_ns
    assert (lost[POWER].count, lost[NOISE].count) == (2, 1)
    assert overflow.take() == []


def test_room_comes_back() -> None:
    overflow = Overflow(1)
    first, second, third = readings(POWER, 3)
    assert overflow.admit(first)
    assert not overflow.admit(second)
    overflow.done(1)
    assert overflow.admit(third)
