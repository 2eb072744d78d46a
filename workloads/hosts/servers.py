"""fio's client and servers as a workload: one client drives any number of hosts.

Live are the counts of each host's disks; the rates of fio itself, of every host and on
one time axis, come after the load out of the logs that the servers send back.
"""

import contextlib
import signal
import threading
import time
import zlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from instruments.errors import BenchError, plain_words
from instruments.files.foreign_text import parsed_json
from instruments.files.own_folder import OwnFolder
from instruments.host.clock import Clock
from instruments.timebase import monotonic_ns
from instruments.tools.command import MOST_OUTPUT, start
from workloads.base import Artefact, End, LoadCause, Say
from workloads.command_line import command_line, kept_line
from workloads.fio.faults import OVERTIME_S, Ended
from workloads.fio.faults import judged as fio_judged
from workloads.fio.stream import DocumentStream
from workloads.fio.table import device_table
from workloads.fio_job import FioJob
from workloads.guard.budget import Budget
from workloads.hosts.disks import HostDisks
from workloads.hosts.host_logs import read_logs
from workloads.hosts.load import FioOnHosts, HostsRun
from workloads.hosts.opening import each, living
from workloads.hosts.place import Place
from workloads.hosts.server import FioServer
from workloads.hosts.site import Site
from workloads.hosts.versions import same_version
from workloads.tool_ended import GRACE_S, watch

_GRACE_S = {**GRACE_S, signal.SIGINT: 15.0}
"""INT has all hosts send what they have."""

_ALL = "All clients"


class FioClient:
    """The client, and what it prints; leaving a `with` block ends it.

    It prints one document, at the end. --status-interval would only add its interim
    results to that one, and its text with the progress is not printed beside JSON.
    """

    def __init__(self, folder: Path, servers: Sequence[tuple[str, str]]) -> None:
        pairs = [word for pair in servers for word in pair]
        self.argv = ("fio", "--output-format=json+", *pairs)
        self.process = start(self.argv, cwd=str(folder))
        self._output: list[bytes] = []
        self._reader = threading.Thread(
            target=self._read, name="fio-client", daemon=True
        )
        self._reader.start()

    def close(self) -> None:
        """Let go of it; call it after its end, or to end it by force."""
        self.process.send_signal(signal.SIGKILL)
        # Not from under its hands: what it reads ends with what was killed.
        self._reader.join(5)
        self.process.close()

    @property
    def text(self) -> str:
        """Get what it has printed so far."""
        return b"".join(self._output).decode("utf-8", "replace")

    def packed(self) -> bytes:
        """Get what it printed, zlib-compressed."""
        return zlib.compress(b"".join(self._output), 6)

    def messages(self) -> list[str]:
        """Get what it said beside the document."""
        stream = DocumentStream()
        list(stream.feed(b"".join(self._output)))
        return [*stream.messages, *self.process.stderr_text().splitlines()]

    def _read(self) -> None:
        left = MOST_OUTPUT
        while chunk := self.process.stdout.read1(65_536):  # type: ignore[attr-defined]
            self._output += [chunk] if left > 0 else []
            left -= len(chunk)


def client_results(text: str) -> dict[tuple[str, int], list[Mapping[str, Any]]]:
    """Read the document of a client: the entries of each server, by address and port.

    "All clients" is excluded; it has the address of the last one. See `sums`.
    """
    start = text.find("{\n") if text.startswith("{\n") else text.find("\n{\n") + 1
    end = text.rfind("\n}")
    if end < 0 or (start == 0 and not text.startswith("{")):
        return {}
    try:
        document = parsed_json(text[start : end + 2])
        results: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
        for entry in document.get("client_stats", []):
            if entry["jobname"] != _ALL:
                key = (str(entry["hostname"]), int(entry["port"]))
                results.setdefault(key, []).append(entry)
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    return results


_CLOSE_S = 20.0


class HostLook:
    """Looks at what the servers have open until `close`.

    Each host has its own thread, so that one that hangs delays no other.
    """

    def __init__(self, servers: Sequence[FioServer], *, destroys: bool) -> None:
        self.servers = servers
        self.trouble = ""
        self._destroys = destroys
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(
                target=self._run, args=(server,), name="host-look", daemon=True
            )
            for server in servers
        ]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End it; call it before the servers are let go of."""
        self._done.set()
        until = time.monotonic() + _CLOSE_S
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _run(self, server: FioServer) -> None:
        site = server.site
        while not self._done.wait(1.0):
            if site.trouble or not server.pid:
                continue
            if found := self._look(server):
                with self._lock:
                    self.trouble = self.trouble or f"{site.name}: {found}"
                server.close()  # which kills it
                return

    def _look(self, server: FioServer) -> str:
        try:
            return server.site.check(server.pid, destroys=self._destroys)
        except BenchError:
            return ""  # A host that does not answer is judged by its server.
        except Exception as error:  # noqa: BLE001  (a load is not left unguarded)
            return f"what it has open cannot be looked at ({plain_words(error)})"


_LOST_S = 45.0
"""fio's client gives a host that does not answer up after six times 6 s."""


