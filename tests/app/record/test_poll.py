"""A source on its beat: steady, lost with a reason, and back again."""

import math
from concurrent.futures import Future
from dataclasses import replace

import pytest

from app.record.poll import LONGEST_WAIT_S, SourceThread
from instruments.base import Source
from instruments.errors import SourceError
from instruments.reading import SECOND, Channel, Reading, Status
from tests.app.record.bench import IDENTITY, LeapingClock, Notes, Scripted
from tests.app.record.recording import START, TENTH


def _run(
    source: Scripted, clock: LeapingClock, *, required: bool = True
) -> tuple[Notes, SourceThread]:
    notes = Notes()
    thread = SourceThread(source, notes, clock, required=required)
    thread.start()
    assert thread.join(60)
    return notes, thread


def test_the_beat_does_not_drift() -> None:
    clock = LeapingClock(START + 100 * SECOND)
    source = Scripted(clock, took_s=0.03)
    notes, thread = _run(source, clock)
    starts = [reading.start_ns for reading in notes.readings]
    assert 999 <= len(starts) <= 1001
    assert starts[-1] - starts[0] == pytest.approx(TENTH * (len(starts) - 1), abs=1e6)
    assert thread.health.readings == len(starts)
    assert thread.health.missed == 0
    assert thread.health.state == "stopped"
    assert notes.identities == [IDENTITY]
    assert notes.gaps == []
    assert len(source.threads) == 1
    assert source.calls[0] == "open"
    assert source.calls[-1] == "close"


def test_beats_it_is_too_slow_for_are_left_out_and_counted() -> None:
    clock = LeapingClock(START + 10 * SECOND)
    notes, thread = _run(Scripted(clock, took_s=0.25), clock)
    assert 33 <= len(notes.readings) <= 50
    assert thread.health.missed > 30
    beats = {round((reading.start_ns - START) / TENTH) for reading in notes.readings}
    assert len(beats) == len(notes.readings)
    assert notes.events == [
        (
            "warning",
            "12 of 20 readings missed; the instrument is slower than its polling "
            "interval (reads take up to 0.25 s, interval 0.1 s)",
        )
    ]


def test_a_pause_of_a_slow_instrument_has_its_reason() -> None:
    clock = LeapingClock(START + 10 * SECOND)
    source = Scripted(clock, took_s=0.05)
    notes = Notes()
    # What is asked after the values takes time that is no part of the reading.
    plain = source.read

    def read_and_check() -> Reading:
        reading = plain()
        clock.now += 4 * TENTH
        return reading

    source.read = read_and_check  # type: ignore[method-assign]
    thread = SourceThread(source, notes, clock, required=True)
    thread.start()
    assert thread.join(60)
    start, end, status = notes.gaps[0]
    assert (start, status) == (notes.readings[0].end_ns, Status.MISSED)
    assert end == notes.readings[1].start_ns
    assert len(notes.gaps) == len(notes.readings) - 1
    # Energy goes on being counted by the meter meanwhile, so it has to be told apart.
    told = "the instrument is slower than its polling interval (0.45 s a read)"
    assert notes.details[0] == told


def test_what_no_value_tells_is_an_event() -> None:
    clock = LeapingClock(START + 3 * SECOND)
    source = Scripted(clock)
    notes = Notes()
    plain = source.read
    told = iter(["reads by /dev/sg6 now"])

    def read() -> Reading:
        return replace(plain(), notice=next(told, ""))

    source.read = read  # type: ignore[method-assign]
    thread = SourceThread(source, notes, clock, required=True)
    thread.start()
    assert thread.join(60)
    assert notes.events == [("warning", "reads by /dev/sg6 now")]


def test_a_channel_that_falls_silent_is_told_and_so_is_its_return() -> None:
    clock = LeapingClock(START + 30 * SECOND)
    source = Scripted(clock)
    notes = Notes()
    plain = source.read

    def read() -> Reading:
        reading = plain()
        if not 5 * SECOND < reading.start_ns - START < 12 * SECOND:
            return reading
        gap = (math.nan,), (Status.NAN,)
        trouble = "mains: not one figure in it. Check its display."
        start, end = reading.start_ns, reading.end_ns
        return Reading(reading.channels, start, end, *gap, trouble=trouble)

    source.read = read  # type: ignore[method-assign]
    thread = SourceThread(source, notes, clock, required=True)
    thread.start()
    assert thread.join(60)
    assert [level for level, _ in notes.events] == ["warning", "info"]
    lost, back = (message for _, message in notes.events)
    assert lost == (
        "P has no value (nan): mains: not one figure in it. Check its display."
    )
    assert back.startswith("P has values again after 7.")


def test_a_lost_source_is_a_gap_until_it_reads_again() -> None:
    clock = LeapingClock(START + 30 * SECOND)
    source = Scripted(
        clock, opens=["", "no route", "no route"], reads=["", "", "it hangs"]
    )
    notes, thread = _run(source, clock)
    assert [level for level, _ in notes.events] == ["error", "info"]
    assert "lost: mains: it hangs" in notes.events[0][1]
    assert "is back after" in notes.events[1][1]
    first, last = notes.gaps[0], notes.gaps[-1]
    assert first[0] == notes.readings[1].end_ns
    assert last[1] <= notes.readings[2].start_ns
    ends = [gap[1] for gap in notes.gaps]
    assert [gap[0] for gap in notes.gaps[1:]] == ends[:-1]
    assert {gap[2] for gap in notes.gaps} == {Status.TIMEOUT}
    assert 3.4 * SECOND < last[1] - first[0] < 3.7 * SECOND
    assert source.calls[:8] == [
        *("open", "read", "read", "read", "close"),
        *("open", "close", "open"),
    ]
    assert thread.health.last_error.startswith("mains: no route")


