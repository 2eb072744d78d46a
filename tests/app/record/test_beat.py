"""The beat: absolute, and honest about an instrument that cannot keep it."""

from app.record.poll import Beat
from instruments.reading import SECOND

TENTH = SECOND // 10


def judge(beat: Beat, times: int, missed: int, took_s: float) -> list[str]:
    found = (beat.judge(missed, round(took_s * SECOND), 0.1) for _ in range(times))
    return [told for told in found if told]


def test_deadlines_are_absolute() -> None:
    beat = Beat()
    beat.begin(SECOND)
    assert beat.advance(SECOND + TENTH // 2, 0.1) == 0
    assert beat.due_ns == SECOND + TENTH
    assert beat.advance(SECOND + 4 * TENTH + 1, 0.1) == 2
    assert beat.due_ns == SECOND + 4 * TENTH


def test_a_slow_instrument_is_told_of_once_and_when_it_keeps_up_again() -> None:
    beat = Beat()
    [told] = judge(beat, 100, 1, 0.15)
    assert told.startswith("10 of 20 readings missed; the instrument is slower than")
    assert judge(beat, 60, 0, 0.02) == ["keeps up with its polling interval again"]


def test_a_machine_that_is_late_is_not_taken_for_a_slow_instrument() -> None:
    [told] = judge(Beat(), 20, 1, 0.02)
    assert "this machine was late" in told


def test_a_beat_lost_now_and_then_is_not_told_of() -> None:
    beat = Beat()
    for _ in range(20):
        assert judge(beat, 18, 0, 0.02) == []
        assert judge(beat, 1, 1, 0.15) == []
