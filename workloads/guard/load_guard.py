"""The guard around each load: before it starts, while it runs, until it has ended."""

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from instruments.command import start
from instruments.errors import BadInput, BenchError
from instruments.hosts import Host, LocalHost
from instruments.started import Started
from workloads.fio_job import FioJob
from workloads.guard.arming import check_armed
from workloads.guard.budget import Budget
from workloads.guard.device import Device
from workloads.guard.disk import Disk
from workloads.guard.hold import Hold
from workloads.guard.look import look
from workloads.guard.nodes import find_disk
from workloads.guard.open_files import Allowed, family, stray_file
from workloads.guard.privileged import HelperProcess, can_ask, fio_request

_AGAIN_S = 2.0
"""Seconds between two looks at a load that was found as it should be."""

Say = Callable[[str, str], None]


class LoadGuard(Protocol):
    """What stands around a load: before it starts, and while it runs."""

    def hold(self, say: Say, *, destroys: bool) -> AbstractContextManager[None]:
        """Check the target and keep others away from it while the load runs.

        Args:
            say: Takes (level, message) for the event log.
            destroys: Whether the load writes or erases.

        Raises:
            BenchError: The load must not start.
        """
        ...

    def start(self, argv: Sequence[str], folder: str, job: FioJob) -> Started:
        """Start fio in a folder that has its job file.

        Args:
            argv: Its command line.
            folder: The folder.
            job: The job, for one that starts it elsewhere.

        Raises:
            BenchError: It cannot be started.
        """
        ...

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
        ...

    def count(self, written: int) -> None:
        """Take the bytes that the load has written since it was last told."""
        ...

    def spent(self) -> str:
        """Say why a load that writes has to end now, "" where it may go on."""
        ...


def check_same(device: Device, now: Disk) -> None:
    """Check that a disk is the one that a run began with; raises BadInput."""
    if now.identity != device.disk.identity:
        raise BadInput(
            "this is not the disk that the run began with",
            where=str(device.path),
            way_out=f"It was {device.disk.title}, and is {now.title} now.",
        )


class DeviceGuard:
    """The guard around each load on a disk.

    Before a load that writes the exclusive handle is taken first, then everything is
    checked anew: from then on nobody else can claim the disk. What a running load has
    open is looked at until it has the disk open, and every two seconds after that.
    """

    def __init__(
        self, device: Device, budget: Budget | None = None, host: Host | None = None
    ) -> None:
        self._device = device
        self._budget = budget or Budget()
        self._host = host or LocalHost()
        self._held: Hold | None = None
        self._next = 0.0

    @contextlib.contextmanager
    def hold(self, say: Say, *, destroys: bool) -> Iterator[None]:
        """Check the disk and hold it; see `LoadGuard`."""
        self._next = 0.0
        device = self._device
        if not destroys:
            check_same(device, find_disk(self._host, str(device.path))[0])
            yield
            return
        if device.armed is None:
            raise BadInput("it is not armed", where=str(device.path))
        self._budget.check()
        with Hold(device.armed) as held:
            check_armed(device.armed, look(self._host, str(device.path), held=True))
            self._held = held
            say("info", f"{device.disk.title}: checked and held, it is overwritten now")
            try:
                yield
            finally:
                self._held = None
        say("info", f"{device.disk.path} is let go")

    def start(self, argv: Sequence[str], folder: str, job: FioJob) -> Started:  # noqa: ARG002
        """Start fio here, as who we are; see `LoadGuard`."""
        return start(argv, cwd=folder)

    def check(
        self, pid: int, folder: str, *, destroys: bool, is_tool: bool = False
    ) -> str:
        """Look at a running load; see `LoadGuard`."""
        if time.monotonic() < self._next:
            return ""
        number = self._device.disk.identity.number
        allowed = Allowed(number, folder=folder, writes=destroys, is_tool=is_tool)
        trouble = stray_file(pid, allowed)
        try:
            if self._held is not None and not trouble:
                self._held.check()
        except (BenchError, OSError) as error:
            trouble = str(error)
        members = family(pid) if is_tool else [pid]
        if not trouble and any(_has_open(one, number) for one in members):
            self._next = time.monotonic() + _AGAIN_S
        return trouble

    def count(self, written: int) -> None:
        """Count what was written; see `LoadGuard`."""
        self._budget.count(written)

    def spent(self) -> str:
        """Say that the write budget is used up; see `LoadGuard`."""
        return self._budget.trouble()