class ClientWatch:
    """Watches a client that drives servers."""

    def __init__(
        self, client: FioClient, look: HostLook, disks: HostDisks, budget: Budget
    ) -> None:
        self._client = client
        self._look = look
        self._disks = disks
        self._budget = budget
        self._counted = 0

    def wait(
        self, job: FioJob, say: Say, stop: threading.Event, *, destroys: bool
    ) -> End:
        """Wait for the end; return why we ended it.

        INT has all hosts send what they have, if they can.
        """
        longest_s = job.ramp_s + job.runtime_s + OVERTIME_S
        over = time.monotonic() + longest_s

        def look() -> End:
            is_lost = self._lost(self._look.servers, say)
            if stray := self._look.trouble:
                return End(LoadCause.GUARD, stray)
            if destroys:
                self._count(self._disks.written())
            if not is_lost and time.monotonic() > over:
                return End(LoadCause.OVERTIME, f"it did not end in {longest_s:.0f} s")
            return self._budget.spent() if destroys else End()

        return watch(
            self._client.process,
            "fio's client",
            say,
            stop,
            longest_s=longest_s + _LOST_S,
            look=look,
            wait_s=0.2,
            grace_s=_GRACE_S,
            kill_strays=False,  # the server that had it is killed already
        )

    def count_last(self, jobs: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        """Count what the results say was written, once they are there."""
        self._count(max(self._disks.written(), _written(jobs)))

    def _count(self, written: int) -> None:
        """Count what was written beyond what is counted already."""
        self._budget.count(written - self._counted)
        self._counted = max(self._counted, written)

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


def _written(by_host: Mapping[str, Sequence[Mapping[str, Any]]]) -> int:
    return sum(
        int(job[direction]["io_bytes"])
        for jobs in by_host.values()
        for job in jobs
        for direction in ("write", "trim")
    )


OUTPUT = "fio-client.json.zz"


class FioServers(FioOnHosts):
    """One fio job on each of several hosts, driven by fio's own client."""

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
        self._forced = End()
        self._messages: Sequence[str] = ()

    def _load(self, run: HostsRun) -> None:
        servers: list[FioServer] = []
        numbers = {site.name: number for number, site in enumerate(run.sites)}

        def serve(site: Site) -> None:
            servers.append(FioServer(site, numbers[site.name], start=self._start))

        with (
            contextlib.ExitStack() as stack,
            OwnFolder("bayscope-fio-") as folder,
        ):
            stack.callback(_close_all, servers)
            each(run.sites, serve, run.say)
            living(run.sites)
            servers.sort(key=lambda server: numbers[server.site.name])
            same_version({s.site.name: s.version for s in servers})
            run.origin = f"{OUTPUT}, {{host}}"
            pairs = []
            for server in servers:
                file, text = f"{server.site.name}.fio", server.job_text()
                (folder / file).write_text(text, encoding="utf-8")
                run.keep(file, text)
                pairs.append((server.client_option, file))
            client = FioClient(folder, pairs)
            stack.callback(client.close)
            run.disks.begin()
            run.began_ns = monotonic_ns()
            look = HostLook(servers, destroys=self._destroys)
            stack.callback(look.close)
            watched = ClientWatch(client, look, run.disks, self._budget)
            self._forced = watched.wait(
                self.job, run.say, run.stop, destroys=self._destroys
            )
            client.close()
            self._collect(client, servers, folder, run)
        if self._destroys:
            watched.count_last(run.jobs)

    def _collect(
        self,
        client: FioClient,
        servers: Sequence[FioServer],
        folder: Path,
        run: HostsRun,
    ) -> None:
        """Take what the client printed, and the logs that it was sent."""
        entries = client_results(client.text)
        self._messages = client.messages()
        files = {p.name: p.read_bytes() for p in folder.iterdir() if ".log" in p.name}
        for server in servers:
            site = server.site
            jobs = entries.get((server.address, server.port))
            run.servers[site.name] = f"{server.address}:{server.port}"
            if jobs:
                run.jobs[site.name] = jobs = site.marked(jobs)
                if site.job.devices:
                    own = device_table(jobs, site.job)
                    run.artefacts.append(replace(own, name=f"{site.name}-{own.name}"))
            else:
                site.lose("it sent no results")
            if (logs := read_logs(files, site.name, site.job)) is not None:
                run.logs[site.name] = logs
        run.artefacts.append(kept_line(command_line(client.argv)))
        run.artefacts.append(Artefact(OUTPUT, "application/zlib", client.packed()))
        if self._messages:
            run.keep("fio-messages.txt", "\n".join(self._messages))

    def _place(self, run: HostsRun) -> None:
        """Judge each host that sent results, and place its window on our clock."""
        for site in run.sites:
            jobs = run.jobs.get(site.name)
            if jobs is None:
                continue
            # It came to its end after all, whatever it looked like in between.
            site.trouble, site.lost_ns = "", 0
            done = Ended(0, self._forced, {"jobs": jobs}, messages=self._messages)
            window = None
            if (log := run.logs.get(site.name)) is not None:
                runtime = max(
                    job[d]["runtime"] for job in jobs for d in ("read", "write")
                )
                start = log.start_ns + site.clock.ns
                window = (start, start + runtime * 1_000_000)
            run.results[site.name] = fio_judged(site.job, done).result(window)


def _close_all(servers: Sequence[FioServer]) -> None:
    with ThreadPoolExecutor(16, "server-close") as pool:
        list(pool.map(FioServer.close, servers))
