"""The guards around each load on scratch files: it may write to nothing else."""

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from instruments.tools.started import Started
from workloads.fio_job import FioJob
from workloads.guard.budget import Budget
from workloads.guard.load_guard import LocalGuard, Say
from workloads.guard.open_files import Allowed, stray_file

_AGAIN_S = 0.5
"""Seconds between two looks at a running load."""


class FileGuard(LocalGuard):
    """The guard around each load on scratch files; they are locked by the run.

    Args:
        paths: The files.
        budget: Counts what is written.
        handles: The files as they are open since they were checked; none where
            their names are to be trusted.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        budget: Budget | None = None,
        handles: Sequence[int] = (),
    ) -> None:
        super().__init__(budget)
        self._files: Sequence[Path | int] = handles or paths
        self._handles = handles
        self._next = 0.0

    @contextlib.contextmanager
    def hold(self, say: Say, *, destroys: bool) -> Iterator[None]:  # noqa: ARG002
        """Check the budget; the scratch files are locked for the whole run."""
        self._next = 0.0
        if destroys:
            self._budget.check()
        yield

    def start(self, argv: Sequence[str], folder: str, job: FioJob) -> Started:
        """Start fio on the files that were checked; see `LoadGuard`."""
        if not self._handles:
            return super().start(argv, folder, job)
        leads = [f"/proc/{os.getpid()}/fd/{handle}" for handle in self._handles]
        return self._start(argv, folder, job, leads)

    def check(
        self, pid: int, folder: str, *, destroys: bool, is_tool: bool = False
    ) -> str:
        """Look at a running load; see `LoadGuard`."""
        if time.monotonic() < self._next:
            return ""
        self._next = time.monotonic() + _AGAIN_S
        own = []
        for file in self._files:
            with contextlib.suppress(OSError):
                status = os.stat(file)  # noqa: PTH116  (it may be a handle)
                own.append((status.st_dev, status.st_ino))
        allowed = Allowed(
            files=tuple(own), folder=folder, writes=destroys, is_tool=is_tool
        )
        return stray_file(pid, allowed)
