"""fio on several hosts over SSH, one each: live latencies of every host, one result."""

import io
import os
import select
import tarfile
import threading
import time
import zlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import IO, Any

from instruments.errors import BenchError, plain_words
from instruments.reading import Channel
from instruments.timebase import monotonic_ns
from instruments.tools.started import Started
from workloads.base import End, LoadCause, LoadResult, Say
from workloads.command_line import command_line, fio_argv
from workloads.fio.faults import OVERTIME_S, Ended
from workloads.fio.live import MOST_LIVE, device_channels, fio_channels
from workloads.fio.reader import FioReader
from workloads.fio.result import fio_result
from workloads.fio.table import OUTPUT
from workloads.guard.budget import Budget
from workloads.hosts.grid import CELL_NS, GridSum, HostLive
from workloads.hosts.host_logs import HostLogs, read_logs
from workloads.hosts.load import FioOnHosts, HostsRun
from workloads.hosts.opening import each, living
from workloads.hosts.site import Site
from workloads.tool_ended import watch

_PACK = 'for log in *.log; do [ -e "$log" ] && exec tar -czf - -- *.log; done; exit 0'
_WAIT_S = 120.0
"""Seconds for all logs of a host; even their largest come in some ten."""

_MOST = 1 << 30
"""Bytes of all logs of a host, unpacked; `with_logs` keeps them far below."""


def fetch_logs(site: Site) -> HostLogs | None:
    """Bring the logs of a host here and read them; None where it has none.

    Raises:
        BenchError: They cannot be had.
    """
    where = str(site.place.host)
    with site.start(["sh", "-c", _PACK]) as process:
        packed = _read(process, where)
        if process.wait(5.0) != 0:
            complaint = process.stderr_text().strip()[-200:]
            raise BenchError(
                f"its fine logs cannot be fetched ({complaint or 'no message'})",
                where=where,
                way_out="Check whether tar and gzip are installed there.",
            )
    if not packed:
        return None
    try:
        files = _unpacked(packed)
    except (tarfile.TarError, EOFError, OSError, zlib.error, ValueError) as error:
        raise BenchError(
            f"its fine logs came damaged ({plain_words(error)})", where=where
        ) from None
    return read_logs(files, site.name, site.job)


def _read(process: Started, where: str) -> bytes:
    """Read all that it prints, which has to come in time."""
    packed, until = bytearray(), time.monotonic() + _WAIT_S
    handle = process.stdout.fileno()
    while len(packed) <= _MOST:
        left = max(0.0, until - time.monotonic())
        if not select.select([handle], [], [], left)[0]:
            raise BenchError(
                f"its fine logs did not come within {_WAIT_S:.0f} s",
                where=where,
                way_out="Check whether tar hangs there, and how fast the network is.",
            )
        chunk = os.read(handle, 1 << 16)
        if not chunk:
            return bytes(packed)
        packed += chunk
    raise BenchError(f"its fine logs are of more than {_MOST >> 20} MiB", where=where)


def _unpacked(packed: bytes) -> dict[str, bytes]:
    """Unpack the logs; raises ValueError and what damaged archives raise."""
    files = {}
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as tar:
        left = _MOST
        for one in tar:
            left -= one.size
            if left < 0:
                raise ValueError(f"more than {_MOST >> 20} MiB")
            content = tar.extractfile(one) if one.isreg() else None
            if content is not None:
                files[one.name] = content.read()
    return files


QUIET_S = 10.0
"""A host of which nothing was heard for so long is asked whether it is there."""


@dataclass(frozen=True, slots=True)
class _Output:
    """The output of a program, read apart from it."""

    stdout: IO[bytes]


