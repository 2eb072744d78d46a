"""Work aside: what comes of it, and what does not."""

import threading

import pytest

from instruments.tools.detached import begin


def test_what_comes_of_it_is_had() -> None:
    assert begin(lambda: 6 * 7, "sum").result(60.0) == 42


def test_what_it_raises_is_raised_where_it_is_waited_for() -> None:
    with pytest.raises(ZeroDivisionError):
        begin(lambda: 1 / 0, "sum").result(60.0)


def test_nobody_has_to_wait_for_what_hangs() -> None:
    free = threading.Event()
    waiting = begin(lambda: free.wait(60.0), "hang")
    with pytest.raises(TimeoutError):
        waiting.result(0.01)
    (thread,) = (each for each in threading.enumerate() if each.name == "hang")
    assert thread.daemon
    free.set()
    assert waiting.result(60.0)
