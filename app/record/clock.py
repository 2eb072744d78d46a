"""Where time comes from: the monotonic clock, and what the wall said at it."""

import threading
import time
from pathlib import Path
from typing import Protocol

from instruments.timebase import monotonic_ns, offset_ns

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Clock(Protocol):
    """The clock of a bench; tests inject one that they move themselves."""

    def monotonic_ns(self) -> int:
        """Get the time in nanoseconds, which only goes on; see `timebase`."""
        ...

    def realtime_ns(self) -> int:
        """Get the wall-clock time in nanoseconds since 1970, as it is set now."""
        ...

    def boot_id(self) -> str:
        """Get what tells this boot of the computer from any other."""
        ...

    def offset_ns(self) -> int:
        """Get how much later its time is than the kernel's of this boot, in ns."""
        ...

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Wait until the event is set or the time has passed.

        Returns:
            Whether the event is set.
        """
        ...


class SystemClock:
    """The clocks of this machine."""

    def monotonic_ns(self) -> int:
        """Get CLOCK_MONOTONIC, carried on over a restart, in nanoseconds."""
        return monotonic_ns()

    def realtime_ns(self) -> int:
        """Get the wall-clock time in nanoseconds since 1970."""
        return time.time_ns()

    def boot_id(self) -> str:
        """Get the kernel's boot id, "" where the system has none."""
        try:
            return BOOT_ID.read_text(encoding="ascii").strip()
        except OSError:
            return ""

    def offset_ns(self) -> int:
        """Get what carries the times on over a restart, in ns."""
        return offset_ns()

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Wait until the event is set or the time has passed."""
        return event.wait(max(0.0, seconds))
