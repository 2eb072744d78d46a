"""What was counted of each host of a load, and the values that are made of it.

What fio printed is kept as it is. The rest that values depend on is kept beside it: the
window of each host, and what its logs, its documents and its disks counted around the
edges of that window and of the one that all hosts share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any

import numpy as np

from instruments.files.foreign_text import MISSHAPEN
from instruments.host.diskstats import Transfers
from workloads.base import Artefact, Measured
from workloads.disk_trace import SOURCE, Sample, moved
from workloads.fio_job import FioJob
from workloads.hosts.clocks import EVIDENCE
from workloads.hosts.host_logs import HostLogs, Track
from workloads.hosts.sums import (
    Jobs,
    Window,
    change_of,
    sum_values,
    values_of_devices,
)
from workloads.kept import counts_artefact


@dataclass(frozen=True, slots=True)
class HostCounts:
    """What was counted of one host.

    Attributes:
        ended: Whether it came to its end; else it was lost.
        window: Its own window on our clock; None where that is not known.
        direct: Whether its load bypassed the page cache.
        server: Address and port of its server of fio; "" where it has none.
        errors: Numbers of the errors of its jobs, by the name of the job.
        offset_ns: What to add to the times of its log to have ours.
        log: What it counted; None where that is not known.
        disk: What its disks had moved, at looks around the edges of the shared window;
            none where that is not known.
        own_disk: The same of the disks that no other host counts.
        lost_ns: When it was lost, on our clock; 0 where it was not.
    """

    ended: bool
    window: Window | None = None
    direct: bool = True
    server: str = ""
    errors: Mapping[str, int] = field(default_factory=dict)
    offset_ns: int = 0
    log: HostLogs | None = None
    disk: Sequence[Sample] = ()
    own_disk: Sequence[Sample] = ()
    lost_ns: int = 0

    def marked(self, jobs: Jobs) -> list[Mapping[str, Any]]:
        """Give jobs the errors that were found, which fio may not tell."""
        return [{**job, "error": self.errors.get(job["jobname"], 0)} for job in jobs]


@dataclass(frozen=True, slots=True)
class LoadCounts:
    """What was counted of a load on several hosts.

    Attributes:
        hosts: By name, in the order of the bench.
        window: What all hosts have in common; None where they have no such time.
        began_ns: When it was begun, on our clock; 0 where it was not.
        start_ns: When its measured window began, or was to begin.
        origin: Where the entries of a host are kept, with "{host}" for its name.
    """

    hosts: Mapping[str, HostCounts]
    window: Window | None
    began_ns: int
    start_ns: int
    origin: str

    def values(
        self, jobs: Mapping[str, Jobs], of: Mapping[str, FioJob]
    ) -> dict[str, Measured]:
        """Make the values of the load.

        Args:
            jobs: The last entries of each host that sent any.
            of: The job of each host; of one that is not open only directions count.
        """
        values: dict[str, Measured] = {}
        if jobs:
            directions = next(iter(of.values())).directions
            values = sum_values(jobs, directions, self.origin, self._change)
        for host, entries in jobs.items():
            origin = self.origin.format(host=host)
            values |= values_of_devices(host, entries, of[host], origin)
        if values:
            buffered = any(not self.hosts[host].direct for host in jobs)
            values["buffered"] = Measured(float(buffered), "", "direct")
        return values | self._moved() | self._lost()

    def _change(self, host: str, quantity: str) -> float | None:
        one = self.hosts[host]
        if one.window is None or self.window is None:
            return None
        return change_of(one.log, one.offset_ns, quantity, one.window, self.window)

    def _moved(self) -> dict[str, Measured]:
        """Get what disks moved in the shared window, by host and in sum.

        A host of which the kernel does not count a disk has none, and there is no sum
        where one of the hosts has none.
        """
        if self.window is None:
            return {}
        results: dict[str, Measured] = {}
        sums: dict[str, Measured] = {}
        ended = {name: one for name, one in self.hosts.items() if one.ended}
        counted = {name: host for name, host in ended.items() if host.disk}
        for name, host in counted.items():
            for key, one in moved(host.disk, self.window).items():
                results[f"{key}.{name}"] = one
            for key, one in moved(host.own_disk, self.window).items():
                before = sums[key].value if key in sums else 0.0
                origin = f"{SOURCE}, sum of the hosts over the window"
                sums[key] = Measured(before + one.value, one.unit, origin)
        return results | (sums if len(counted) == len(ended) else {})

    def _lost(self) -> dict[str, Measured]:
        """Mark hosts that were lost, by what they were lost in.

        `lost_after_s` are seconds into the measured window, `lost_in_ramp_s` seconds
        into the ramp before it, and `not_reached` (1) is a host that had not begun.
        """
        results = {}
        for host, one in self.hosts.items():
            if one.ended:
                continue
            if not self.began_ns or one.lost_ns < self.began_ns:
                name, value, unit = "not_reached", 1.0, ""
            elif one.lost_ns < self.start_ns:
                name, value = "lost_in_ramp_s", (one.lost_ns - self.began_ns) / 1e9
                unit = "s"
            else:
                name, value = "lost_after_s", (one.lost_ns - self.start_ns) / 1e9
                unit = "s"
            results[f"{name}.{host}"] = Measured(value, unit, EVIDENCE)
        return results

    def artefact(self) -> Artefact:
        """Keep it, for `read_counts`."""
        return counts_artefact(
            {
                "window_ns": self.window,
                "began_ns": self.began_ns,
                "start_ns": self.start_ns,
                "origin": self.origin,
                "hosts": {name: _plain(one) for name, one in self.hosts.items()},
            }
        )


def around_edges(
    log: HostLogs | None, offset_ns: int, windows: Sequence[Window]
) -> HostLogs | None:
    """Keep what a log tells around the edges of windows of our clock.

    Between them straight lines join its totals, as `change_of` reads them.
    """
    if log is None:
        return None
    edges = np.array([edge for window in windows for edge in window]) - offset_ns
    edges = np.append(edges, log.end_ns)
    totals: dict[tuple[str, str], Sequence[Track]] = {}
    for device, quantity in log.totals:
        near = [_near(track, edges) for track in log.totals[device, quantity]]
        # Devices add up, and only their sum is asked for.
        totals["", quantity] = [*totals.get(("", quantity), ()), *near]
    damaged = frozenset(("", kind) for _, kind in log.damaged)
    return HostLogs(log.start_ns, {"": log.end_ns}, totals, damaged)


def _near(track: Track, edges: np.ndarray) -> Track:
    times, values = track
    after = np.searchsorted(times, edges)
    places = np.unique(np.clip(after[:, None] + np.arange(-2, 2), 0, times.size - 1))
    return times[places], values[places]


def _plain(host: HostCounts) -> dict[str, object]:
    log = host.log
    return {
        "ended": host.ended,
        "window_ns": host.window,
        "direct": host.direct,
        "server": host.server,
        "errors": host.errors,
        "offset_ns": host.offset_ns,
        "log": log
        and {
            "start_ns": log.start_ns,
            "end_ns": log.end_ns,
            "damaged": [kind for _, kind in log.damaged],
            "totals": {
                quantity: [[one.tolist() for one in track] for track in tracks]
                for (_, quantity), tracks in log.totals.items()
            },
        },
        "disk": [[at, *astuple(counts)] for at, counts in host.disk],
        "own_disk": [[at, *astuple(counts)] for at, counts in host.own_disk],
        "lost_ns": host.lost_ns,
    }


def read_counts(table: Mapping[str, Any]) -> LoadCounts:
    """Read what `LoadCounts.artefact` kept.

    Raises:
        ValueError: It is damaged.
    """
    try:
        return LoadCounts(
            {str(name): _host(one) for name, one in table["hosts"].items()},
            _window(table["window_ns"]),
            int(table["began_ns"]),
            int(table["start_ns"]),
            str(table["origin"]),
        )
    except MISSHAPEN as error:
        raise ValueError("the counts of its hosts are damaged") from error


def _host(table: Mapping[str, Any]) -> HostCounts:
    return HostCounts(
        bool(table["ended"]),
        _window(table["window_ns"]),
        bool(table["direct"]),
        str(table["server"]),
        {str(job): int(number) for job, number in table["errors"].items()},
        int(table["offset_ns"]),
        _log(table["log"]) if table["log"] else None,
        _looks(table["disk"]),
        _looks(table["own_disk"]),
        int(table["lost_ns"]),
    )


def _log(table: Mapping[str, Any]) -> HostLogs:
    totals = {
        ("", str(quantity)): [_track(*track) for track in tracks]
        for quantity, tracks in table["totals"].items()
    }
    damaged = frozenset(("", str(kind)) for kind in table["damaged"])
    ends = {"": int(table["end_ns"])}
    return HostLogs(int(table["start_ns"]), ends, totals, damaged)


def _track(times: Sequence[float], values: Sequence[float]) -> Track:
    track = np.array(times, np.float64), np.array(values, np.float64)
    if track[0].ndim != 1 or not track[0].size or track[0].shape != track[1].shape:
        raise ValueError("its log is none")
    return track


def _looks(rows: Sequence[Sequence[int]]) -> list[Sample]:
    return [(int(at), Transfers(*map(int, counts))) for at, *counts in rows]


def _window(pair: Sequence[int] | None) -> Window | None:
    if pair is None:
        return None
    start, end = map(int, pair)
    return start, end
