"""fio's documents as live readings, and the place of its measured window in time."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from instruments.reading import SECOND, Channel, Reading, Status
from workloads.base import Emit
from workloads.fio.output import (
    ZERO,
    Counters,
    rates_of,
    scalars,
    since,
    summed_bins,
    together,
)
from workloads.fio_job import STATUS_INTERVAL_MS


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
            if self._counts_anew(before, after, can_leave_ramp=can_leave_ramp):
                began, before = True, ZERO
            self.changes[direction] = since(after, before)
            self._before[direction] = after
        self.has_just_begun = began or not self.runtime_ms
        self.in_ramp = self.in_ramp and not began
        self.error = max((int(job.get("error", 0)) for job in jobs), default=0)
        self.runtime_ms = max(each.runtime_ms for each in self._before.values())

    def _counts_anew(
        self, before: Counters, after: Counters, *, can_leave_ramp: bool
    ) -> bool:
        """Tell whether the ramp has ended: fio counts from zero, and latencies too."""
        if self.in_ramp and not can_leave_ramp:
            return False
        measures = self.in_ramp and after.latency_n > 0
        return measures or after.runtime_ms < before.runtime_ms


Counted = tuple[int, int, Mapping[str, int]]
"""Moments of two documents in ns, and the I/Os of each direction between them."""

MOST_LIVE = 64
"""Devices that have their own live channels; more have their results only."""

_EARLY_NS = SECOND // 10
"""How much earlier than asked for a ramp may seem to end: clocks are read in turn."""

_SHORTEST_S = 0.2 * STATUS_INTERVAL_MS / 1000
"""fio reads its counters while jobs run; over shorter times they disagree."""

_QUANTITIES = (("iops", "1/s"), ("bw", "B/s"), ("lat", "s"), ("p99", "s"))
_OF_A_DEVICE = 3
"""How many of them each of several devices has: no percentile."""

PERIOD_NS = STATUS_INTERVAL_MS * SECOND // 1000


def fio_channels(
    name: str, direction: str, location: str = "", *, period_ns: int = PERIOD_NS
) -> tuple[Channel, ...]:
    """Make the live channels of "read" or "write": of a load, or of one host of it."""
    return tuple(
        Channel(
            name, f"{direction}_{what}", unit, location, period_ns, window_ns=period_ns
        )
        for what, unit in _QUANTITIES
    )


def device_channels(
    name: str, direction: str, devices: Sequence[str], host: str = ""
) -> tuple[Channel, ...]:
    """Make the live channels of "read" or "write" of each of several devices."""
    return tuple(
        channel
        for device in devices
        for channel in fio_channels(name, direction, place(host, device))[:_OF_A_DEVICE]
    )


def place(host: str, device: str) -> str:
    """Name a device of a host among those of all, such as "load1.dev03"."""
    return ".".join(filter(None, (host, device)))


class FioLive:
    """Differences the cumulative documents of one load, one after the other.

    Args:
        name: Name of the source.
        directions: Which of "read" and "write" the load does.
        ramp_ns: Length of its ramp.
        emit: Takes the readings.
        devices: Names of the jobs that are single devices; () where all jobs
            of a document are one load.
        host: The host that it runs on, "" for this one.
        shown: The devices that have live channels.

    Attributes:
        progress: What was done from document to document of the measured window.
    """

    def __init__(
        self,
        name: str,
        directions: Sequence[str],
        ramp_ns: int,
        emit: Emit,
        devices: Sequence[str] = (),
        *,
        host: str = "",
        shown: Sequence[str] | None = None,
    ) -> None:
        self._shown = devices[:MOST_LIVE] if shown is None else shown
        self._total = {d: fio_channels(name, d, host) for d in directions}
        self._each = {
            d: device_channels(name, d, self._shown, host) for d in directions
        }
        self._ramp_ns = ramp_ns
        self._emit = emit
        in_ramp = ramp_ns > 0
        self._parts = {device: FioPart(in_ramp) for device in devices or ("",)}
        self._bins: dict[str, Mapping[int, int]] = {}
        self._begun_ns = self._moment = self._counted_ns = 0
        self._load_starts: list[int] = []
        self.progress: list[Counted] = []

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get all channels of its readings."""
        groups = (*self._total.values(), *self._each.values())
        return tuple(channel for group in groups for channel in group)

    def take(self, document: Mapping[str, Any], moment: int) -> None:
        """Take the next document, made at a moment of the monotonic clock.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: It is not as fio writes
                them.
        """
        jobs = document["jobs"]
        jobs_of = self._divided(jobs)
        if not self._begun_ns:
            # That document may have come late, so its own running time tells the start.
            self._begun_ns = moment - max(_runtime_ns(job) for job in jobs)
        # A load that is stopped in its ramp begins again, too.
        can_end = moment - self._begun_ns >= self._ramp_ns - _EARLY_NS
        for name, part in self._parts.items():
            part.take(jobs_of[name], self._total, can_leave_ramp=can_end)
            if any(change.bytes_ > 0 for change in part.changes.values()):
                self._counted_ns = self._moment
        for direction in self._total:
            self._tell(direction, jobs, moment)
        self._note_progress(moment)
        if length := self._measured_ns():
            self._load_starts.append(moment - length)
        self._moment = moment

    def window(self) -> tuple[int, int] | None:
        """Place the measured window on the monotonic clock, after the last document.

        Its length is the runtime of the last document, and every document after
        the ramp gives the start as its own moment less its runtime. The earliest are
        those that were delayed least; the very first of several may have a stamp of a
        clock that was just being set.
        """
        if not self._load_starts:
            return None
        starts = sorted(self._load_starts)
        start = starts[max(len(starts) // 20, min(1, len(starts) - 2))]
        return start, start + self._measured_ns()

    def apart_s(self) -> float:
        """Get the seconds that lie at least between the starts of its jobs.

        No job runs longer than the window, so one that still counts after its end
        began so much later; of each device fio gives its longest time only. What the
        last document counted was done after the one before it.
        """
        window = self.window()
        return max(0, self._counted_ns - window[1]) / SECOND if window else 0.0

    def _measured_ns(self) -> int:
        times = [part.runtime_ms for part in self._parts.values() if not part.in_ramp]
        return max(times, default=0) * 1_000_000

    def _divided(
        self, jobs: Sequence[Mapping[str, Any]]
    ) -> dict[str, list[Mapping[str, Any]]]:
        jobs_of: dict[str, list[Mapping[str, Any]]] = {name: [] for name in self._parts}
        for job in jobs:
            name = "" if "" in jobs_of else str(job["jobname"])
            jobs_of.get(name, []).append(job)
        return jobs_of

    def _note_progress(self, moment: int) -> None:
        # Across the end of a ramp the counts of some parts begin at zero.
        parts = self._parts.values()
        if not any(part.has_just_begun or part.in_ramp for part in parts):
            ios = {d: sum(part.changes[d].ios for part in parts) for d in self._total}
            self.progress.append((self._moment, moment, ios))

    def _tell(
        self, direction: str, jobs: Sequence[Mapping[str, Any]], moment: int
    ) -> None:
        """Emit what a direction did since the last document: in sum, and by device."""
        parts = list(self._parts.values())
        histogram = self._new_bins(jobs, direction)
        total = together([part.changes[direction] for part in parts])
        if total.runtime_ms / 1000 < _SHORTEST_S:
            return
        beginnings = {part.has_just_begun for part in parts if not part.error}
        has_begun = any(beginnings)
        wall_ms = 0 if has_begun else (moment - self._moment) // 1_000_000
        total = _over(total, wall_ms)
        start = moment - total.runtime_ms * 1_000_000 if has_begun else self._moment
        times = (start, max(start, moment))
        if len(beginnings) < 2:  # else some have begun again and some have not
            values = _values(total, histogram, len(_QUANTITIES))
            statuses = tuple(_status(value, 0) for value in values)
            self._emit(Reading(self._total[direction], *times, values, statuses))
        if self._shown:
            self._tell_each(direction, times, wall_ms)

    def _new_bins(
        self, jobs: Sequence[Mapping[str, Any]], direction: str
    ) -> dict[int, int]:
        """Get what the histogram of a direction gained since the last document."""
        bins = summed_bins(jobs, direction)
        before, self._bins[direction] = self._bins.get(direction, {}), bins
        return {value: count - before.get(value, 0) for value, count in bins.items()}

    def _tell_each(self, direction: str, times: tuple[int, int], wall_ms: int) -> None:
        values: list[float] = []
        statuses: list[Status] = []
        for name in self._shown:
            part = self._parts[name]
            change = _over(part.changes[direction], wall_ms)
            quantities = _values(change, {}, _OF_A_DEVICE)
            values += quantities
            statuses += [_status(value, part.error) for value in quantities]
        self._emit(
            Reading(self._each[direction], *times, tuple(values), tuple(statuses))
        )


def _over(change: Counters, wall_ms: int) -> Counters:
    """Count a change over the time that passed where fio's own is far from it.

    At a load's end fio's runtime stops while what is under way is still counted:
    over the runtime alone that would be a rate that never was.
    """
    if not 0 < 2 * change.runtime_ms < wall_ms:
        return change
    return replace(change, runtime_ms=wall_ms)


def _values(change: Counters, bins: Mapping[int, int], count: int) -> tuple[float, ...]:
    """Get iops, B/s, mean latency and p99; NaN where there was no time for any."""
    rates = rates_of(replace(change, bins=bins))
    if rates is None:
        return (math.nan,) * count
    return (rates.iops, rates.bandwidth, rates.latency_s, rates.p99_s)[:count]


def _status(value: float, error: int) -> Status:
    if math.isnan(value):
        return Status.ERROR if error else Status.ABSENT
    return Status.OK


def _runtime_ns(job: Mapping[str, Any]) -> int:
    return int(max(job["read"]["runtime"], job["write"]["runtime"])) * 1_000_000
