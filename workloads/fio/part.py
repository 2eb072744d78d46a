"""One device in the documents of a load: its ramp, its error, its counts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workloads.fio.output import ZERO, Counters, scalars, since


class FioPart:
    """One device of a load, or all of it, from document to document.

    Attributes:
        in_ramp: Whether it has not begun to measure.
        has_just_begun: Whether it began to measure, or at all, with this document.
        error: The number of the error that ended it, 0 for none.
        runtime_ms: fio's own running time of it.
        changes: What each direction did since the last document.
    """

    def __init__(self, in_ramp: bool) -> None:
        self.in_ramp = in_ramp
        self.has_just_begun = False
        self.error = 0
        self.runtime_ms = 0
        self.changes: dict[str, Counters] = {}
        self._before: dict[str, Counters] = {}

    def take(
        self,
        jobs: Sequence[Mapping[str, Any]],
        directions: Iterable[str],
        *,
        can_leave_ramp: bool,
    ) -> None:
        """Take its jobs of the next document."""
        began = False
        for direction in directions:
            after = scalars(jobs, direction)
            before = self._before.get(direction, ZERO)
            measured = self.in_ramp and after.latency_n > 0
            ended = measured or after.runtime_ms < before.runtime_ms
            if ended and (can_leave_ramp or not self.in_ramp):
                # The ramp is over: fio counts latencies and began again at zero.
                began, before = True, ZERO
            self.changes[direction] = since(after, before)
            self._before[direction] = after
        self.has_just_begun = began or not self.runtime_ms
        self.in_ramp = self.in_ramp and not began
        self.error = max((int(job.get("error", 0)) for job in jobs), default=0)
        self.runtime_ms = max(one.runtime_ms for one in self._before.values())
