from collections.abc import Callable, Iterator

import pytest

from app.record.clock import SystemClock
from instruments import timebase
from instruments.reading import SECOND

DAY = 86_400 * SECOND


@pytest.fixture(autouse=True)
def _kernel_clock() -> Iterator[None]:
    yield
    timebase.set_offset(0)


def test_it_is_the_kernels_clock_unless_an_offset_is_set() -> None:
    before = timebase.kernel_ns()
    now = timebase.monotonic_ns()

    assert before <= now <= timebase.kernel_ns()


def test_an_offset_is_in_all_times_from_then_on() -> None:
    timebase.set_offset(3 * DAY)

    before = timebase.kernel_ns()
    now = timebase.monotonic_ns()
    assert before <= now - 3 * DAY <= timebase.kernel_ns()
    assert SystemClock().monotonic_ns() >= now


def test_a_clock_that_was_given_as_a_default_has_it_too() -> None:
    def read(clock: Callable[[], int] = timebase.monotonic_ns) -> int:
        return clock()

    timebase.set_offset(DAY)

    before = timebase.kernel_ns()
    assert before <= read() - DAY <= timebase.kernel_ns()
