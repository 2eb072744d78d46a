"""The write budget: how much a bench lets loads write in one run."""

import threading

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
