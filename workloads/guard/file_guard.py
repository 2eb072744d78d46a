"""The guards around each load on scratch files: it may write to nothing else."""

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from instruments.started import Started
from workloads.fio_job import FioJob
from workloads.guard.budget import Budget
from workloads.guard.load_guard import LocalGuard, Say
from workloads.guard.open_files import Allowed, stray_file

_AGAIN_S = 0.5
"""Seconds between two looks at a running load."""


class _ScratchGuard(LocalGuard):
    """Any scratch files; they are locked by the run, not here."""

    def __init__(self, budget: Budget | None = None) -> None:
        super().__init__(budget)
        self._next = 0.0

    @contextlib.contextmanager
    def hold(self, say: Say, *, destroys: bool) -> Iterator[None]:  # noqa: ARG002
        """Check the budget; the scratch files are locked for the whole run."""
        self._next = 0.0
        if destroys:
            self._budget.check()
        yield

    def _is_due(self) -> bool:
        """Whether to look again; if so, the next look comes a while later."""
        if time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + _AGAIN_S
        return True


class FileGuard(_ScratchGuard):
    """The guard around each load on one scratch file.

    Args:
        path: The file.
        budget: Counts what is written.
        handle: The file as it is open since it was checked; -1 for none.
    """

    def __init__(
        self, path: Path, budget: Budget | None = None, handle: int = -1
    ) -> None:
        super().__init__(budget)
        self._path = path
        self._handle = handle

    def start(self, argv: Sequence[str], folder: str, job: FioJob) -> Started:
        """Start fio on the file that was checked; see `LoadGuard`."""
        if self._handle < 0:
            return super().start(argv, folder, job)
        lead = f"/proc/{os.getpid()}/fd/{self._handle}"
        return self._start(argv, folder, job, [lead])

    def check(
        self, pid: int, folder: str, *, destroys: bool, is_tool: bool = False
    ) -> str:
        """Look at a running load; see `LoadGuard`."""
        if not self._is_due():
            return ""
        try:
            open_file = self._handle if self._handle >= 0 else self._path
            status = os.stat(open_file)  # noqa: PTH116  (it may be a handle)
        except OSError:
            return ""
        own = (status.st_dev, status.st_ino)
        allowed = Allowed("", file=own, folder=folder, writes=destroys, is_tool=is_tool)
        return stray_file(pid, allowed)


class FilesGuard(_ScratchGuard):
    """The guard around each load on several scratch files."""

    def __init__(self, paths: Sequence[Path], budget: Budget | None = None) -> None:
        super().__init__(budget)
        self._paths = paths

    def check(
        self, pid: int, folder: str, *, destroys: bool, is_tool: bool = False
    ) -> str:
        """Look at a running load; see `LoadGuard`."""
        if not self._is_due():
            return ""
        own = []
        for path in self._paths:
            with contextlib.suppress(OSError):
                status = path.stat()
                own.append((status.st_dev, status.st_ino))
        allowed = Allowed(
            more_files=tuple(own), folder=folder, writes=destroys, is_tool=is_tool
        )
        return stray_file(pid, allowed)
