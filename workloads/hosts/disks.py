"""The disks beneath the loads of all hosts, live and over a window."""

import threading
from collections.abc import Callable, Collection, Sequence

from instruments.reading import Channel, Reading
from workloads.base import Measured
from workloads.disk_trace import SOURCE, moved
from workloads.guard.load_guard import Say
from workloads.hosts.grid import GridSum, sum_channels
from workloads.hosts.host_disk import DIRECTIONS, HostDisk
from workloads.hosts.opening import each
from workloads.hosts.site import Site


class HostDisks:
    """Traces the disks of all hosts from `begin` to `close`.

    A disk that two names of one machine (one boot) lead to counts once in the sums.
    There is no sum where a host has no disk that could be traced (tmpfs, Windows).

    Args:
        sites: The hosts, open.
        emit: Takes the readings.
        say: Takes events.
    """

    def __init__(
        self, sites: Sequence[Site], emit: Callable[[Reading], None], say: Say
    ) -> None:
        self._begun = threading.Event()
        self._traces: list[HostDisk] = []

        def start(site: Site) -> None:
            self._traces.append(HostDisk(site, emit, self._begun))

        each([site for site in sites if site.place.windows is None], start, say)
        self._traces.sort(key=lambda trace: trace.site.name)
        others: dict[str, set[str]] = {}
        known: set[str] = set()
        for one in self._traces:
            others[one.site.name] = set(known)
            known |= set(one.disks)
        self._counted = [
            one for one in self._traces if set(one.disks) - others[one.site.name]
        ]
        names = [one.site.name for one in self._counted]
        total = GridSum(SOURCE, DIRECTIONS, names, emit, latency=False)
        living = {site.name for site in sites if not site.trouble}
        traced = {one.site.name for one in self._traces if one.disks}
        for one in self._traces:
            one.start(total if traced >= living else None, others[one.site.name])

    def begin(self) -> None:
        """Let readings out from now on: the load has begun."""
        self._begun.set()

    def written(self) -> int:
        """Get the bytes written to all of them so far, by whomever."""
        return sum(
            one.counted[-1][1].written_bytes - one.counted[0][1].written_bytes
            for one in self._counted
            if one.counted
        )

    def close(self) -> None:
        """End all traces; may be called twice."""
        for trace in self._traces:
            trace.close()

    def moved(
        self, window: tuple[int, int], hosts: Collection[str]
    ) -> dict[str, Measured]:
        """Get what the disks of some hosts moved in a window, by host and in sum.

        A host of which the kernel does not count a disk has none, and there is no sum
        where one of the hosts has none.
        """
        found: dict[str, Measured] = {}
        sums: dict[str, Measured] = {}
        traced = set()
        for trace in self._traces:
            name = trace.site.name
            if name not in hosts or len(trace.samples) < 2 or not trace.is_counted:
                continue
            traced.add(name)
            for key, one in moved(trace.samples, window).items():
                found[f"{key}.{name}"] = one
            for key, one in moved(trace.counted, window).items():
                before = sums[key].value if key in sums else 0.0
                origin = f"{SOURCE}, sum of the hosts over the window"
                sums[key] = Measured(before + one.value, one.unit, origin)
        return found | (sums if traced >= set(hosts) else {})


def disk_channels(hosts: Sequence[str]) -> tuple[Channel, ...]:
    """Get the channels of the sum and of each host."""
    return tuple(
        channel
        for host in ("", *hosts)
        for direction in DIRECTIONS
        for channel in sum_channels(SOURCE, direction, host, latency=False)
    )
