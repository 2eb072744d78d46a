"""fio's documents as live readings, and the place of its measured window in time."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from instruments.reading import SECOND, Channel, Reading, Status
from workloads.fio_job import STATUS_INTERVAL_MS
from workloads.fio_output import ZERO, Counters, Rates, counters, rates

_EARLY_NS = SECOND // 10
"""How much earlier than asked for a ramp may seem to end: clocks are read in turn."""

_SHORTEST_S = 0.2 * STATUS_INTERVAL_MS / 1000
"""fio reads its counters while jobs run; over shorter times they disagree."""

_QUANTITIES = (("iops", "1/s"), ("bw", "B/s"), ("lat", "s"), ("p99", "s"))


def fio_channels(name: str, direction: str) -> tuple[Channel, ...]:
    """Make the four live channels of "read" or "write"."""
    period = STATUS_INTERVAL_MS * SECOND // 1000
    return tuple(
        Channel(name, f"{direction}_{what}", unit, period_ns=period, window_ns=period)
        for what, unit in _QUANTITIES
    )


class FioLive:
    """Differences the cumulative documents of one load, one after the other.

    Args:
        by_direction: The channels of each direction that the load has.
        ramp_ns: Length of its ramp.
        emit: Takes the readings.
    """

    def __init__(
        self,
        by_direction: Mapping[str, tuple[Channel, ...]],
        ramp_ns: int,
        emit: Callable[[Reading], None],
    ) -> None:
        self._by_direction = by_direction
        self._ramp_ns = ramp_ns
        self._in_ramp = ramp_ns > 0
        self._begun_ns: int | None = None
        self._emit = emit
        self._before: dict[str, tuple[int, Counters]] = {}
        self._load_starts: list[int] = []

    def take(self, document: Mapping[str, Any], moment: int) -> None:
        """Take the next document, made at a moment of the monotonic clock.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: It is not as fio writes
                them.
        """
        after_ramp = False
        may_measure = self._may_measure(document, moment)
        for direction, channels in self._by_direction.items():
            after = counters(document, direction)
            then, before = self._before.get(direction, (moment, ZERO))
            measured = self._in_ramp and after.latency_n > 0
            if may_measure and (measured or after.runtime_ms < before.runtime_ms):
                # The ramp is over: fio counts latencies and began again at zero.
                after_ramp, before = True, ZERO
            change = rates(before, after)
            self._before[direction] = (moment, after)
            if change is None or change.seconds < _SHORTEST_S:
                continue
            if before is ZERO:
                then = moment - after.runtime_ms * 1_000_000
            self._emit(_reading(channels, then, moment, change))
        self._in_ramp = self._in_ramp and not after_ramp
        runtime = _runtime_ns(document)
        if runtime and not self._in_ramp:
            self._load_starts.append(moment - runtime)

    def window(self, document: Mapping[str, Any]) -> tuple[int, int] | None:
        """Place the measured window on the monotonic clock, from the last document.

        Its length is the runtime of the last document, and every document after
        the ramp tells the start as its own moment less its runtime; the earliest
        is the one that was delayed least.
        """
        length = _runtime_ns(document)
        if self._in_ramp or not length or not self._load_starts:
            return None
        start = min(self._load_starts)
        return start, start + length

    def _may_measure(self, document: Mapping[str, Any], moment: int) -> bool:
        """Tell whether the ramp can be over: a load stopped in it begins anew, too."""
        if not self._in_ramp:
            return True
        if self._begun_ns is None:
            self._begun_ns = moment - _runtime_ns(document)
        return moment - self._begun_ns >= self._ramp_ns - _EARLY_NS


def _runtime_ns(document: Mapping[str, Any]) -> int:
    longest = max(
        (
            max(job["read"]["runtime"], job["write"]["runtime"])
            for job in document["jobs"]
        ),
        default=0,
    )
    return int(longest) * 1_000_000


def _reading(
    channels: tuple[Channel, ...], start_ns: int, end_ns: int, change: Rates
) -> Reading:
    values = (change.iops, change.bandwidth, change.latency_s, change.p99_s)
    statuses = tuple(
        Status.ABSENT if math.isnan(value) else Status.OK for value in values
    )
    return Reading(channels, start_ns, max(start_ns, end_ns), values, statuses)
