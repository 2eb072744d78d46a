"""fio's client and servers as a workload: one client drives any number of hosts.

Live are the counts of each host's disks; the rates of fio itself, of every host and on
one time axis, come after the load out of the logs that the servers send back.
"""

import contextlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from instruments.files.own_folder import OwnFolder
from instruments.host.clock import Clock
from instruments.reading import Reading
from instruments.timebase import monotonic_ns
from workloads.base import Artefact, LoadResult
from workloads.command_line import command_line, kept_line
from workloads.fio.faults import Ended
from workloads.fio.faults import judged as fio_judged
from workloads.fio.table import device_table
from workloads.fio_job import FioJob
from workloads.guard.budget import Budget
from workloads.guard.load_guard import Say
from workloads.hosts.client import FioClient, client_results
from workloads.hosts.client_watch import ClientWatch
from workloads.hosts.disks import HostDisks
from workloads.hosts.host_logs import read_logs
from workloads.hosts.host_look import HostLook
from workloads.hosts.load import FioOnHosts, Ran
from workloads.hosts.opening import each, living
from workloads.hosts.place import Place
from workloads.hosts.server import FioServer
from workloads.hosts.site import Site
from workloads.hosts.versions import same_version

OUTPUT = "fio-client.json.zz"


class FioServers(FioOnHosts):
    """One fio job on each of several hosts, driven by fio's own client.

    Args:
        job: The job; its targets and their size are those of each host.
        places: The hosts.
        start: Whether the servers are started by us, over SSH.
        name: Name of the source.
        budget: Counts what is written.
    """

    _CLOCK = Clock.MONOTONIC
    _HERE = True

    def __init__(
        self,
        job: FioJob,
        places: Sequence[Place],
        *,
        start: bool = True,
        name: str = "fio",
        budget: Budget | None = None,
    ) -> None:
        super().__init__(job, places, name=name, budget=budget)
        self._start = start
        self._cause = ""
        self._messages: Sequence[str] = ()

    def _load(
        self,
        sites: Sequence[Site],
        disks: HostDisks,
        emit: Callable[[Reading], None],
        say: Say,
        stop: threading.Event,
    ) -> Ran:
        del emit  # only disks are live
        servers: list[FioServer] = []
        numbers = {site.name: number for number, site in enumerate(sites)}

        def serve(site: Site) -> None:
            servers.append(FioServer(site, numbers[site.name], start=self._start))

        with (
            contextlib.ExitStack() as stack,
            OwnFolder("bayscope-fio-") as folder,
        ):
            stack.callback(_close_all, servers)
            each(sites, serve, say)
            living(sites)
            servers.sort(key=lambda server: numbers[server.site.name])
            same_version({s.site.name: s.version for s in servers})
            ran = Ran(origin=f"{OUTPUT}, {{host}}")
            for server in servers:
                file = f"{server.site.name}.fio"
                text = server.job_text()
                (folder / file).write_text(text, encoding="utf-8")
                ran.artefacts.append(Artefact(file, "text/plain", text.encode()))
            pairs = [(s.client_option, f"{s.site.name}.fio") for s in servers]
            client = FioClient(folder, pairs)
            stack.callback(client.close)
            disks.begin()
            ran.began_ns = monotonic_ns()
            look = HostLook(servers, destroys=self._destroys)
            stack.callback(look.close)
            watch = ClientWatch(client, look, disks, self._budget)
            self._cause = watch.wait(self.job, say, stop, destroys=self._destroys)
            client.close()
            self._collect(client, servers, folder, ran)
        if self._destroys:
            watch.count_last(ran.jobs)
        return ran

    def _collect(
        self, client: FioClient, servers: Sequence[FioServer], folder: Path, ran: Ran
    ) -> None:
        """Take what the client printed, and the logs that it was sent."""
        entries = client_results(client.text)
        self._messages = client.messages()
        files = {p.name: p.read_bytes() for p in folder.iterdir() if ".log" in p.name}
        for server in servers:
            site = server.site
            jobs = entries.get((server.address, server.port))
            if jobs:
                ran.jobs[site.name] = jobs = site.marked(jobs)
                if site.job.devices:
                    own = device_table(jobs, site.job)
                    ran.artefacts.append(replace(own, name=f"{site.name}-{own.name}"))
            else:
                site.lose("it sent no results")
            if (logs := read_logs(files, site.name, site.job)) is not None:
                ran.logs[site.name] = logs
        ran.artefacts.append(kept_line(command_line(client.argv)))
        ran.artefacts.append(Artefact(OUTPUT, "application/zlib", client.packed()))
        if self._messages:
            text = "\n".join(self._messages).encode()
            ran.artefacts.append(Artefact("fio-messages.txt", "text/plain", text))

    def _place(self, sites: Sequence[Site], ran: Ran) -> None:
        """Judge each host that sent results, and place its window on our clock."""
        for site in sites:
            jobs = ran.jobs.get(site.name)
            if jobs is None:
                continue
            # It came to its end after all, whatever it looked like in between.
            site.trouble, site.lost_ns = "", 0
            done = Ended(0, self._cause, {"jobs": jobs}, messages=self._messages)
            outcome, reason = fio_judged(site.job, done)
            log = ran.logs.get(site.name)
            window = None
            if log is not None:
                runtime = max(
                    job[d]["runtime"] for job in jobs for d in ("read", "write")
                )
                start = log.start_ns + site.clock.ns
                window = (start, start + runtime * 1_000_000)
            ran.results[site.name] = LoadResult(outcome, reason, window)


def _close_all(servers: Sequence[FioServer]) -> None:
    with ThreadPoolExecutor(16, "server-close") as pool:
        list(pool.map(FioServer.close, servers))
