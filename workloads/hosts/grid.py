"""The live sum of several hosts, on a common grid of one second."""

import math
import threading
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from instruments.reading import SECOND, Channel, Reading, Status
from workloads.base import Emit
from workloads.fio.output import Counters, rates_of, since, together

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
