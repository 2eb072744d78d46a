"""One fio job on several hosts at once: what both ways of driving them share."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from instruments.host.clock import Clock
from instruments.reading import SECOND, Channel, Reading
from workloads.base import Artefact, LoadResult, Measured
from workloads.fio_job import FioJob, destroys
from workloads.guard.budget import Budget
from workloads.guard.load_guard import Say
from workloads.hosts.disks import HostDisks, disk_channels
from workloads.hosts.host_logs import HostLogs
from workloads.hosts.log_grid import in_place, log_channels, log_readings
from workloads.hosts.opening import opened
from workloads.hosts.place import Place
from workloads.hosts.site import Site, job_at
from workloads.hosts.sums import sum_values, values_of_devices
from workloads.hosts.verdict import (
    common_window,
    evidence,
    judged,
    lost_values,
    skew_told,
)


@dataclass(slots=True)
class Ran:
    """What the load left behind on all hosts.

    Attributes:
        began_ns: When it was begun, on the monotonic clock; 0 where it was not.
        jobs: The last entries of each host that came to its end.
        results: How each of them ended.
        logs: What each of them logged.
        artefacts: What is kept.
        origin: Where the entries of a host are kept, with "{host}" for its name.
    """

    began_ns: int = 0
    jobs: dict[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    results: dict[str, LoadResult] = field(default_factory=dict)
    logs: dict[str, HostLogs] = field(default_factory=dict)
    artefacts: list[Artefact] = field(default_factory=list)
    origin: str = ""


class FioOnHosts(ABC):
    """One fio job on each of several hosts.

    A host that is lost is told and counts no more; the others go on, and their
    results are kept. The load is not DONE then.

    Args:
        job: The job; its targets and their size are those of each host.
        places: The hosts.
        name: Name of the source.
        budget: Counts what is written.
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

    def run(
        self,
        emit: Callable[[Reading], None],
        say: Callable[[str, str], None],
        stop: threading.Event,
    ) -> LoadResult:
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
            disks = HostDisks(sites, emit, say)
            try:
                ran = self._load(sites, disks, emit, say, stop)
            finally:
                disks.close()
        # Only now all clocks are measured a second time.
        self._place(sites, ran)
        return self._result(sites, disks, ran, emit, say)

    @property
    def _ramp_ns(self) -> int:
        return round(self.job.ramp_s * SECOND)

    def _live_channels(self) -> Sequence[Channel]:
        """Get the channels of what is told while it runs."""
        return ()

    @abstractmethod
    def _load(
        self,
        sites: Sequence[Site],
        disks: HostDisks,
        emit: Callable[[Reading], None],
        say: Say,
        stop: threading.Event,
    ) -> Ran:
        """Put the load on all hosts that are open, and wait for its end."""

    @abstractmethod
    def _place(self, sites: Sequence[Site], ran: Ran) -> None:
        """Place what was measured on our clock, now that all clocks are known."""

    def _result(
        self,
        sites: Sequence[Site],
        disks: HostDisks,
        ran: Ran,
        emit: Callable[[Reading], None],
        say: Say,
    ) -> LoadResult:
        window = common_window(ran.results)
        if told := skew_told(ran.results):
            say("warning", told)
        values = self._values(sites, ran)
        if window is not None:
            values |= disks.moved(window, list(ran.results))
            self._tell_logs(sites, ran, window, emit, say)
        start_ns = window[0] if window else ran.began_ns + self._ramp_ns
        values |= lost_values(sites, ran.results, ran.began_ns, start_ns)
        outcome, reason = judged(sites, ran.results)
        artefacts = (evidence(sites, ran.results), *ran.artefacts)
        jobs = sum(site.job.jobs for site in sites if site.name in ran.jobs)
        return LoadResult(
            outcome, reason, window, values, artefacts=artefacts, jobs=max(1, jobs)
        )

    def _values(self, sites: Sequence[Site], ran: Ran) -> dict[str, Measured]:
        values = sum_values(ran.jobs, self.job.directions, ran.origin)
        own = [site for site in sites if site.name in ran.jobs]
        for site in own:
            jobs, origin = ran.jobs[site.name], ran.origin.format(host=site.name)
            values |= values_of_devices(site.name, jobs, site.job, origin)
        if values:
            buffered = any(not site.job.direct for site in own)
            values["buffered"] = Measured(float(buffered), "", "direct")
        return values

    def _tell_logs(
        self,
        sites: Sequence[Site],
        ran: Ran,
        window: tuple[int, int],
        emit: Callable[[Reading], None],
        say: Say,
    ) -> None:
        clocks = {site.name: site.clock for site in sites}
        windows = {name: one.window for name, one in ran.results.items()}
        ended = {name: log for name, log in ran.logs.items() if name in ran.jobs}
        logs = in_place(ended, clocks, windows, say)
        if logs:
            offsets = {name: clock.ns for name, clock in clocks.items()}
            channels = log_channels(self._jobs, self.job.directions)
            hosts = list(ran.jobs)
            for reading in log_readings(logs, offsets, window, channels, hosts):
                emit(reading)
