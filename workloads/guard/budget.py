"""The write budget: how much a bench lets loads write in one run."""

import contextlib
import threading
from collections.abc import Sequence
from pathlib import Path

from instruments.errors import BenchError
from instruments.sizes import describe_size
from workloads.base import End, LoadCause


class Budget:
    """Counts what loads wrote; several threads may count.

    Args:
        limit: Bytes that may be written, None for any number.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self._written = 0
        self._lock = threading.Lock()

    @property
    def written(self) -> int:
        """Bytes written so far."""
        with self._lock:
            return self._written

    def count(self, count: int) -> None:
        """Count bytes that were written."""
        with self._lock:
            self._written += max(0, count)

    def trouble(self) -> str:
        """Say that nothing is left, "" while there is."""
        if self.limit is None or self.written < self.limit:
            return ""
        return (
            f"the write budget of {describe_size(self.limit)} is used up, "
            f"{describe_size(self.written)} were written"
        )

    def spent(self) -> End:
        """Tell whether a load that writes has to end now, which has a cause then."""
        trouble = self.trouble()
        return End(LoadCause.BUDGET, trouble) if trouble else End()

    def check(self) -> None:
        """Check before a load that writes.

        Raises:
            BenchError: Nothing is left.
        """
        if trouble := self.trouble():
            raise BenchError(
                trouble,
                where="write_budget",
                way_out="Raise write_budget in [guard] of the bench, if the disk may "
                "take more.",
            )


class WriteMeter:
    """Counts what is written to disks of this machine, by the kernel's own count."""

    def __init__(self, numbers: Sequence[str]) -> None:
        places = [Path(f"/sys/dev/block/{number}/stat") for number in numbers]
        self._told = dict.fromkeys(places, 0)
        self.written()

    def written(self) -> int:
        """Get the bytes that were written since this was asked last."""
        written = 0
        for place, before in self._told.items():
            with contextlib.suppress(OSError):  # it was taken out, which others tell
                # Sectors of 512 bytes, the seventh number (block/stat.rst of Linux).
                now = int(place.read_text("ascii").split()[6]) * 512
                written += max(0, now - before)
                self._told[place] = now
        return written
