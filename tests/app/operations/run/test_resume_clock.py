"""The times of a session that goes on, in the same boot and after a restart."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.operations.run.resume_clock import ClockError, Now, carry_on, set_clock
from app.record.store import Session, Writer
from instruments import timebase
from instruments.reading import SECOND
from tests.session_info import session_info

HOUR = 3600 * SECOND
DAY = 24 * HOUR
UP = 30 * DAY
"""How long the computer had been running when the session began."""

WALL = 1_800_000_000 * SECOND
LAST = UP + HOUR + 20 * SECOND
"""The last stored moment: 20 s after the last pair of clocks."""


@pytest.fixture(autouse=True)
def _kernel_clock() -> Iterator[None]:
    yield
    timebase.set_offset(0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A session that was cut off after an hour."""
    info = session_info(boot_id="first", monotonic_ns=UP, realtime_ns=WALL)
    writer = Writer.create(tmp_path / "night.bayscope", info)
    writer.clock_pair(UP + HOUR, WALL + HOUR, "first")
    writer.event(LAST, "info", "mains", "the last thing that was seen")
    writer.abandon()
    return writer.path


def found(path: Path, now: Now) -> tuple[int, bool, int]:
    with Session.open(path) as session:
        carried = carry_on(session, now)
    return carried.offset_ns, carried.is_restarted, carried.behind_ns


def test_in_the_same_boot_the_kernels_clock_went_on(path: Path) -> None:
    # The wall clock was set meanwhile; nobody asks it.
    now = Now(LAST + HOUR, 0, "first")

    assert found(path, now) == (0, False, 0)


def test_after_a_restart_the_wall_clock_tells_how_long_it_was(path: Path) -> None:
    now = Now(90 * SECOND, WALL + 3 * HOUR, "second")

    offset, is_restarted, behind = found(path, now)

    assert (offset + now.kernel_ns, is_restarted, behind) == (UP + 3 * HOUR, True, 0)


def test_a_second_resumption_in_the_new_boot_needs_no_wall_clock(path: Path) -> None:
    offset = resumed_after_a_restart(path, UP + 3 * HOUR)

    again = Now(900 * SECOND, WALL, "second")

    assert found(path, again) == (offset, True, 0)


def test_a_restart_is_known_until_a_step_was_begun_after_it(path: Path) -> None:
    """The first resumption failed, say for a meter that did not answer yet."""
    at = UP + 3 * HOUR
    again = Now(900 * SECOND, WALL, "second")
    offset = resumed_after_a_restart(path, at)
    assert told_of_a_restart(path, again) == (True, at)

    writer = Writer.resume(path, at + 10 * SECOND)
    step = writer.add_step(1, "Idle", "idle", "")
    writer.update_step(step, start_ns=at + 20 * SECOND, outcome="running")
    writer.abandon()

    # Rows that ended before it are still of the boot before.
    assert told_of_a_restart(path, again) == (False, at)
    third = Now(5 * SECOND, WALL + 4 * HOUR, "third")
    assert told_of_a_restart(path, third) == (True, UP + 4 * HOUR)
    assert found(path, again) == (offset, False, 0)


def test_a_wall_clock_that_was_late_is_told_by_the_next_resumption(path: Path) -> None:
    late = Now(60 * SECOND, WALL + HOUR, "second")
    offset, _, behind = found(path, late)
    assert behind == 80 * SECOND
    writer = Writer.resume(path, late.kernel_ns + offset)
    writer.clock_pair(late.kernel_ns + offset, late.realtime_ns, "second", offset)
    writer.abandon()

    again = Now(120 * SECOND, WALL + 2 * HOUR, "second")

    assert found(path, again) == (offset, True, behind)


def test_a_session_of_one_boot_knows_of_no_restart(path: Path) -> None:
    assert told_of_a_restart(path, Now(LAST + HOUR, 0, "first")) == (False, None)
    writer = Writer.resume(path, LAST + SECOND)
    writer.clock_pair(LAST + SECOND, WALL, "first")
    writer.abandon()

    assert told_of_a_restart(path, Now(LAST + HOUR, 0, "first")) == (False, None)


