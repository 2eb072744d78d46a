"""The write budget: how much a bench lets loads write in one run."""

import contextlib
import threading
from collections.abc import Sequence
from pathlib import Path

from instruments.errors import BenchError
from workloads.sizes import describe_size


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
    """Counts what is written to disks of this machine, by the kernel's own count.

    Args:
        numbers: Their device numbers.
    """

    def __init__(self, numbers: Sequence[str]) -> None:
        self._places = [Path(f"/sys/dev/block/{number}/stat") for number in numbers]
        self._told = self._now()

    def written(self) -> int:
        """Get the bytes that were written since this was asked last."""
        now, before = self._now(), self._told
        self._told = max(now, before)
        return self._told - before

    def _now(self) -> int:
        """Sum up sectors of 512 bytes, the seventh number (block/stat.rst of Linux)."""
        sectors = 0
        for place in self._places:
            with contextlib.suppress(OSError):  # it was taken out, which others tell
                sectors += int(place.read_text("ascii").split()[6])
        return sectors * 512
