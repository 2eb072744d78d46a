"""The guard of a fio that the helper runs as root, and which guard a load has."""

import contextlib
import os
from collections.abc import Iterator, Sequence

from instruments.tools.hosts import LocalHost
from instruments.tools.started import Started
from workloads.base import Say
from workloads.fio_job import FioJob
from workloads.guard.budget import Budget
from workloads.guard.device import Device
from workloads.guard.disk_guard import DiskGuard
from workloads.guard.helper_client import HelperProcess, can_ask, fio_request
from workloads.guard.load_guard import LoadGuard, check_same


class HelperGuard(LoadGuard):
    """The guard of a fio that the helper runs as root: the guarding is done there.

    For fio alone: what we start ourselves would be neither held nor watched. Here is
    only looked whether the disks still are those that the run began with, and counted
    what is written.
    """

    def __init__(
        self,
        devices: Sequence[Device],
        budget: Budget | None = None,
        command: Sequence[str] | None = None,
    ) -> None:
        super().__init__(budget)
        self._devices = devices
        self._command = command

    @contextlib.contextmanager
    def hold(self, say: Say, *, destroys: bool) -> Iterator[None]:
        """Check the disks; the helper checks them again and holds them."""
        check_same(LocalHost(), self._devices)
        if destroys:
            self._budget.check()
            for device in self._devices:
                what = (
                    f"{device.disk.title}: the helper checks, holds and overwrites it"
                )
                say("info", what)
        yield

    def start(self, argv: Sequence[str], folder: str, job: FioJob) -> Started:  # noqa: ARG002
        """Have the helper write the job and start fio; see `LoadGuard`."""
        return HelperProcess(fio_request(job, self._devices), self._command)

    def check(
        self,
        pid: int,  # noqa: ARG002
        folder: str,  # noqa: ARG002
        *,
        destroys: bool,  # noqa: ARG002
        is_tool: bool = False,  # noqa: ARG002
    ) -> str:
        """Find nothing: the helper looks at its own fio, and ends it itself."""
        return ""


def disk_guard(
    engine: str,
    devices: Sequence[Device],
    budget: Budget | None = None,
    *,
    writes: bool,
) -> LoadGuard:
    """Make the guard of a load on disks: the helper's where we may not do it here.

    Only root sees who else has a disk open that is to be written. The helper runs fio
    and nothing else, so any other engine has to do with what its user may open.
    """
    is_ours = not writes and all(os.access(device.path, os.R_OK) for device in devices)
    if engine == "fio" and can_ask() and not is_ours:
        return HelperGuard(devices, budget)
    return DiskGuard(devices, budget)
