"""The clocks of this machine."""

import threading
import time

from app.record.clock import SystemClock


def test_system_clock_is_the_machines() -> None:
    clock = SystemClock()
    before = time.monotonic_ns()
    assert before <= clock.monotonic_ns() <= time.monotonic_ns()
    assert abs(clock.realtime_ns() - time.time_ns()) < 10**9
    assert clock.boot_id() == SystemClock().boot_id()


def test_wait_ends_with_the_event() -> None:
    clock, event = SystemClock(), threading.Event()
    assert not clock.wait(event, 0.001)
    assert not clock.wait(event, -1)
    event.set()
    assert clock.wait(event, 60)
