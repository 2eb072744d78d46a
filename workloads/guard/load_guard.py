"""What stands around each load: before it starts, while it runs, until it has ended."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from instruments.errors import BadInput
from instruments.tools.command import start
from instruments.tools.hosts import Host
from instruments.tools.started import Started
from workloads.base import End, Say
from workloads.fio_job import FioJob
from workloads.guard.budget import Budget
from workloads.guard.device import Device
from workloads.guard.hold import Hold
from workloads.guard.nodes import find_disks


class LoadGuard(ABC):
    """What stands around a load: before it starts, and while it runs.

    Args:
        budget: Counts what is written.
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self._budget = budget or Budget()

    @abstractmethod
    def hold(self, say: Say, *, destroys: bool) -> AbstractContextManager[None]:
        """Check the target and keep others away from it while the load runs.

        Args:
            say: Takes (level, message) for the event log.
            destroys: Whether the load writes or erases.

        Raises:
            BenchError: The load must not start.
        """

    @abstractmethod
    def check(
        self, pid: int, folder: str, *, destroys: bool, is_tool: bool = False
    ) -> str:
        """Say why a running load has to be killed at once, "" where it may go on.

        Args:
            pid: Its process.
            folder: Its own folder, in which it may write.
            destroys: Whether it writes to its target.
            is_tool: Whether it is a program that starts others and has files of its
                own: the disks of all of them are looked at, and not the files.
        """

    def start(self, argv: Sequence[str], folder: str, job: FioJob) -> Started:
        """Start fio in a folder that has its job file, with links to its targets.

        Raises:
            BenchError: It cannot be started.
        """
        leads = [str(target.absolute()) for target in job.targets]
        return self._start(argv, folder, job, leads)

    def _start(
        self,
        argv: Sequence[str],
        folder: str,
        job: FioJob,
        leads: Sequence[str],
        handles: Sequence[int] = (),
    ) -> Started:
        """Start fio with links to its targets beside its job.

        fio cuts and expands what it reads in a job file, so no path of the user's
        stands in there.
        """
        for link, lead in zip(job.links, leads, strict=True):
            (Path(folder) / link).symlink_to(lead)
        # In the shared one anybody may have it print a document by fio-dump-status.
        return start(argv, cwd=folder, env={"TMPDIR": folder}, keep=handles)

    def _start_on(
        self, held: Sequence[Hold], argv: Sequence[str], folder: str, job: FioJob
    ) -> Started:
        """Start fio with handles of its disks: by them it opens what was checked."""
        handles = [one.fd for one in held]
        leads = [f"/proc/self/fd/{handle}" for handle in handles]
        return self._start(argv, folder, job, leads, handles)

    def count(self, written: int) -> None:
        """Take the bytes that the load has written since it was last told."""
        self._budget.count(written)

    def spent(self) -> End:
        """Tell whether a load that writes has to end now; see `Budget.spent`."""
        return self._budget.spent()


def check_same(host: Host, devices: Sequence[Device]) -> None:
    """Check that disks are those that a run began with; raises BadInput."""
    now = find_disks(host, [str(device.path) for device in devices])
    for device, disk in zip(devices, now, strict=True):
        if disk.identity != device.disk.identity:
            raise BadInput(
                "this is not the disk that the run began with",
                where=str(device.path),
                way_out=f"It was {device.disk.title}, and is {disk.title} now.",
            )
