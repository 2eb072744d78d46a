"""The times of a session that is continued, also after a restart of the computer.

In the same boot the kernel's clock went on. After a restart it began again, and what is
known of the time between is the wall clock: the session's last pair of both clocks is
carried on by it. That is as good as the wall clock was set, before and after; but the
time since the boot has passed for certain, and all of it after the last stored value.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import pairwise

from app.operations.bench.machine_looks import is_set_by_ntp
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import ClockPair, Session
from instruments import timebase
from instruments.errors import BadInput
from instruments.reading import SECOND
from instruments.tools.hosts import LocalHost


def last_restart(
    start: ClockPair, pairs: Sequence[ClockPair]
) -> tuple[ClockPair, ClockPair] | None:
    """Get the last pair of clocks before a restart and the first one after it."""
    found = None
    for before, pair in pairwise([start, *pairs]):
        if (before.boot_id, before.offset_ns) != (pair.boot_id, pair.offset_ns):
            found = before, pair
    return found


def late_by_ns(before: ClockPair, after: ClockPair) -> int:
    """Get how much too early the wall clock was for certain, as it was carried on."""
    passed_ns = after.monotonic_ns - before.monotonic_ns
    late_ns = passed_ns - (after.realtime_ns - before.realtime_ns)
    # Below a second it is what rounding and reading two clocks take.
    return late_ns if late_ns >= SECOND else 0


LONGEST_S = 7 * 86_400
"""A longer break is taken for a wrong clock."""

_BEHIND_S = 600
"""So much too early the wall clock may be, such as one that NTP has not yet set."""

# Rounded up, so that no time of the resumed part lies before one of the first part.
_MS = 1_000_000


class ClockError(BadInput):
    """Rows are left, but the wall clock cannot tell where their times belong."""


@dataclass(frozen=True, slots=True)
class Now:
    """The clocks of this computer at one moment.

    Attributes:
        kernel_ns: CLOCK_MONOTONIC of this boot.
        realtime_ns: The wall clock, in ns since 1970.
        boot_id: Which boot it is; "" where the system does not tell.
    """

    kernel_ns: int
    realtime_ns: int
    boot_id: str


@dataclass(frozen=True, slots=True)
class CarriedOn:
    """How the times of a session go on.

    Attributes:
        offset_ns: What to add to the kernel's clock, in ns.
        is_restarted: Whether the computer was restarted since a step was begun; so
            it stays where a resumption fails before its first step.
        last: The last pair of clocks that was stored before.
        now: The clocks at the resumption.
        behind_ns: How much too early the wall clock was, for certain.
        restarted_ns: What ended up to this moment of the session was in an earlier
            boot of the computer; None where there was none.
    """

    offset_ns: int
    is_restarted: bool
    last: ClockPair
    now: Now
    behind_ns: int = 0
    restarted_ns: int | None = None

    def sentence(self, is_set: bool | None) -> str:
        """Say what the times after the restart are worth.

        Args:
            is_set: Whether NTP sets the wall clock, None where nobody knows.
        """
        worth = {
            True: "which is set by NTP",
            False: "which is not set by NTP: it may be off",
            None: "of which it is not known whether NTP sets it",
        }
        text = (
            "the computer was restarted; times continue by its wall clock, "
            f"{worth[is_set]}"
        )
        if self.behind_ns:
            text += f". It was {self.behind_ns / SECOND:.0f} s late at least"
        return text


def read_clocks() -> Now:
    """Read the clocks of this computer."""
    clock = SystemClock()
    return Now(timebase.kernel_ns(), clock.realtime_ns(), clock.boot_id())


def carry_on(session: Session, now: Now | None = None) -> CarriedOn:
    """Find what to add to the kernel's clock for a session to go on.

    Raises:
        ClockError: The wall clock cannot be right.
    """
    now = now or read_clocks()
    pairs = session.clock_pairs()
    info = session.info
    start = ClockPair(info.boot_id, info.monotonic_ns, info.realtime_ns)
    last = pairs[-1] if pairs else start
    end_ns = _last_stored(session, last)
    is_same = bool(now.boot_id) and now.boot_id == last.boot_id
    if is_same and now.kernel_ns + last.offset_ns >= end_ns:
        return _same_boot(session, start, pairs, now)
    passed_ns = now.realtime_ns - last.realtime_ns
    # The boot was after all that is stored, where there was one.
    earliest_ns = end_ns + (now.kernel_ns if now.boot_id else 0)
    now_ns = last.monotonic_ns + passed_ns
    behind_ns = max(0, earliest_ns - now_ns)
    ended_ns = last.realtime_ns + end_ns - last.monotonic_ns
    is_late = now.realtime_ns - ended_ns > LONGEST_S * SECOND
    if is_late or behind_ns > _BEHIND_S * SECOND:
        raise _wrong(session, now, ended_ns)
    # Whole milliseconds, which are the times in fio's logs.
    offset_ns = -(-(now_ns + behind_ns - now.kernel_ns) // _MS) * _MS
    at_ns = now.kernel_ns + offset_ns
    return CarriedOn(offset_ns, True, last, now, behind_ns, at_ns)


def _same_boot(
    session: Session, start: ClockPair, pairs: Sequence[ClockPair], now: Now
) -> CarriedOn:
    """Go on by the kernel's clock, which has run on since the session was stored."""
    last = pairs[-1] if pairs else start
    restart = last_restart(start, pairs)
    if restart is None:
        return CarriedOn(last.offset_ns, False, last, now)
    since_ns = restart[1].monotonic_ns
    begun_ns = max((step.start_ns or 0 for step in session.steps()), default=0)
    is_new, late_ns = begun_ns <= since_ns, late_by_ns(*restart)
    return CarriedOn(last.offset_ns, is_new, last, now, late_ns, since_ns)


