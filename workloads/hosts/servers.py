"""fio's client and servers as a workload: one client drives any number of hosts.

Live are the counts of each host's disks; the rates of fio itself, of every host and on
one time axis, come after the load out of the logs that the servers send back.
"""

import contextlib
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from instruments.host.clock import Clock
from instruments.reading import Channel, Reading
from instruments.timebase import monotonic_ns
from workloads.base import Artefact, LoadResult, Measured
from workloads.fio_faults import OVERTIME_S, Ended
from workloads.fio_faults import judged as fio_judged
from workloads.fio_job import FioJob, destroys
from workloads.fio_table import device_table
from workloads.guard.budget import Budget
from workloads.guard.load_guard import Say
from workloads.hosts.client import FioClient, client_results
from workloads.hosts.disks import HostDisks, disk_channels
from workloads.hosts.host_logs import (
    HostLogs,
    log_channels,
    log_readings,
    read_logs,
)
from workloads.hosts.opening import each, living, opened
from workloads.hosts.place import Place
from workloads.hosts.server import FioServer
from workloads.hosts.site import Site
from workloads.hosts.sums import sum_values, values_of_devices
from workloads.hosts.verdict import (
    common_window,
    evidence,
    judged,
    lost_values,
    skew_told,
)
from workloads.hosts.versions import same_version

OUTPUT = "fio-client.json.zz"

_LOST_S = 45.0
"""fio's client gives a host that does not answer up after six times 6 s."""


@dataclass(slots=True)
class _Ended:
    """What the client left behind."""

    cause: str = ""
    jobs: dict[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    logs: dict[str, HostLogs] = field(default_factory=dict)
    artefacts: list[Artefact] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)