def resumed_after_a_restart(path: Path, at_ns: int) -> int:
    """Begin a resumption in a second boot, and end it before its first step."""
    first = Now(90 * SECOND, WALL + 3 * HOUR, "second")
    offset, _, _ = found(path, first)
    writer = Writer.resume(path, at_ns)
    writer.clock_pair(at_ns, first.realtime_ns, "second", offset)
    writer.abandon()
    return offset


def told_of_a_restart(path: Path, now: Now) -> tuple[bool, int | None]:
    with Session.open(path) as session:
        carried = carry_on(session, now)
    return carried.is_restarted, carried.restarted_ns


def test_a_second_restart_goes_on_from_the_first(path: Path) -> None:
    resumed_after_a_restart(path, UP + 3 * HOUR)

    third = Now(5 * SECOND, WALL + 4 * HOUR, "third")

    assert found(path, third) == (UP + 4 * HOUR - third.kernel_ns, True, 0)


def test_a_clock_without_boot_id_goes_on_by_the_wall_clock(path: Path) -> None:
    now = Now(LAST + HOUR, WALL + 3 * HOUR, "")

    offset, is_restarted, _ = found(path, now)

    assert (offset + now.kernel_ns, is_restarted) == (UP + 3 * HOUR, True)


def test_time_passes_after_a_restart_though_the_wall_clock_is_late(path: Path) -> None:
    # It says that the computer was started 80 s before the last value.
    now = Now(60 * SECOND, WALL + HOUR, "second")

    offset, is_restarted, behind = found(path, now)

    assert (offset, is_restarted, behind) == (LAST, True, 80 * SECOND)


def test_an_offset_is_in_whole_milliseconds_as_fio_logs_are(path: Path) -> None:
    now = Now(90 * SECOND + 1, WALL + 3 * HOUR + 123, "second")

    offset, _, _ = found(path, now)

    assert offset % 1_000_000 == 0
    assert 0 <= offset + now.kernel_ns - (UP + 3 * HOUR) < 2_000_000


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (Now(60 * SECOND, WALL - DAY, "second"), "this cannot be right"),
        (Now(60 * SECOND, 0, "second"), "this cannot be right"),
        (Now(60 * SECOND, WALL + 8 * DAY, "second"), "more than 7 days lie between"),
    ],
)
def test_a_clock_that_cannot_be_right_is_not_believed(
    path: Path, now: Now, told: str
) -> None:
    with Session.open(path) as session, pytest.raises(ClockError, match=told) as error:
        carry_on(session, now)
    assert "Set the clock, or run what is left in a new session." in str(error.value)


def test_a_new_session_is_stamped_by_the_kernels_clock(
    path: Path, read_clocks: Callable[[Now], None]
) -> None:
    read_clocks(Now(90 * SECOND, WALL + 3 * HOUR, "second"))

    with Session.open(path) as session:
        carried = set_clock(session)

    assert carried is not None
    assert timebase.offset_ns() == UP + 3 * HOUR - 90 * SECOND
    assert set_clock(None) is None
    assert timebase.offset_ns() == 0


@pytest.mark.parametrize(
    ("is_set", "behind", "told"),
    [
        (True, 0, "by its wall clock, which is set by NTP"),
        (False, 0, "which is not set by NTP: it may be off"),
        (None, 0, "of which it is not known whether NTP sets it"),
        (False, 80 * SECOND, "It was 80 s late at least"),
    ],
)
def test_what_the_times_are_worth_is_told(
    path: Path, is_set: bool | None, behind: int, told: str
) -> None:
    with Session.open(path) as session:
        carried = carry_on(session, Now(90 * SECOND, WALL + 3 * HOUR, "second"))

    assert told in replace(carried, behind_ns=behind).sentence(is_set)


@pytest.fixture
def read_clocks(monkeypatch: pytest.MonkeyPatch) -> Callable[[Now], None]:
    def give(now: Now) -> None:
        monkeypatch.setattr("app.operations.run.resume_clock.read_clocks", lambda: now)

    return give