class FileGuard:
    """The guard around each load on a scratch file: it may write to nothing else."""

    def __init__(self, path: Path, budget: Budget | None = None) -> None:
        self._path = path
        self._budget = budget or Budget()
        self._next = 0.0

    @contextlib.contextmanager
    def hold(self, say: Say, *, destroys: bool) -> Iterator[None]:  # noqa: ARG002
        """Check the budget; the scratch file itself is locked for the whole run."""
        self._next = 0.0
        if destroys:
            self._budget.check()
        yield

    def start(self, argv: Sequence[str], folder: str, job: FioJob) -> Started:  # noqa: ARG002
        """Start fio here, as who we are; see `LoadGuard`."""
        return start(argv, cwd=folder)

    def check(
        self, pid: int, folder: str, *, destroys: bool, is_tool: bool = False
    ) -> str:
        """Look at a running load; see `LoadGuard`."""
        if time.monotonic() < self._next:
            return ""
        self._next = time.monotonic() + _AGAIN_S / 4
        try:
            status = self._path.stat()
        except OSError:
            return ""
        own = (status.st_dev, status.st_ino)
        allowed = Allowed("", file=own, folder=folder, writes=destroys, is_tool=is_tool)
        return stray_file(pid, allowed)

    def count(self, written: int) -> None:
        """Count what was written; see `LoadGuard`."""
        self._budget.count(written)

    def spent(self) -> str:
        """Say that the write budget is used up; see `LoadGuard`."""
        return self._budget.trouble()


def _has_open(pid: int, number: str) -> bool:
    base = Path(f"/proc/{pid}/fd")
    major, _, minor = number.partition(":")
    wanted = os.makedev(int(major), int(minor))
    with contextlib.suppress(OSError):
        for entry in base.iterdir():
            with contextlib.suppress(OSError):
                status = entry.stat()
                if stat.S_ISBLK(status.st_mode) and status.st_rdev == wanted:
                    return True
    return False


class HelperGuard:
    """The guard of a load that the helper runs as root: it stands around it there.

    Here is only looked whether the disks still are those that the run began with,
    and counted what is written.
    """

    def __init__(
        self,
        device: Device,
        budget: Budget | None = None,
        command: Sequence[str] | None = None,
        more: Sequence[Device] = (),
    ) -> None:
        self._devices = (device, *more)
        self._budget = budget or Budget()
        self._command = command

    @contextlib.contextmanager
    def hold(self, say: Say, *, destroys: bool) -> Iterator[None]:
        """Check the disks; the helper checks them again and holds them."""
        for device in self._devices:
            check_same(device, find_disk(LocalHost(), str(device.path))[0])
        if destroys:
            self._budget.check()
            for device in self._devices:
                told = f"{device.disk.title}: the helper checks, holds, overwrites it"
                say("info", told)
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
        """Nothing can be seen of root's processes from here; see `LoadGuard`."""
        return ""

    def count(self, written: int) -> None:
        """Count what was written; see `LoadGuard`."""
        self._budget.count(written)

    def spent(self) -> str:
        """Say that the write budget is used up; see `LoadGuard`."""
        return self._budget.trouble()


def device_guard(device: Device, budget: Budget | None = None) -> LoadGuard:
    """Make the guard of a disk: here where we may write to it, else the helper's.

    Whoever may not write to it cannot by any other program either.
    """
    if can_ask() and not os.access(device.path, os.W_OK):
        return HelperGuard(device, budget)
    return DeviceGuard(device, budget)
