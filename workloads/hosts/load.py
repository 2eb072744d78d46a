"""One fio job on several hosts at once: what both ways of driving them share."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from instruments.host.clock import Clock
from instruments.reading import SECOND, Channel, Reading, Status
from workloads.base import Artefact, Emit, LoadResult, Say
from workloads.fio.live import MOST_LIVE, place
from workloads.fio.output import scalars
from workloads.fio_job import FioJob, destroys
from workloads.guard.budget import Budget
from workloads.hosts.clocks import ClockPair
from workloads.hosts.counts import HostCounts, LoadCounts, around_edges
from workloads.hosts.disks import HostDisks, disk_channels
from workloads.hosts.host_logs import HostLogs, logs_of
from workloads.hosts.opening import opened
from workloads.hosts.place import Place
from workloads.hosts.site import Site, job_at
from workloads.hosts.verdict import (
    common_window,
    evidence,
    judged,
    skew_warning,
)

SOURCE = "fio_log"
_UNITS = {"iops": "1/s", "bw": "B/s"}
_ROUNDING_NS = 2_000_000
"""Rows are stamped in ms, and one at either end of a log is rounded."""

_APART_NS = SECOND * 3 // 2
"""How far a log may reach beyond the window that the documents of its host tell."""

_CLOSE = 0.1
"""Share by which the counts of logs and documents may differ. Judged."""

_UNTOLD = "fio's logs of this load do not have it"

Rates = npt.NDArray[np.float64]


def cell_ns(jobs: Mapping[str, FioJob]) -> int:
    """Get the length of a cell of the grid: the longest window of any host's rows."""
    return max(logs_of(job).period_ms for job in jobs.values()) * 1_000_000


def log_channels(
    jobs: Mapping[str, FioJob], directions: Sequence[str]
) -> tuple[Channel, ...]:
    """Get the channels of the sum, of each host, and of its devices if they are few."""
    devices = [
        place(host, device) for host, job in jobs.items() for device in job.devices
    ]
    shown = devices if len(devices) <= MOST_LIVE else []
    cell = cell_ns(jobs)
    return tuple(
        Channel(SOURCE, f"{d}_{what}", unit, where, cell, window_ns=cell)
        for where in ("", *jobs, *shown)
        for d in directions
        for what, unit in _UNITS.items()
    )


def log_readings(
    logs: Mapping[str, HostLogs],
    offsets: Mapping[str, int],
    window: tuple[int, int],
    channels: Sequence[Channel],
    hosts: Sequence[str],
) -> list[Reading]:
    """Make readings of all logs, on a common grid over a window of our clock.

    Args:
        logs: By host.
        offsets: What to add to the clock of each to have ours, in ns.
        window: Start and end of the grid, which begins with the first row in it.
        channels: As `log_channels` makes them.
        hosts: All that the sum is of; there is none where one has no logs.
    """
    cell = channels[0].period_ns
    edges = _edges(logs, offsets, window, cell)
    rates: dict[tuple[str, str], Rates] = {}
    for host, log in logs.items():
        rates |= _rates_of(host, log, (edges - offsets[host]).astype(np.float64))
    for quantity in {quantity for _, quantity in rates}:
        parts = [rates.get((host, quantity)) for host in hosts]
        present = [part for part in parts if part is not None]
        if present and len(present) == len(parts):
            rates["", quantity] = np.sum(present, axis=0)
    table = [rates.get((c.location, c.quantity)) for c in channels]
    return [
        _reading(channels, int(edges[n]), int(edges[n + 1]), table, n)
        for n in range(len(edges) - 1)
    ]


def _rates_of(host: str, log: HostLogs, edges: Rates) -> dict[tuple[str, str], Rates]:
    """Get the rates of a host and of its devices between edges of its own clock."""
    rates = {}
    for device, quantity in log.totals:
        for where in (None, device) if device else (None,):
            found = _rate(log, quantity, where, edges)
            if found is not None:
                rates[place(host, where or ""), quantity] = found
    return rates


def in_place(
    logs: Mapping[str, HostLogs],
    clocks: Mapping[str, ClockPair],
    windows: Mapping[str, tuple[int, int] | None],
    say: Say,
) -> dict[str, HostLogs]:
    """Exclude logs that cannot be placed: the clock of their host jumped."""
    found = {}
    for host, log in logs.items():
        clock, window = clocks[host], windows.get(host)
        if window is None or (
            abs(clock.drift_ns or 0) <= _APART_NS
            and log.start_ns + clock.ns >= window[0] - _APART_NS
            and log.end_ns + clock.ns <= window[1] + _APART_NS
        ):
            found[host] = log
        else:
            what = "its clock jumped, so fio's logs cannot be placed and are excluded"
            say("warning", f"{host}: {what}")
    return found


