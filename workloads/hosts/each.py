"""fio on several hosts over SSH, one each: live latencies of every host, one result."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from instruments.errors import BenchError
from instruments.reading import Channel, Reading
from instruments.timebase import monotonic_ns
from workloads.fio.live import MOST_LIVE
from workloads.fio.table import OUTPUT
from workloads.guard.load_guard import Say
from workloads.hosts.disks import HostDisks
from workloads.hosts.grid import GridSum, sum_channels
from workloads.hosts.host_fio import HostFio
from workloads.hosts.host_live import HostLive, live_channels
from workloads.hosts.load import FioOnHosts, Ran
from workloads.hosts.log_fetch import fetch_logs
from workloads.hosts.opening import each, living
from workloads.hosts.site import Site


class FioEach(FioOnHosts):
    """One fio job on each of several hosts, all started at the same moment.

    The fio of a host that is lost ends there by itself within seconds.
    """

    def _live_channels(self) -> Sequence[Channel]:
        """Get the channels of the sum, of each host, and of its devices if few."""
        directions, shown = self.job.directions, self._shows_devices
        own = [
            channel
            for name, job in self._jobs.items()
            for direction in directions
            for channel in live_channels(
                self.name, direction, name, job.devices if shown else ()
            )
        ]
        return [*(c for d in directions for c in sum_channels(self.name, d)), *own]

    @property
    def _shows_devices(self) -> bool:
        """Whether there are few enough devices for live channels of each."""
        return sum(len(job.devices) for job in self._jobs.values()) <= MOST_LIVE

    def _load(
        self,
        sites: Sequence[Site],
        disks: HostDisks,
        emit: Callable[[Reading], None],
        say: Say,
        stop: threading.Event,
    ) -> Ran:
        started = self._start(sites, emit, say)
        for one in started.values():
            one.go()
        disks.begin()
        ran = Ran(began_ns=monotonic_ns(), origin=f"{{host}}-{OUTPUT}, last document")

        def follow(one: HostFio) -> None:
            site = one.site
            result = one.follow(say, stop)
            one.live.leave(lost=result is None)
            if result is None:
                say("error", f"{site.name} is lost, the others go on: {site.trouble}")
                return
            ran.results[site.name] = result
            if site.job.logs is None or site.place.windows is not None:
                return
            try:
                if (logs := fetch_logs(site)) is not None:
                    ran.logs[site.name] = logs
            except BenchError as error:
                say("warning", f"{site.name}: {error}")

        with ThreadPoolExecutor(max(1, len(started)), "host-fio") as pool:
            list(pool.map(follow, started.values()))
        found, ran.results = ran.results, {}
        for site in sites:  # in the order of the bench, whoever ended first
            if (result := found.get(site.name)) is None:
                continue
            ran.results[site.name] = result
            if result.window is not None:
                ran.jobs[site.name] = started[site.name].jobs
            ran.artefacts += [
                replace(artefact, name=f"{site.name}-{artefact.name}")
                for artefact in result.artefacts
            ]
        return ran

    def _place(self, sites: Sequence[Site], ran: Ran) -> None:
        """Documents were placed as they came; see `HostLive`."""

    def _start(
        self, sites: Sequence[Site], emit: Callable[[Reading], None], say: Say
    ) -> dict[str, HostFio]:
        """Start fio on all hosts; each waits to be let go."""
        names = [site.name for site in sites if not site.trouble]
        total = GridSum(self.name, self.job.directions, names, emit)
        started: dict[str, HostFio] = {}

        def start(site: Site) -> None:
            live = HostLive(
                total,
                site.name,
                self._ramp_ns,
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
        return started
