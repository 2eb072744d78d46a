"""The one clock that stamps: CLOCK_MONOTONIC, carried on over a restart.

The kernel's monotonic clock begins again with every boot. A session that is resumed
after a restart needs times that do not, so everything that stamps asks here, and one
offset, set before a recording begins, is in all of it. What other programs stamp by the
kernel's clock itself, such as fio in its logs, is brought here by adding `offset_ns`.
"""

import time
from collections.abc import Sequence

_offset_ns = 0


def monotonic_ns() -> int:
    """Get the time in nanoseconds: CLOCK_MONOTONIC and the offset that is set."""
    return kernel_ns() + _offset_ns


def kernel_ns() -> int:
    """Get CLOCK_MONOTONIC of this boot in nanoseconds, as the kernel has it."""
    return time.monotonic_ns()  # noqa: TID251  (here alone)


def offset_ns() -> int:
    """Get what is added to the kernel's clock, in nanoseconds; 0 unless it was set."""
    return _offset_ns


def set_offset(offset: int) -> None:
    """Say what is added to the kernel's clock from now on, in nanoseconds.

    For the start of a recording, before anything stamps for it: readings of before and
    after lie on different scales.
    """
    global _offset_ns  # noqa: PLW0603  (one clock for the process, as the kernel's is)
    _offset_ns = offset


def offset_by(trips: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Get how far another clock is from ours, by round trips.

    Args:
        trips: Of each, our time at its question and at its answer, less what the other
            clock said in between, in ns.

    Returns:
        What to add to the other clock, and how far that may be off at most, in ns.
    """
    # Each trip alone leaves a span for the offset; it lies in what all of them share.
    earliest, latest = max(low for low, _ in trips), min(high for _, high in trips)
    if earliest > latest:  # a clock was set meanwhile; the shortest trip it is
        earliest, latest = min(trips, key=lambda trip: trip[1] - trip[0])
    return (earliest + latest) // 2, (latest - earliest + 1) // 2