def set_clock(resumed: Session | None) -> CarriedOn | None:
    """Let this program stamp as a session goes on, or by the kernel's clock.

    For the start of a recording, before anything stamps for it.

    Raises:
        ClockError: The wall clock cannot be right.
    """
    if resumed is None:
        timebase.set_offset(0)
        return None
    carried = carry_on(resumed)
    timebase.set_offset(carried.offset_ns)
    return carried


def keep_carrying_on(recorder: Recorder, carried: CarriedOn) -> None:
    """Write down how the times go on after a restart, and what they are worth."""
    if not carried.is_restarted:
        return
    is_set = is_set_by_ntp(LocalHost())
    sentence_now = carried.sentence(is_set)
    level = "info" if is_set and not carried.behind_ns else "warning"
    recorder.event(level, "clock", sentence_now)
    facts = json.dumps({**asdict(carried), "is_set_by_ntp": is_set})
    recorder.journal("clock carried on", facts)


def _last_stored(session: Session, last: ClockPair) -> int:
    """Get the last moment that the session knows of, in its own time."""
    events = [row.t_ns for row in session.events()]
    done = [row.t_ns for row in session.journal()]
    return max(session.extent()[1], last.monotonic_ns, *events, *done)


def _wrong(session: Session, now: Now, ended_ns: int) -> ClockError:
    said, ended = (
        f"{datetime.fromtimestamp(ns / SECOND, UTC).astimezone():%Y-%m-%d %H:%M}"
        for ns in (now.realtime_ns, ended_ns)
    )
    why = (
        f"more than {LONGEST_S // 86_400} days lie between"
        if now.realtime_ns > ended_ns + LONGEST_S * SECOND
        else "this cannot be right"
    )
    return ClockError(
        f"the computer was restarted, its clock says {said}, and the session's last "
        f"value is of {ended}: {why}",
        where=str(session.path),
        way_out="Set the clock, or run what is left in a new session.",
    )
