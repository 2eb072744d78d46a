"""The documents of one host's fio as live readings, on our clock."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from instruments.reading import SECOND
from instruments.timebase import monotonic_ns
from workloads.base import Emit
from workloads.fio.live import FioLive
from workloads.fio.output import ZERO, Counters, counters, scalars, together
from workloads.hosts.clocks import ClockPair
from workloads.hosts.grid import GridSum
from workloads.hosts.host_logs import HostLogs, Track

Jobs = Sequence[Mapping[str, Any]]


class RunningTotals:
    """Sums the counters of all devices of a host, which only ever go up.

    Every device sets its own back where its ramp ends, one a document earlier than
    another; what it had counted until then stays in the sum.
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


class HostLive(FioLive):
    """What `FioLive` does, with the host's name, its clock and the sum of all hosts."""

    def __init__(
        self,
        total: GridSum,
        host: str,
        ramp_ns: int,
        emit: Emit,
        clock: ClockPair,
        *,
        devices: Sequence[str] = (),
        shown: bool = True,
    ) -> None:
        directions = tuple(total.channels)
        super().__init__(
            total.name,
            directions,
            ramp_ns,
            emit,
            devices,
            host=host,
            shown=devices if shown else (),
        )
        self._host = host
        self._clock = clock
        self._sum = total
        self._running = RunningTotals(directions)
        self._told: list[tuple[int, dict[str, Counters]]] = []

    def leave(self, *, lost: bool) -> None:
        """Take the host out of the sum; see `GridSum.leave`."""
        self._sum.leave(self._host, lost=lost)

    def counted(self, window: tuple[int, int]) -> HostLogs:
        """Get what its documents count from the start of its window, on our clock."""
        start = window[0]
        documents = [one for one in self._told if one[0] > start]
        times = np.array(
            [start, *(moment for moment, _ in documents)], dtype=np.float64
        )
        totals: dict[tuple[str, str], Sequence[Track]] = {}
        for direction in self._sum.channels:
            each = [now[direction] for _, now in documents]
            ios = np.array([0, *(one.ios for one in each)], dtype=np.float64)
            moved = np.array([0, *(one.bytes_ for one in each)], dtype=np.float64)
            totals["", f"{direction}_iops"] = [(times, ios)]
            totals["", f"{direction}_bw"] = [(times, moved)]
        return HostLogs(start, {"": int(times[-1])}, totals)

    def take(self, document: Mapping[str, Any], moment: int) -> None:
        """Take the next document, stamped by the host's own clock."""
        now = monotonic_ns()
        stamp = int(document.get("timestamp_ms", 0)) * 1_000_000 + 500_000
        made = stamp + self._clock.ns
        slack = SECOND // 100  # a clock may be wrong by its spread
        moment = min(made, now) if -slack <= now - made < 2 * SECOND else now
        super().take(document, moment)
        if not self._told or moment > self._told[-1][0]:
            jobs = document["jobs"]
            now_by = {channel: scalars(jobs, channel) for channel in self._sum.channels}
            self._told.append((moment, now_by))
        counts = self._running.take(self._divided(document["jobs"]))
        self._sum.take(self._host, moment, counts)
