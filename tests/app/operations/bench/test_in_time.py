"""Jobs with deadlines: real threads, one of them hangs."""

import threading

import pytest

from app.operations.bench.in_time import Job, in_time
from instruments.errors import BenchError


def test_a_job_that_hangs_holds_up_no_other() -> None:
    release = threading.Event()
    told: list[str] = []

    def fail() -> int:
        raise BenchError("broken", where="bad")

    jobs = [
        Job("stuck", lambda: int(release.wait(60.0))),
        Job("stuck too", lambda: int(release.wait(60.0))),
        Job("good", lambda: 1),
        Job("bad", fail),
    ]
    try:
        stuck, _, good, bad = in_time(jobs, 0.2, told.append, at_once=2)
    finally:
        release.set()
    assert told == ["stuck", "stuck too", "good", "bad"]
    assert "longer than 0.2 s" in str(stuck)
    assert good == 1
    assert str(bad) == "bad: broken."


def test_no_job_is_no_wait_and_a_bug_is_raised() -> None:
    assert in_time([], 1.0) == []
    with pytest.raises(ZeroDivisionError):
        in_time([Job("bug", lambda: 1 // 0)], 1.0)
