"""Interlocks over a recorded session: real sockets, the store, a run that is held."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from app.campaign.phases.steering import Interruption, Steering
from app.campaign.run.interlock_watch import ChannelWatch, InterlockWatch
from app.plan.interlocks import Interlock
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session
from instruments.reading import SECOND, Channel, Reading, Status
from tests.app.record.recording import INFO

HOT = Channel("ses", "temperature", "degC", "slot07", period_ns=SECOND)
LIMIT = Interlock("Hot", ("*.temperature.slot*",), above=60, until=55)


class Bench:
    """A recorder that a test feeds by hand, and what steers the run."""

    def __init__(self, folder: Path) -> None:
        self.steering = Steering()
        self.recorder = Recorder(folder / "s.bayscope", INFO, clock=SystemClock())
        self.recorder.start()
        self.recorder.call(lambda w: w.add_channels([HOT]))

    def feel(self, value: float) -> None:
        """Let slot 7 have a temperature just now."""
        now = self.recorder.clock.monotonic_ns()
        status = Status.OK if np.isfinite(value) else Status.TIMEOUT
        reading = Reading((HOT,), now, now, (value,), (status,))
        self.recorder.append(reading)
        self.recorder.call(lambda w: w.commit())

    def wait_for(self, wanted: Interruption) -> None:
        """Wait until the run is interrupted so."""
        pause = threading.Event()
        for _ in range(1200):
            if self.steering.interruption is wanted:
                return
            pause.wait(0.05)
        pytest.fail(f"still {self.steering.interruption}, not {wanted}")


def wait_until(ready: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(1200):
        if ready():
            return
        pause.wait(0.05)
    pytest.fail("it did not happen")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.recorder.close()


def test_a_hot_drive_holds_the_run_until_it_is_cool(bench: Bench) -> None:
    with InterlockWatch([LIMIT], bench.recorder, bench.steering):
        bench.feel(61.5)
        bench.wait_for(Interruption.HOLD)
        assert bench.steering.held == (
            "Hot: ses.temperature.slot07 is 61.5 °C, above 60"
        )
        bench.feel(58)  # not good enough
        bench.feel(float("nan"))  # a gap says nothing
        threading.Event().wait(0.8)
        assert bench.steering.interruption is Interruption.HOLD
        bench.feel(54)
        wait_until(lambda: not bench.steering.held)
        bench.steering.begin_step(1)
        assert not bench.steering.struck
    bench.recorder.close()
    with Session.open(bench.recorder.path) as session:
        told = [event.message for event in session.events()]
        assert any("the run is paused: Hot: ses" in text for text in told)
        assert any("Hot: cleared" in text for text in told)


def test_one_that_stops_ends_the_run(bench: Bench) -> None:
    stop = Interlock("Hot", ("ses.*",), above=60, action="stop")
    with InterlockWatch([stop], bench.recorder, bench.steering):
        bench.feel(70)
        bench.wait_for(Interruption.ABORT)
    assert bench.steering.ended.startswith("Hot: ses.temperature.slot07 is 70")
    assert not bench.steering.cancel.is_set()


def test_a_run_is_not_held_for_ever(bench: Bench) -> None:
    short = Interlock("Hot", ("ses.*",), above=60, give_up_s=0.2)
    with InterlockWatch([short], bench.recorder, bench.steering):
        bench.feel(70)
        bench.wait_for(Interruption.ABORT)
    assert bench.steering.ended == "Hot: still so after 0.2 s"


def test_a_disk_without_room_holds(bench: Bench) -> None:
    full = Interlock("Full", disk_free=2**60)
    with InterlockWatch([full], bench.recorder, bench.steering):
        bench.wait_for(Interruption.HOLD)
    assert "are left on the disk of the session" in bench.steering.held


def test_it_has_to_last(bench: Bench) -> None:
    second = round(SECOND)
    lasting = Interlock("Hot", ("ses.*",), above=60, for_s=2)
    values = (61.0, 61.0, 59.0, 61.0, float("nan"), 61.0, 62.0)
    status = [Status.OK if np.isfinite(v) else Status.TIMEOUT for v in values]
    start = bench.recorder.clock.monotonic_ns() - 60 * second
    for number, value in enumerate(values):
        t = start + number * second
        bench.recorder.append(Reading((HOT,), t, t, (value,), (status[number],)))
    bench.recorder.call(lambda w: w.commit())
    seen = []
    with Session.open(bench.recorder.path) as session:
        watch = ChannelWatch(HOT, lasting, start)
        for number in range(len(values)):
            watch.look(session, start + number * second)
            seen.append(watch.tripped)
    assert seen == [False, False, False, False, False, True, True]
    assert watch.value == 62.0


def test_an_empty_slot_keeps_no_run_held(bench: Bench) -> None:
    empty = Channel("ses", "temperature", "degC", "slot08", period_ns=SECOND)
    bench.recorder.call(lambda w: w.add_channels([empty]))
    with InterlockWatch([LIMIT], bench.recorder, bench.steering):
        bench.feel(61.5)
        bench.wait_for(Interruption.HOLD)
        bench.feel(54)
        wait_until(lambda: not bench.steering.held)


def test_two_of_one_name_hold_each_for_itself(bench: Bench) -> None:
    strict = Interlock("Hot", LIMIT.channels, above=60, until=40)
    with InterlockWatch([LIMIT, strict], bench.recorder, bench.steering):
        bench.feel(61.5)
        wait_until(lambda: bench.steering.held.count("61.5") == 2)
        bench.feel(50)
        wait_until(lambda: bench.steering.held.count("61.5") == 1)
        bench.feel(39)
        wait_until(lambda: not bench.steering.held)


def test_a_watch_that_cannot_look_ends_the_run(bench: Bench) -> None:
    bench.recorder.path.with_name("away").mkdir()
    bench.recorder.path.rename(bench.recorder.path.with_name("away") / "s.bayscope")
    with InterlockWatch([LIMIT], bench.recorder, bench.steering):
        wait_until(lambda: bool(bench.steering.ended))
    assert "the interlocks cannot be watched" in bench.steering.ended
    (bench.recorder.path.with_name("away") / "s.bayscope").rename(bench.recorder.path)
