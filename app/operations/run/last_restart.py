"""The last restart of the computer in a session, as its pairs of clocks tell it."""

from collections.abc import Sequence
from itertools import pairwise

from app.record.store import ClockPair
from instruments.reading import SECOND


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
