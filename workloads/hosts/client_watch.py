"""fio's client watched until its end: lost hosts, strays, the write budget, a stop."""

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from workloads.fio.faults import OVERTIME_S
from workloads.fio_job import FioJob
from workloads.guard.budget import Budget
from workloads.guard.load_guard import Say
from workloads.hosts.client import FioClient
from workloads.hosts.disks import HostDisks
from workloads.hosts.host_look import HostLook
from workloads.hosts.server import FioServer

_LOST_S = 45.0
"""fio's client gives a host that does not answer up after six times 6 s."""


class ClientWatch:
    """Watches a client that drives servers.

    Args:
        client: The client.
        look: Looks at what the servers have open.
        disks: Count what is written while nothing else tells.
        budget: Counts it.
    """

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
    ) -> str:
        """Wait for the end; return why we ended it, or "" where it ended by itself.

        Args:
            job: What runs.
            say: Takes events.
            stop: Ends it early.
            destroys: Whether it writes.
        """
        over = time.monotonic() + job.ramp_s + job.runtime_s
        while self._client.wait(0.2) is None:
            lost = self._lost(self._look.servers, say)
            cause = self._look.trouble
            if not cause and destroys:
                self._count(self._disks.written())
                cause = self._budget.trouble()
            if not cause and stop.is_set():
                cause = "stopped"
            if time.monotonic() > over + OVERTIME_S + (_LOST_S if lost else 0.0):
                cause = "overtime"
            if cause:
                if cause == self._look.trouble:
                    say("error", f"fio is ended: {cause}")
                self._client.end()
                return cause
        return ""

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
