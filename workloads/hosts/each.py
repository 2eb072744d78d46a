"""fio on several hosts over SSH, one each: live latencies of every host, one result."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from instruments.host.clock import Clock
from instruments.reading import SECOND, Channel, Reading
from instruments.timebase import monotonic_ns
from workloads.base import Artefact, LoadResult, Measured
from workloads.fio_job import FioJob, destroys
from workloads.fio_live import MOST_LIVE
from workloads.fio_table import OUTPUT
from workloads.guard.budget import Budget
from workloads.guard.load_guard import Say
from workloads.hosts.disks import HostDisks, disk_channels
from workloads.hosts.grid import GridSum, sum_channels
from workloads.hosts.host_fio import HostFio
from workloads.hosts.host_live import HostLive, live_channels
from workloads.hosts.opening import each, living, opened
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


class FioEach:
    """One fio job on each of several hosts, all started at the same moment.

    A host that is lost in mid run is told, and the others go on; its fio ends there by
    itself within seconds. The load is not DONE then, but has the results of the others.

    Args:
        job: The job; its target and size are those of each host.
        places: The hosts.
        name: Name of the source.
        budget: Counts what is written.
    """

    driver = "fio"

    def __init__(
        self,
        job: FioJob,
        places: Sequence[Place],
        name: str = "fio",
        budget: Budget | None = None,
    ) -> None:
        self.name = name
        self.job = job
        self._places = tuple(places)
        self._destroys = destroys(job.options)
        self._budget = budget or Budget()
        self._began_ns = 0

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the channels of the sum, and of each host."""
        shown = self._shows_devices
        own = [
            channel
            for place in self._places
            for direction in self.job.directions
            for channel in live_channels(
                self.name,
                direction,
                place.name,
                job_at(self.job, place).devices if shown else (),
            )
        ]
        sums = [c for d in self.job.directions for c in sum_channels(self.name, d)]
        return (*sums, *own, *disk_channels([place.name for place in self._places]))

    @property
    def _shows_devices(self) -> bool:
        """Whether there are few enough devices for live channels of each."""
        devices = [job_at(self.job, place).devices for place in self._places]
        return sum(map(len, devices)) <= MOST_LIVE

    def run(
        self,
        emit: Callable[[Reading], None],
        say: Callable[[str, str], None],
        stop: threading.Event,
    ) -> LoadResult:
        """Run fio on all hosts to its end, or stop it with INT, TERM and KILL.

        Raises:
            BenchError: No host can be had, or their versions differ.
        """
        if self._destroys:
            self._budget.check()
        with opened(
            self._places,
            self.job,
            Clock.REALTIME,
            say,
            destroys=self._destroys,
            stop=stop,
        ) as sites:
            disks = HostDisks(sites, emit, say)
            try:
                results, values = self._on_all(sites, disks, emit, say, stop)
            finally:
                disks.close()
        window = common_window(results)
        if told := skew_told(results):
            say("warning", told)
        values |= lost_values(sites, results, window[0] if window else self._began_ns)
        if window is not None:
            values |= disks.moved(window, list(results))
        outcome, reason = judged(sites, results)
        artefacts = (evidence(sites, results), *_renamed(results))
        return LoadResult(outcome, reason, window, values, artefacts=artefacts)

    def _on_all(
        self,
        sites: Sequence[Site],
        disks: HostDisks,
        emit: Callable[[Reading], None],
        say: Say,
        stop: threading.Event,
    ) -> tuple[dict[str, LoadResult], dict[str, Measured]]:
        directions = self.job.directions
        names = [site.name for site in sites if not site.trouble]
        total = GridSum(self.name, directions, names, emit)
        ramp_ns = round(self.job.ramp_s * SECOND)
        started: dict[str, HostFio] = {}

        def start(site: Site) -> None:
            live = HostLive(
                total,
                site.name,
                ramp_ns,
                emit,
                site.clock,
                devices=site.job.devices,
                shown=self._shows_devices,
            )
            started[site.name] = HostFio(
                site, live, destroys=self._destroys, budget=self._budget
            )

        each(sites, start, say)
        living(sites)
        for site in sites:
            if site.trouble:
                total.leave(site.name, lost=True)
        for one in started.values():
            one.go()
        disks.begin()
        self._began_ns = monotonic_ns()
        results: dict[str, LoadResult] = {}

        def follow(one: HostFio) -> None:
            name = one.site.name
            result = one.follow(say, stop)
            total.leave(name, lost=result is None)
            if result is not None:
                results[name] = result
            else:
                say("error", f"{name} is lost, the others go on: {one.site.trouble}")

        with ThreadPoolExecutor(max(1, len(started)), "host-fio") as pool:
            list(pool.map(follow, started.values()))
        whole = {
            name: started[name].jobs
            for name in names
            if name in results and results[name].window is not None
        }
        values = sum_values(whole, directions, f"{{host}}-{OUTPUT}, last document")
        for name, jobs in whole.items():
            origin = f"{name}-{OUTPUT}, last document"
            values |= values_of_devices(name, jobs, started[name].site.job, origin)
        if values:
            buffered = any(not started[name].site.job.direct for name in whole)
            values["buffered"] = Measured(float(buffered), "", "direct")
        return {name: results[name] for name in names if name in results}, values


def _renamed(results: Mapping[str, LoadResult]) -> list[Artefact]:
    """Put the host's name before those of its outputs."""
    return [
        replace(artefact, name=f"{name}-{artefact.name}")
        for name, result in results.items()
        for artefact in result.artefacts
    ]