class FioServers:
    """One fio job on each of several hosts, driven by fio's own client.

    A host that is lost is told and counts no more; the results of the others are kept.

    Args:
        job: The job; its target and size are those of each host.
        places: The hosts.
        start: Whether the servers are started by us, over SSH.
        name: Name of the source.
        budget: Counts what is written.
    """

    driver = "fio"

    def __init__(
        self,
        job: FioJob,
        places: Sequence[Place],
        *,
        start: bool = True,
        name: str = "fio",
        budget: Budget | None = None,
    ) -> None:
        self.name = name
        self.job = job
        self._places = tuple(places)
        self._start = start
        self._destroys = destroys(job.options)
        self._budget = budget or Budget()
        self._began_ns = 0
        self._counted = 0

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the channels of the disks and of the logs, in sum and by host."""
        names = [place.name for place in self._places]
        return (*disk_channels(names), *log_channels(names, self.job.directions))

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
            Clock.MONOTONIC,
            say,
            destroys=self._destroys,
            stop=stop,
            here=True,
        ) as sites:
            disks = HostDisks(sites, emit, say)
            try:
                ended = self._drive(sites, disks, say, stop)
            finally:
                disks.close()
        results = self._results(sites, ended)
        window = common_window(results)
        if told := skew_told(results):
            say("warning", told)
        values = sum_values(ended.jobs, self.job.directions, f"{OUTPUT}, {{host}}")
        artefacts = list(ended.artefacts)
        for site in sites:
            if jobs := ended.jobs.get(site.name):
                origin = f"{OUTPUT}, {site.name}"
                values |= values_of_devices(site.name, jobs, site.job, origin)
                if site.job.devices:
                    own = device_table(jobs, site.job)
                    artefacts.append(replace(own, name=f"{site.name}-{own.name}"))
        if window is not None:
            values |= disks.moved(window, list(results))
            self._tell_logs(sites, ended, window, emit)
        if values:
            buffered = any(not s.job.direct for s in sites if s.name in results)
            values["buffered"] = Measured(float(buffered), "", "direct")
        values |= lost_values(sites, results, window[0] if window else self._began_ns)
        outcome, reason = judged(sites, results)
        kept = (evidence(sites, results), *artefacts)
        return LoadResult(outcome, reason, window, values, artefacts=kept)

    def _drive(
        self, sites: Sequence[Site], disks: HostDisks, say: Say, stop: threading.Event
    ) -> _Ended:
        servers: list[FioServer] = []
        numbers = {site.name: number for number, site in enumerate(sites)}

        def serve(site: Site) -> None:
            servers.append(FioServer(site, numbers[site.name], start=self._start))

        with (
            contextlib.ExitStack() as stack,
            tempfile.TemporaryDirectory(prefix="bayscope-fio-") as name,
        ):
            folder = Path(name)
            stack.callback(_close_all, servers)
            each(sites, serve, say)
            living(sites)
            servers.sort(key=lambda server: numbers[server.site.name])
            same_version({s.site.name: s.version for s in servers})
            found = _Ended()
            for server in servers:
                file = f"{server.site.name}.fio"
                text = server.job_text()
                (folder / file).write_text(text, encoding="utf-8")
                found.artefacts.append(Artefact(file, "text/plain", text.encode()))
            pairs = [(s.client_option, f"{s.site.name}.fio") for s in servers]
            client = FioClient(folder, pairs)
            stack.callback(client.close)
            disks.begin()
            self._began_ns = monotonic_ns()
            look = _Look(servers, destroys=self._destroys)
            stack.callback(look.close)
            found.cause = self._watch(client, look, disks, say, stop)
            client.close()
            self._collect(client, servers, folder, found)
        if self._destroys:
            self._count(max(disks.written(), _written(found.jobs)))
        return found

    def _count(self, written: int) -> None:
        """Count what was written beyond what is counted already."""
        self._budget.count(written - self._counted)
        self._counted = max(self._counted, written)

    def _watch(
        self,
        client: FioClient,
        look: "_Look",
        disks: HostDisks,
        say: Say,
        stop: threading.Event,
    ) -> str:
        """Wait for the end; return why we ended it, or "" where it ended by itself."""
        over = time.monotonic() + self.job.ramp_s + self.job.runtime_s
        while client.wait(0.2) is None:
            lost = self._lost(look.servers, say)
            cause = look.trouble
            if not cause and self._destroys:
                self._count(disks.written())
                cause = self._budget.trouble()
            if not cause and stop.is_set():
                cause = "stopped"
            if time.monotonic() > over + OVERTIME_S + (_LOST_S if lost else 0.0):
                cause = "overtime"
            if cause:
                if cause == look.trouble:
                    say("error", f"fio is ended: {cause}")
                client.end()
                return cause
        return ""

    def _lost(self, servers: Sequence[FioServer], say: Say) -> bool:
        """Note which hosts are lost by now; tell whether any is."""
        for server in servers:
            site = server.site
            if not site.trouble and (trouble := server.trouble()):
                site.lose(trouble)
                say("error", f"{site.name} is lost, the others go on: {trouble}")
                # The client's part for it ends with the way to it.
                server.close()
        return any(server.site.trouble for server in servers)

    def _collect(
        self,
        client: FioClient,
        servers: Sequence[FioServer],
        folder: Path,
        found: _Ended,
    ) -> None:
        """Take what the client printed, and the logs that it was sent."""
        entries = client_results(client.text)
        found.messages = client.messages()
        for server in servers:
            name = server.site.name
            jobs = entries.get((server.address, server.port))
            if jobs:
                found.jobs[name] = server.site.marked(jobs)
            else:
                server.site.lose("it sent no results")
            if (logs := read_logs(folder, name)) is not None:
                found.logs[name] = logs
        found.artefacts.append(Artefact(OUTPUT, "application/zlib", client.packed()))
        if found.messages:
            text = "\n".join(found.messages).encode()
            found.artefacts.append(Artefact("fio-messages.txt", "text/plain", text))

    def _results(self, sites: Sequence[Site], ended: _Ended) -> dict[str, LoadResult]:
        """Judge each host that sent results, and place its window on our clock."""
        results = {}
        for site in sites:
            jobs = ended.jobs.get(site.name)
            if jobs is None:
                continue
            # It came to its end after all, whatever it looked like in between.
            site.trouble, site.lost_ns = "", 0
            document = {"jobs": jobs}
            done = Ended(0, ended.cause, document, messages=ended.messages)
            outcome, reason = fio_judged(site.job, done)
            log = ended.logs.get(site.name)
            window = None
            if log is not None:
                runtime = max(
                    job[d]["runtime"] for job in jobs for d in ("read", "write")
                )
                start = log.start_ns + site.clock.ns
                window = (start, start + runtime * 1_000_000)
            results[site.name] = LoadResult(outcome, reason, window)
        return results

    def _tell_logs(
        self,
        sites: Sequence[Site],
        ended: _Ended,
        window: tuple[int, int],
        emit: Callable[[Reading], None],
    ) -> None:
        offsets = {site.name: site.clock.ns for site in sites}
        channels = log_channels([s.name for s in sites], self.job.directions)
        logs = {name: log for name, log in ended.logs.items() if name in ended.jobs}
        for reading in log_readings(logs, offsets, window, channels):
            emit(reading)


class _Look:
    """Looks at what the servers have open, one host after the other, until `close`.

    Attributes:
        servers: The servers of all hosts.
        trouble: Why the load has to end at once, "" while it may go on.
    """

    def __init__(self, servers: Sequence[FioServer], *, destroys: bool) -> None:
        self.servers = servers
        self.trouble = ""
        self._destroys = destroys
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="host-look", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._done.set()
        self._thread.join(20)

    def _run(self) -> None:
        while not self._done.wait(1.0):
            for server in self.servers:
                site = server.site
                if site.trouble or not server.pid or self._done.is_set():
                    continue
                found = site.check(server.pid, destroys=self._destroys)
                if found:
                    self.trouble = f"{site.name}: {found}"
                    server.close()  # which kills it
                    return


def _close_all(servers: Sequence[FioServer]) -> None:
    with ThreadPoolExecutor(16, "server-close") as pool:
        list(pool.map(FioServer.close, servers))


def _written(by_host: Mapping[str, Sequence[Mapping[str, Any]]]) -> int:
    return sum(
        int(job[direction]["io_bytes"])
        for jobs in by_host.values()
        for job in jobs
        for direction in ("write", "trim")
    )
