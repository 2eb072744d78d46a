"""Where time comes from: the monotonic clock, and what the wall said at it."""

import threading
import time
from pathlib import Path
from typing import Protocol

from instruments.timebase import monotonic_ns

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Clock(Protocol):
    """The clock of a bench; tests inject one that they move themselves."""

    def monotonic_ns(self) -> int:
        """Get the time of CLOCK_MONOTONIC in nanoseconds."""
        ...

    def realtime_ns(self) -> int:
        """Get the wall-clock time in nanoseconds since 1970, as it is set now."""
        ...

    def boot_id(self) -> str:
        """Get what tells this run of the monotonic clock from any other."""
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
        """Get the time of CLOCK_MONOTONIC in nanoseconds."""
        return monotonic_ns()

    def realtime_ns(self) -> int:
        """Get the wall-clock time in nanoseconds since 1970."""
        return time.time_ns()

    def boot_id(self) -> str:
        """Get the kernel's boot id, "" where the system has none."""
        try:
            return _BOOT_ID.read_text(encoding="ascii").strip()
        except OSError:
            return ""

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Wait until the event is set or the time has passed."""
        return event.wait(max(0.0, seconds))
