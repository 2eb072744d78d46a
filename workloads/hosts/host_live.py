"""The documents of one host's fio as live readings, on our clock."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from instruments.reading import SECOND, Channel, Reading
from instruments.timebase import monotonic_ns
from workloads.fio_live import FioLive
from workloads.fio_output import counters
from workloads.hosts.clocks import ClockPair
from workloads.hosts.grid import GridSum, sum_channels


class HostLive(FioLive):
    """What `FioLive` does, with the host's name, its clock and the sum of all hosts.

    Args:
        total: Sums it with the other hosts.
        host: Its name, the location of its channels.
        ramp_ns: Length of its ramp.
        emit: Takes the readings.
        clock: How far its wall clock is from our monotonic one.
    """

    def __init__(
        self,
        total: GridSum,
        host: str,
        ramp_ns: int,
        emit: Callable[[Reading], None],
        clock: ClockPair,
    ) -> None:
        name, directions = total.name, tuple(total.channels)
        own = {d: sum_channels(name, d, host) for d in directions}
        located = {group[0].quantity: group for group in own.values()}

        def pass_on(reading: Reading) -> None:
            emit(replace(reading, channels=located[reading.channels[0].quantity]))

        super().__init__(name, directions, ramp_ns, pass_on)
        self._host = host
        self._clock = clock
        self._directions = directions
        self._sum = total
        self._own = tuple(channel for group in own.values() for channel in group)

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get all channels of its readings."""
        return self._own

    def take(self, document: Mapping[str, Any], moment: int) -> None:
        """Take the next document, stamped by the host's own clock.

        Args:
            document: The document.
            moment: When it came; believed where its stamp cannot be true.
        """
        now = monotonic_ns()
        stamp = int(document.get("timestamp_ms", 0)) * 1_000_000 + 500_000
        made = stamp + self._clock.ns
        slack = SECOND // 100  # a clock may be wrong by its spread
        moment = min(made, now) if -slack <= now - made < 2 * SECOND else now
        super().take(document, moment)
        counts = {d: counters(document["jobs"], d) for d in self._directions}
        self._sum.take(self._host, moment, counts)
