"""What hosts tell live, each on our clock, and their sum on a grid of one second."""

import math
import threading
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from instruments.reading import SECOND, Channel, Reading, Status
from instruments.timebase import monotonic_ns
from workloads.base import Emit
from workloads.fio.live import FioLive
from workloads.fio.output import (
    ZERO,
    Counters,
    counters,
    rates_of,
    scalars,
    since,
    together,
)
from workloads.hosts.clocks import ClockPair
from workloads.hosts.host_logs import HostLogs, Track

CELL_NS = SECOND
"""Length of a cell of the grid; hosts tell twice in it, each in its own time."""

_PATIENCE_NS = 3 * SECOND
"""A cell waits for so long for a host that is late, and is a gap then."""


@dataclass(slots=True)
class _Track:
    """What one host has counted in one direction, from document to document."""

    times: list[int] = field(default_factory=list)
    totals: list[Counters] = field(default_factory=list)

    def add(self, moment: int, now: Counters) -> None:
        """Take the next counts, which only ever go up."""
        if self.times and moment <= self.times[-1]:
            return
        self.times.append(moment)
        self.totals.append(now)
        if len(self.times) > 64:
            del self.times[:32], self.totals[:32]

    def between(self, start: int, end: int) -> Counters | None:
        """Get what was counted in a cell, by straight lines between documents."""
        if not self.times or self.times[0] > start or self.times[-1] < end:
            return None
        return since(self._at(end), self._at(start))

    def _at(self, moment: int) -> Counters:
        number = min(max(1, bisect_left(self.times, moment)), len(self.times) - 1)
        if len(self.times) < 2:
            return self.totals[0]
        before, after = self.totals[number - 1], self.totals[number]
        then = self.times[number - 1]
        share = (moment - then) / (self.times[number] - then)
        change = since(after, before)
        return together([before, _share_of(change, min(1.0, max(0.0, share)))])


class GridSum:
    """Sums counters and histograms of hosts over the cells of a grid.

    Never percentiles: the 99th is that of the summed histogram. A cell in which a host
    that still runs told nothing is a gap; one that is lost counts no more.

    Args:
        name: Name of the source.
        hosts: The hosts that are waited for.
        emit: Takes the readings.
        channels: Those of each direction: of iops and bandwidth, and of latencies
            where they are known.
    """

    def __init__(
        self,
        name: str,
        channels: Mapping[str, tuple[Channel, ...]],
        hosts: Sequence[str],
        emit: Emit,
    ) -> None:
        self.name = name
        self.channels = channels
        self._emit = emit
        self._lock = threading.Lock()
        self._living = set(hosts)
        self._tracks = {(h, d): _Track() for h in hosts for d in channels}
        self._cell = self._first = 0
        self._has_ended = False

    def take(self, host: str, moment: int, counts: Mapping[str, Counters]) -> None:
        """Take what a host has counted, its ramp included, at a monotonic moment."""
        with self._lock:
            for direction in self.channels:
                self._tracks[host, direction].add(moment, counts[direction])
            self._first = self._first or moment
            if not self._cell:
                self._begin(moment)
            if self._cell and not self._has_ended:
                self._tell(moment)

    def leave(self, host: str, *, lost: bool) -> None:
        """Take a host out: the sum goes on without one that was lost.

        It ends with the first that has ended by itself, as the others do just then.
        """
        with self._lock:
            self._living.discard(host)
            self._has_ended = self._has_ended or not lost

    def _begin(self, moment: int) -> None:
        """Begin with the first cell that all hosts have whole, or do without some."""
        tracks = [t for (host, _), t in self._tracks.items() if host in self._living]
        begun = [track.times[0] for track in tracks if track.times]
        if len(begun) == len(tracks) or moment - self._first > _PATIENCE_NS:
            # Rounded up: the cell in which the last one began is not whole.
            self._cell = -(-max(begun) // CELL_NS) * CELL_NS

    def _tell(self, moment: int) -> None:
        while self._living and self._cell + CELL_NS <= moment:
            start, end = self._cell, self._cell + CELL_NS
            found = {way: self._parts(way, start, end) for way in self.channels}
            late = any(None in parts for parts in found.values())
            if late and moment - end < _PATIENCE_NS:
                return
            for direction, channels in self.channels.items():
                parts = [part for part in found[direction] if part is not None]
                self._emit(_reading(channels, start, end, parts, is_whole=not late))
            self._cell = end

    def _parts(self, direction: str, start: int, end: int) -> list[Counters | None]:
        """Get what each living host did in a cell; None of one that is late."""
        return [
            self._tracks[host, direction].between(start, end)
            for host in sorted(self._living)
        ]


def _reading(
    channels: tuple[Channel, ...],
    start: int,
    end: int,
    parts: Sequence[Counters],
    *,
    is_whole: bool,
) -> Reading:
    values = (math.nan,) * len(channels)
    status = Status.STALE
    if is_whole:
        status = Status.ABSENT
        whole = replace(together(parts), runtime_ms=(end - start) // 1_000_000)
        if (rates := rates_of(whole)) is not None:
            all_four = (rates.iops, rates.bandwidth, rates.latency_s, rates.p99_s)
            values = all_four[: len(channels)]
    statuses = tuple(status if math.isnan(v) else Status.OK for v in values)
    return Reading(channels, start, end, values, statuses)


def _share_of(change: Counters, share: float) -> Counters:
    """Take a share of what was counted; whole I/Os, as the total goes on from them."""
    return Counters(
        ios=round(change.ios * share),
        bytes_=round(change.bytes_ * share),
        runtime_ms=change.runtime_ms,
        latency_sum_ns=change.latency_sum_ns * share,
        latency_n=round(change.latency_n * share),
        bins={value: round(count * share) for value, count in change.bins.items()},
    )


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