def agreeing(
    logs: Mapping[str, HostLogs],
    entries: Mapping[str, Sequence[Mapping[str, Any]]],
    period_ns: int,
    say: Say,
) -> dict[str, HostLogs]:
    """Exclude logs that count other I/Os than the documents of their host do.

    fio's averages are wrong where a load pauses; see `workloads.fio.fine`.

    Args:
        logs: By host.
        entries: The last entries of each host.
        period_ns: The longest window of a row.
        say: Is told of those that are excluded.
    """
    found = {}
    for host, log in logs.items():
        seconds = max(1, log.end_ns - log.start_ns) / 1e9
        for direction in ("read", "write"):
            tracks = log.tracks(f"{direction}_iops")
            total = scalars(entries[host], direction)
            logged = sum(float(np.interp(log.end_ns, *track)) for track in tracks)
            counted = total.ios * min(1.0, 1000 * seconds / max(1, total.runtime_ms))
            # A row is a whole number of I/Os a second, and an end may be in a window.
            slack = seconds * len(tracks) + 2 * period_ns / 1e9 / seconds * counted
            if tracks and abs(logged - counted) > _CLOSE * counted + slack:
                what = f"{logged:.0f} of {counted:.0f} {direction}s, and are excluded"
                say("warning", f"{host}: fio's logs tell of {what}")
                break
        else:
            found[host] = log
    return found


