"""The guard around each load on disks that we may open ourselves."""

import contextlib
import os
import stat
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from instruments.errors import BenchError
from instruments.sizes import counted
from instruments.tools.hosts import LocalHost
from instruments.tools.started import Started
from workloads.base import Say
from workloads.fio_job import FioJob
from workloads.guard.budget import Budget
from workloads.guard.device import Device
from workloads.guard.hold import Hold, hold_device
from workloads.guard.load_guard import LoadGuard, check_same
from workloads.guard.open_files import Allowed, family, stray_file
from workloads.guard.watch import Watch

_AGAIN_S = 0.5
"""Seconds between two looks at a load that has its disks open."""


class DiskGuard(LoadGuard):
    """The guard around each load on one disk or several.

    Before a load that writes all exclusive handles are taken, then everything is
    checked again: from then on nobody else can claim a disk, and none is written to
    unless every one passes. One of several that vanishes while a load runs is its own
    fault, the load goes on with the others; a name that leads to another disk ends the
    load at once. What it has open is looked at without a pause until it has a disk
    open.
    """

    def __init__(self, devices: Sequence[Device], budget: Budget | None = None) -> None:
        super().__init__(budget)
        self._devices = devices
        self._host = LocalHost()
        self._held: dict[str, Hold] = {}
        self._watch: Watch | None = None
        self._say: Say = lambda *_: None
        self._next = 0.0

    @contextlib.contextmanager
    def hold(self, say: Say, *, destroys: bool) -> Iterator[None]:
        """Check all disks and hold them; see `LoadGuard`."""
        self._next, self._say = 0.0, say
        if destroys:
            self._budget.check()
        with contextlib.ExitStack() as stack:
            stack.callback(self._forget)
            for device in self._devices:
                held = stack.enter_context(hold_device(device, writes=destroys))
                self._held[str(device.path)] = held
            if destroys:
                self._watch = Watch(self._host, [one.disk for one in self._devices])
            self._check_all()
            yield
        if destroys:
            say("info", f"let go: {counted(len(self._devices), 'disk')}")

    def _forget(self) -> None:
        self._held.clear()
        self._watch = None

    def _check_all(self) -> None:
        if self._watch is None:
            check_same(self._host, self._devices)
            return
        self._watch.check_armed([one.armed for one in self._devices if one.armed])
        for device in self._devices:
            self._say("info", f"{device.disk.title}: checked and held")
        self._say("info", f"now overwritten: {counted(len(self._devices), 'disk')}")

    def start(self, argv: Sequence[str], folder: str, job: FioJob) -> Started:
        """Start fio on the handles of the disks; see `LoadGuard`."""
        return self._start_on(list(self._held.values()), argv, folder, job)

    def check(
        self, pid: int, folder: str, *, destroys: bool, is_tool: bool = False
    ) -> str:
        """Look at a running load; see `LoadGuard`."""
        if time.monotonic() < self._next:
            return ""
        numbers = tuple(device.disk.identity.number for device in self._devices)
        allowed = Allowed(numbers, folder=folder, writes=destroys, is_tool=is_tool)
        trouble = stray_file(pid, allowed) or self._changed()
        if self._watch is not None and not trouble:
            trouble = self._watch.check()
        members = family(pid) if is_tool else [pid]
        if not trouble and any(_has_open(member, numbers) for member in members):
            self._next = time.monotonic() + _AGAIN_S
        return trouble

    def _changed(self) -> str:
        """Say which name leads to another disk by now; let go of what is gone."""
        for path, held in list(self._held.items()):
            try:
                held.check()
            except (BenchError, OSError) as error:
                if len(self._devices) == 1 or Path(path).exists():
                    return str(error)
                del self._held[path]
                left = "goes on with the others" if self._held else "has no disk left"
                self._say("error", f"{path} is gone, the load {left}")
        return ""


def _has_open(pid: int, numbers: Collection[str]) -> bool:
    with contextlib.suppress(OSError):
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                status = entry.stat()
                number = f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
                if stat.S_ISBLK(status.st_mode) and number in numbers:
                    return True
    return False