class HostFio:
    """One fio on a host of which all others start at the same moment."""

    def __init__(
        self, site: Site, live: HostLive, *, destroys: bool, budget: Budget
    ) -> None:
        self.site = site
        self._job = site.job
        self.live = live
        self.reader: FioReader | None = None
        self._output: _Output | None = None
        self._destroys = destroys
        self._budget = budget
        self._argv = fio_argv(writes=destroys)
        self._process: Started = site.ready(self._argv)

    @property
    def jobs(self) -> Sequence[Mapping[str, Any]]:
        """Get the entries of its last document; none before the first."""
        last = self.reader.last if self.reader is not None else None
        return self.site.marked(last["jobs"]) if last is not None else ()

    def go(self) -> None:
        """Let fio begin."""
        # A duplicate, so that letting go of a lost host does not close it in a read.
        self._output = _Output(os.fdopen(os.dup(self._process.stdout.fileno()), "rb"))
        self.reader = FioReader(self._output, self.live)
        self.reader.start()
        self.site.go(self._process)

    def follow(self, say: Say, stop: threading.Event) -> LoadResult | None:
        """Wait for its end, or end it.

        Returns:
            Its result, None where the host was lost.
        """
        reader = self.reader
        if reader is None:
            raise RuntimeError("it was not let go")
        try:
            forced = self._watch(reader, say, stop)
            code = self._process.wait(0)
        except BenchError as error:
            self.site.lose(error.what)
            return None
        finally:
            reader.join(timeout=2.0 if self.site.trouble else 15.0)
            self._process.close()
            reader.join(timeout=10)
            if self._output is not None and not reader.is_alive():
                self._output.stdout.close()
            self._budget.count(reader.newly_written())
        if self.site.trouble:
            return None
        messages = (*reader.stream.messages, *self._process.stderr_text().splitlines())
        window, packed = self.live.window(), reader.compressed()
        last = {**reader.last, "jobs": self.jobs} if reader.last else None
        leads = dict(zip(self._job.links, map(str, self._job.targets), strict=True))
        line = command_line(self._argv, leads)
        ended = Ended(code, forced, last, window, messages, packed, line)
        return fio_result(self._job, ended)

    def _watch(self, reader: FioReader, say: Say, stop: threading.Event) -> End:
        """Wait for the end; return why we ended it.

        Raises:
            BenchError: The host was lost.
        """
        job, site, destroys = self._job, self.site, self._destroys
        asked = 0.0

        def look() -> End:
            nonlocal asked
            self._budget.count(reader.newly_written())
            if stray := site.check(self._process.pid, destroys=destroys):
                return End(LoadCause.GUARD, stray)
            if time.monotonic() - max(reader.last_document, asked) > QUIET_S:
                if trouble := site.silence():
                    raise BenchError(trouble)
                asked = time.monotonic()
                say("warning", f"{site.name}: no live data, but it answers")
            return self._budget.spent() if destroys else End()

        longest_s = job.ramp_s + job.runtime_s + OVERTIME_S
        name = f"fio on {site.name}"
        return watch(
            self._process,
            name,
            say,
            stop,
            longest_s=longest_s,
            look=look,
            wait_s=0.2,
        )


class FioEach(FioOnHosts):
    """One fio job on each of several hosts, all started at the same moment.

    The fio of a host that is lost ends there by itself within seconds.
    """

    def _live_channels(self) -> Sequence[Channel]:
        """Get the channels of the sum, of each host, and of its devices if few."""
        shown = self._shows_devices
        found = [channel for own in self._sum_channels.values() for channel in own]
        for host, job in self._jobs.items():
            for direction in self.job.directions:
                found += fio_channels(self.name, direction, host)
                devices = job.devices if shown else ()
                found += device_channels(self.name, direction, devices, host)
        return found

    @property
    def _sum_channels(self) -> dict[str, tuple[Channel, ...]]:
        return {
            direction: fio_channels(self.name, direction, period_ns=CELL_NS)
            for direction in self.job.directions
        }

    @property
    def _shows_devices(self) -> bool:
        """Whether there are few enough devices for live channels of each."""
        return sum(len(job.devices) for job in self._jobs.values()) <= MOST_LIVE

    def _load(self, run: HostsRun) -> None:
        started = self._start(run)
        for one in started.values():
            one.go()
        run.disks.begin()
        run.began_ns = monotonic_ns()
        run.origin = f"{{host}}-{OUTPUT}, last document"
        results: dict[str, LoadResult] = {}

        def follow(one: HostFio) -> None:
            site = one.site
            result = one.follow(run.say, run.stop)
            one.live.leave(lost=result is None)
            if result is None:
                lost = f"{site.name} is lost, the others go on: {site.trouble}"
                run.say("error", lost)
                return
            results[site.name] = result
            if site.job.logs is None or site.place.windows is not None:
                return
            try:
                if (logs := fetch_logs(site)) is not None:
                    run.logs[site.name] = logs
            except BenchError as error:
                run.say("warning", f"{site.name}: {error}")

        with ThreadPoolExecutor(max(1, len(started)), "host-fio") as pool:
            list(pool.map(follow, started.values()))
        for site in run.sites:  # in the order of the bench, whoever ended first
            if (result := results.get(site.name)) is None:
                continue
            run.results[site.name] = result
            if result.window is not None:
                run.jobs[site.name] = started[site.name].jobs
                run.counted[site.name] = started[site.name].live.counted(result.window)
            run.artefacts += [
                replace(artefact, name=f"{site.name}-{artefact.name}")
                for artefact in result.artefacts
            ]

    def _start(self, run: HostsRun) -> dict[str, HostFio]:
        """Start fio on all hosts; each waits to be let go."""
        names = [site.name for site in run.sites if not site.trouble]
        total = GridSum(self.name, self._sum_channels, names, run.emit)
        started: dict[str, HostFio] = {}

        def start(site: Site) -> None:
            live = HostLive(
                total,
                site.name,
                self._ramp_ns,
                run.emit,
                site.clock,
                devices=site.job.devices,
                shown=self._shows_devices,
            )
            started[site.name] = HostFio(
                site, live, destroys=self._destroys, budget=self._budget
            )

        each(run.sites, start, run.say)
        living(run.sites)
        for site in run.sites:
            if site.trouble:
                total.leave(site.name, lost=True)
        return started