def _edges(
    logs: Mapping[str, HostLogs],
    offsets: Mapping[str, int],
    window: tuple[int, int],
    cell: int,
) -> npt.NDArray[np.int64]:
    """Get the edges of the cells that are whole in the window and in some log."""
    starts = [log.start_ns + offsets[host] for host, log in logs.items()]
    ends = [log.end_ns + offsets[host] for host, log in logs.items()]
    # A row is not cut in two for the little that a log begins late.
    start = max([window[0], *(one for one in starts if one < window[0] + cell)])
    end = min(window[1], max(ends, default=window[0]))
    count = max(0, (end + _ROUNDING_NS - start) // cell)
    return start + np.arange(count + 1, dtype=np.int64) * cell


def _rate(
    log: HostLogs, quantity: str, device: str | None, edges: Rates
) -> Rates | None:
    """Get the rate of a host or a device in each cell, NaN where its logs are silent.

    Returns:
        None where they do not tell the quantity at all.
    """
    tracks = log.tracks(quantity, device)
    if not tracks:
        return None
    total = np.sum([np.interp(edges, *track) for track in tracks], axis=0)
    found = np.diff(total) / (np.diff(edges) / 1e9)
    end_ns = log.ends_ns[device or ""]
    is_known = (edges[:-1] >= log.start_ns - _ROUNDING_NS) & (
        edges[1:] <= end_ns + _ROUNDING_NS
    )
    return np.where(is_known, found, np.nan)


def _reading(
    channels: Sequence[Channel],
    start: int,
    end: int,
    table: Sequence[Rates | None],
    number: int,
) -> Reading:
    values, statuses = [], []
    for one in table:
        value = float("nan") if one is None else float(one[number])
        values.append(value)
        if one is None:
            statuses.append(Status.UNSUPPORTED)
        else:
            statuses.append(Status.STALE if np.isnan(value) else Status.OK)
    return Reading(
        tuple(channels), start, end, tuple(values), tuple(statuses), trouble=_UNTOLD
    )


@dataclass(slots=True)
class HostsRun:
    """One run of a load on several hosts: what it has, and what it leaves behind.

    Attributes:
        sites: The hosts; those with a trouble are not part of it.
        disks: Their disks, traced.
        emit: Takes live readings.
        say: Takes (level, message) for the event log.
        stop: Set to end it early.
        began_ns: When it was begun, on the monotonic clock; 0 where it was not.
        jobs: The last entries of each host that came to its end.
        results: How each of them ended.
        logs: What each of them logged.
        counted: What their documents count, on our clock.
        artefacts: What is kept.
        origin: Where the entries of a host are kept, with "{host}" for its name.
        servers: Address and port of the server of fio of each host, where it has one.
    """

    sites: Sequence[Site]
    disks: HostDisks
    emit: Emit
    say: Say
    stop: threading.Event
    began_ns: int = 0
    jobs: dict[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    results: dict[str, LoadResult] = field(default_factory=dict)
    logs: dict[str, HostLogs] = field(default_factory=dict)
    counted: dict[str, HostLogs] = field(default_factory=dict)
    artefacts: list[Artefact] = field(default_factory=list)
    origin: str = ""
    servers: dict[str, str] = field(default_factory=dict)

    def keep(self, name: str, text: str) -> None:
        """Keep a text with the session."""
        self.artefacts.append(Artefact(name, "text/plain", text.encode()))


class FioOnHosts(ABC):
    """One fio job on each of several hosts.

    A host that is lost is told and counts no more; the others go on, and their
    results are kept. The load is not DONE then.
    """

    driver = "fio"
    _CLOCK = Clock.REALTIME
    """Which clock of the hosts the stamps are of that have to be placed on ours."""

    _HERE = False
    """Whether the fio of this machine takes part, too, as their client."""

    def __init__(
        self,
        job: FioJob,
        places: Sequence[Place],
        *,
        name: str = "fio",
        budget: Budget | None = None,
    ) -> None:
        self.name = name
        self.job = job
        self._places = tuple(places)
        self._destroys = destroys(job.options)
        self._budget = budget or Budget()

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the channels of the load, of the disks and of the logs."""
        disks = disk_channels([place.name for place in self._places])
        logs = log_channels(self._jobs, self.job.directions)
        return (*self._live_channels(), *disks, *logs)

    @property
    def _jobs(self) -> dict[str, FioJob]:
        return {place.name: job_at(self.job, place) for place in self._places}

    def run(self, emit: Emit, say: Say, stop: threading.Event) -> LoadResult:
        """Run the job on all hosts to its end, or stop it.

        Raises:
            BenchError: No host can be had, or their versions of fio differ.
        """
        if self._destroys:
            self._budget.check()
        with opened(
            self._places,
            self.job,
            self._CLOCK,
            say,
            destroys=self._destroys,
            stop=stop,
            here=self._HERE,
        ) as sites:
            run = HostsRun(sites, HostDisks(sites, emit, say), emit, say, stop)
            try:
                self._load(run)
            finally:
                run.disks.close()
        # Only now all clocks are measured a second time.
        self._place(run)
        return self._result(run)

    @property
    def _ramp_ns(self) -> int:
        return round(self.job.ramp_s * SECOND)

    def _live_channels(self) -> Sequence[Channel]:
        """Get the channels of what is told while it runs."""
        return ()

    @abstractmethod
    def _load(self, run: HostsRun) -> None:
        """Put the load on all hosts that are open, and wait for its end."""

    def _place(self, run: HostsRun) -> None:  # noqa: B027  (documents come placed)
        """Place what was measured on our clock, now that all clocks are known."""

    def _result(self, run: HostsRun) -> LoadResult:
        window = common_window(run.results)
        if warning := skew_warning(run.results):
            run.say("warning", warning)
        start_ns = window[0] if window else run.began_ns + self._ramp_ns
        hosts = {site.name: self._counts(run, site, window) for site in run.sites}
        counts = LoadCounts(hosts, window, run.began_ns, start_ns, run.origin)
        jobs = {site.name: site.job for site in run.sites if site.name in run.jobs}
        values = counts.values(run.jobs, jobs)
        if window is not None:
            self._tell_logs(run, window)
        kept = (evidence(run.sites, run.results), counts.artefact(), *run.artefacts)
        result = judged(run.sites, run.results).result(window, values, kept)
        side_by_side = sum(job.jobs for job in jobs.values())
        return replace(result, jobs=max(1, side_by_side))

    def _counts(
        self, run: HostsRun, site: Site, window: tuple[int, int] | None
    ) -> HostCounts:
        """Gather what was counted of a host, around the edges of the windows."""
        result = run.results.get(site.name)
        own = result.window if result is not None else None
        counted, offset_ns = run.counted.get(site.name), 0
        if counted is None:
            counted, offset_ns = run.logs.get(site.name), site.clock.ns
        edges = [one for one in (own, window) if one is not None]
        disk, own_disk = run.disks.edges(site.name, window)
        jobs = run.jobs.get(site.name, ())
        return HostCounts(
            result is not None,
            own,
            site.job.direct if jobs else True,
            run.servers.get(site.name, ""),
            {job["jobname"]: int(job["error"]) for job in jobs if job["error"]},
            offset_ns,
            around_edges(counted, offset_ns, edges),
            disk,
            own_disk,
            site.lost_ns,
        )

    def _tell_logs(self, run: HostsRun, window: tuple[int, int]) -> None:
        clocks = {site.name: site.clock for site in run.sites}
        windows = {name: one.window for name, one in run.results.items()}
        ended = {name: log for name, log in run.logs.items() if name in run.jobs}
        placed = in_place(ended, clocks, windows, run.say)
        period_ns = cell_ns(self._jobs)
        if logs := agreeing(placed, run.jobs, period_ns, run.say):
            offsets = {name: clock.ns for name, clock in clocks.items()}
            channels = log_channels(self._jobs, self.job.directions)
            for reading in log_readings(
                logs, offsets, window, channels, list(run.jobs)
            ):
                run.emit(reading)
