"""The guard around each load on a disk that we may write to ourselves."""

import contextlib
import os
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from instruments.errors import BenchError
from instruments.tools.hosts import LocalHost
from instruments.tools.started import Started
from workloads.base import Say
from workloads.fio_job import FioJob
from workloads.guard.budget import Budget
from workloads.guard.device import Device
from workloads.guard.hold import Hold, hold_device
from workloads.guard.load_guard import LocalGuard, check_same
from workloads.guard.nodes import find_disk
from workloads.guard.open_files import Allowed, family, stray_file
from workloads.guard.watch import Watch

_AGAIN_S = 2.0
"""Seconds between two looks at a load that was found as it should be."""


class DeviceGuard(LocalGuard):
    """The guard around each load on a disk.

    Before a load that writes the exclusive handle is taken first, then everything is
    checked anew: from then on nobody else can claim the disk. What a running load has
    open is looked at until it has the disk open, and every two seconds after that.
    """

    def __init__(self, device: Device, budget: Budget | None = None) -> None:
        super().__init__(budget)
        self._device = device
        self._host = LocalHost()
        self._held: Hold | None = None
        self._watch: Watch | None = None
        self._next = 0.0

    @contextlib.contextmanager
    def hold(self, say: Say, *, destroys: bool) -> Iterator[None]:
        """Check the disk and hold it; see `LoadGuard`."""
        self._next = 0.0
        device = self._device
        if destroys:
            self._budget.check()
        with hold_device(device, writes=destroys) as held:
            if destroys and device.armed is not None:
                self._watch = Watch(self._host, [device.disk])
                self._watch.check_armed([device.armed])
                told = "checked and held, it is overwritten now"
                say("info", f"{device.disk.title}: {told}")
            else:
                check_same(device, find_disk(self._host, str(device.path))[0])
            self._held = held
            try:
                yield
            finally:
                self._held = self._watch = None
        if destroys:
            say("info", f"{device.disk.path} is let go")

    def start(self, argv: Sequence[str], folder: str, job: FioJob) -> Started:
        """Start fio on the handle of the disk; see `LoadGuard`."""
        held = [self._held] if self._held is not None else []
        return self._start_on(held, argv, folder, job)

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
        if self._watch is not None and not trouble:
            trouble = self._watch.check()
        members = family(pid) if is_tool else [pid]
        if not trouble and any(_has_open(one, number) for one in members):
            self._next = time.monotonic() + _AGAIN_S
        return trouble


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
