"""What a host has counted since its load began, whatever its devices begin anew."""

from collections.abc import Mapping, Sequence
from typing import Any

from workloads.fio.output import ZERO, Counters, counters, scalars, together

Jobs = Sequence[Mapping[str, Any]]


class RunningTotals:
    """Sums the counters of all devices of a host, which only ever go up.

    Every device sets its own back where its ramp ends, one a document earlier than
    another; what it had counted until then stays in the sum.

    Args:
        directions: Which of "read" and "write" the load does.
    """

    def __init__(self, directions: Sequence[str]) -> None:
        self._base = dict.fromkeys(directions, ZERO)
        self._last: dict[tuple[str, str], Counters] = {}
        self._jobs: dict[str, Jobs] = {}

    def take(self, by_device: Mapping[str, Jobs]) -> dict[str, Counters]:
        """Take the jobs of the next document, by device; get the sums."""
        for name, jobs in by_device.items():
            for direction in self._base:
                now = scalars(jobs, direction)
                last = self._last.get((name, direction), ZERO)
                if now.runtime_ms < last.runtime_ms or now.ios < last.ios:
                    # Only here are histograms needed of one device alone.
                    passed = counters(self._jobs[name], direction)
                    self._base[direction] = together([self._base[direction], passed])
                self._last[name, direction] = now
            self._jobs[name] = jobs
        every = [job for jobs in by_device.values() for job in jobs]
        return {
            direction: together([base, counters(every, direction)])
            for direction, base in self._base.items()
        }
