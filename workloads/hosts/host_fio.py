"""fio on one host of several: started on a signal, watched, ended, judged."""

import os
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from instruments.errors import BenchError
from instruments.tools.started import Started
from workloads.base import LoadResult
from workloads.command_line import command_line, fio_argv
from workloads.fio.faults import OVERTIME_S, Ended
from workloads.fio.reader import FioReader
from workloads.fio.result import fio_result
from workloads.guard.budget import Budget
from workloads.guard.load_guard import Say
from workloads.hosts.host_live import HostLive
from workloads.hosts.site import Site

GRACE_S = {signal.SIGINT: 10.0, signal.SIGTERM: 5.0, signal.SIGKILL: 5.0}
"""Seconds that each signal is given before the next one."""

QUIET_S = 10.0
"""A host of which nothing was heard for so long is asked whether it is there."""


@dataclass(frozen=True, slots=True)
class _Output:
    """The output of a program, read apart from it."""

    stdout: IO[bytes]


class HostFio:
    """One fio on a host of which all others start at the same moment.

    Args:
        site: The host, open.
        live: Takes its documents.
        destroys: Whether it writes.
        budget: Counts what it writes.
    """

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
        # Of its own, so that letting go of a lost host does not close it in a read.
        self._output = _Output(os.fdopen(os.dup(self._process.stdout.fileno()), "rb"))
        self.reader = FioReader(self._output, self.live)
        self.reader.start()
        self.site.go(self._process)

    def follow(self, say: Say, stop: threading.Event) -> LoadResult | None:
        """Wait for its end, or end it.

        Args:
            say: Takes events.
            stop: Ends it early.

        Returns:
            Its result, None where the host was lost.
        """
        reader = self.reader
        if reader is None:
            raise RuntimeError("it was not let go")
        try:
            cause = self._watch(reader, say, stop)
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
        ended = Ended(code, cause, last, window, messages, packed, line)
        return fio_result(self._job, ended)

    def _watch(self, reader: FioReader, say: Say, stop: threading.Event) -> str:
        """Wait for the end; return why we ended it, or "" where fio did."""
        job = self._job
        deadline = time.monotonic() + job.ramp_s + job.runtime_s + OVERTIME_S
        asked = 0.0
        while self._process.wait(0.2) is None:
            self._budget.count(reader.newly_written())
            if trouble := self.site.check(self._process.pid, destroys=self._destroys):
                self._process.send_signal(signal.SIGKILL)
                say("error", f"{self.site.name}: fio was killed: {trouble}")
                return trouble
            if self._destroys and (spent := self._budget.trouble()):
                self._end()
                return spent
            if stop.is_set():
                self._end()
                return "stopped"
            if time.monotonic() > deadline:
                self._end()
                return "overtime"
            quiet = time.monotonic() - max(reader.last_document, asked)
            if quiet > QUIET_S:
                if trouble := self.site.silence():
                    self.site.lose(trouble)
                    return ""
                asked = time.monotonic()
                say("warning", f"{self.site.name}: no live data, but it answers")
        return ""

    def _end(self) -> None:
        """End fio: INT lets it write its last document, TERM, then KILL."""
        for number, grace in GRACE_S.items():
            self._process.send_signal(number)
            if self._process.wait(grace) is not None:
                return
