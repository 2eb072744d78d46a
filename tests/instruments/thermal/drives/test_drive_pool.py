"""Several devices asked at once, of which some never come back."""

import threading

import pytest

from instruments.errors import SourceError
from instruments.reading import SECOND, Status
from instruments.thermal.drives.drive_pool import LONGEST_WAIT_NS, DrivePool


def test_all_are_asked_at_once() -> None:
    together = threading.Barrier(4)

    def ask(device: str) -> int:
        together.wait(60.0)
        return len(device)

    pool = DrivePool(ask, 60.0)
    assert pool.ask_all(["a", "bb", "ccc", "dddd"], 0) == {
        "a": 1,
        "bb": 2,
        "ccc": 3,
        "dddd": 4,
    }


def test_one_that_does_not_come_back_gets_no_second_question() -> None:
    asked: list[str] = []
    free, back = threading.Event(), threading.Event()

    def ask(device: str) -> str:
        asked.append(device)
        if device == "stuck":
            free.wait(60.0)
            back.set()
        return device

    pool = DrivePool(ask, 1.5)
    for now_ns in range(0, 5 * LONGEST_WAIT_NS, LONGEST_WAIT_NS):
        assert pool.ask_all(["stuck", "well"], now_ns) == {"well": "well"}
    assert asked.count("stuck") == 1
    assert asked.count("well") == 5
    free.set()
    assert back.wait(60.0)
    found = [pool.ask_all(["stuck"], n * LONGEST_WAIT_NS) for n in range(6, 50)]
    assert {"stuck": "stuck"} in found


def test_one_that_was_late_is_left_out_for_longer_each_time() -> None:
    asked: list[int] = []
    now_ns = 0

    def ask(_: str) -> str:
        asked.append(now_ns // SECOND)
        raise SourceError("late", status=Status.TIMEOUT)

    pool = DrivePool(ask, 60.0)
    for now_ns in range(0, 1200 * SECOND, 10 * SECOND):
        assert pool.ask_all(["slow"], now_ns) == {}
    assert asked == [0, 30, 90, 210, 450, 750, 1050]


def test_what_asking_raises_is_raised() -> None:
    def ask(_: str) -> str:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        DrivePool(ask, 60.0).ask_all(["a"], 0)