def test_waits_grow_to_ten_seconds() -> None:
    clock = LeapingClock(START + 600 * SECOND)
    source = Scripted(clock, opens=["", *["no route"] * 1000], reads=["gone"])
    notes, thread = _run(source, clock)
    tries = source.calls.count("open")
    assert 600 / LONGEST_WAIT_S <= tries <= 600 / LONGEST_WAIT_S + 6
    assert thread.health.state == "stopped"
    assert notes.gaps[-1][1] >= START + 600 * SECOND
    assert len(notes.events) == 1


def test_a_required_source_that_cannot_be_opened_is_an_error() -> None:
    clock = LeapingClock()
    source = Scripted(clock, opens=["connection refused"])
    notes, thread = _run(source, clock)
    with pytest.raises(SourceError, match="connection refused"):
        thread.opened.result(0)
    assert source.calls == ["open", "close"]
    assert notes.gaps == []


def test_another_source_is_tried_again_and_has_a_gap() -> None:
    clock = LeapingClock(START + 20 * SECOND)
    source = Scripted(clock, opens=["connection refused"] * 3)
    notes, thread = _run(source, clock, required=False)
    assert thread.opened.exception(0) is not None
    assert notes.readings
    assert notes.gaps[0][0] <= START + SECOND // 100
    assert [level for level, _ in notes.events] == ["error", "info"]


def test_a_bug_in_a_driver_is_a_loss_and_no_dead_thread(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = LeapingClock(START + 20 * SECOND)
    source = Scripted(clock, reads=["", "bug in the driver"])
    notes, _ = _run(source, clock)
    assert "KeyError" in notes.events[0][1]
    assert len(notes.readings) > 100
    assert {gap[2] for gap in notes.gaps} == {Status.ERROR}
    assert "the driver of mains failed" in caplog.text


def test_another_device_at_the_same_place_is_said() -> None:
    clock = LeapingClock(START + 20 * SECOND)
    source = Scripted(clock, reads=["", "gone"])
    notes = Notes()
    other = replace(IDENTITY, serial="2")
    notes.on_reading = lambda _: setattr(source, "identity", other)
    thread = SourceThread(source, notes, clock, required=True)
    thread.start()
    assert thread.join(60)
    assert [level for level, _ in notes.events] == ["error", "warning", "info"]
    assert "model 2 in place of model 1" in notes.events[1][1]
    assert notes.identities == [IDENTITY, other]


def test_an_order_is_carried_out_between_two_reads_and_leaves_a_gap() -> None:
    clock = LeapingClock(START + 20 * SECOND)
    source = Scripted(clock)
    notes = Notes()
    thread = SourceThread(source, notes, clock, required=True)
    answers: list[Future[int]] = []

    def settle(asked: Source) -> int:
        source.calls.append("order")
        clock.now += 3 * SECOND
        return len(asked.channels)

    def order_once(reading: Reading) -> None:
        if len(notes.readings) == 5:
            answers.append(thread.ask(settle))

    notes.on_reading = order_once
    thread.start()
    assert thread.join(60)
    assert answers[0].result(0) == 1
    assert source.calls[5:8] == ["read", "order", "read"]
    before, after = notes.readings[4], notes.readings[5]
    [(start, end, status)] = notes.gaps
    assert (start, status) == (before.end_ns, Status.STALE)
    assert 3 * SECOND < end - start < 3.2 * SECOND
    assert end < after.start_ns
    assert notes.events == []


def test_an_order_that_fails_loses_the_source() -> None:
    clock = LeapingClock(START + 20 * SECOND)
    source = Scripted(clock)
    notes = Notes()
    thread = SourceThread(source, notes, clock, required=True)
    answers: list[Future[None]] = []

    def fail(_: Source) -> None:
        raise SourceError("the range was not taken", where="mains")

    def order_once(reading: Reading) -> None:
        if len(notes.readings) == 5:
            answers.append(thread.ask(fail))

    notes.on_reading = order_once
    thread.start()
    assert thread.join(60)
    with pytest.raises(SourceError, match="was not taken"):
        answers[0].result(0)
    assert [level for level, _ in notes.events] == ["error", "info"]
    assert len(notes.readings) > 50
    late = thread.ask(lambda one: one.name)
    with pytest.raises(SourceError):
        late.result(0)


def test_the_length_of_slow_polls_is_a_channel() -> None:
    clock = LeapingClock(START + 20 * SECOND)
    source = Scripted(clock, took_s=0.03)
    source.period_s = 2.0
    listener = Scripted(clock)
    listener.section, listener.period_s = "noise", 2.0
    notes, _ = _run(listener, clock)
    assert {r.channels[0].quantity for r in notes.readings} == {"P"}
    clock.now = START
    notes, _ = _run(source, clock)
    cost = [r for r in notes.readings if r.channels[0].quantity == "poll"]
    assert cost[0].channels == (Channel("mains", "poll", "s", period_ns=2 * SECOND),)
    assert len(cost) == len(notes.readings) // 2
    assert cost[0].values[0] == pytest.approx(0.03, abs=1e-4)
