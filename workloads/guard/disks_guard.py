"""The guard around each load on several disks: it checks and holds each."""

import contextlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from instruments.errors import BadInput, BenchError
from instruments.hosts import Host, LocalHost
from workloads.guard.arming import check_armed
from workloads.guard.budget import Budget
from workloads.guard.device import Device
from workloads.guard.hold import Hold
from workloads.guard.load_guard import LocalGuard, Say, check_same
from workloads.guard.look import look
from workloads.guard.nodes import find_disk
from workloads.guard.open_files import Allowed, stray_file
from workloads.guard.survey import survey

_AGAIN_S = 0.5
"""Seconds between two looks at a running load."""


class DisksGuard(LocalGuard):
    """The guard around each load on several disks.

    Before a load that writes all exclusive handles are taken, and everything is
    checked anew; no disk is written to unless every one passes. A disk that vanishes
    while a load runs is its own fault, the load goes on with the others; a name that
    leads to another disk ends the load at once.
    """

    def __init__(
        self,
        devices: Sequence[Device],
        budget: Budget | None = None,
        host: Host | None = None,
    ) -> None:
        super().__init__(budget)
        self._devices = devices
        self._host = host or LocalHost()
        self._held: dict[str, Hold] = {}
        self._say: Say = lambda *_: None
        self._next = 0.0

    @contextlib.contextmanager
    def hold(self, say: Say, *, destroys: bool) -> Iterator[None]:
        """Check all disks and hold them; see `LoadGuard`."""
        self._next, self._say = 0.0, say
        if not destroys:
            for device in self._devices:
                check_same(device, find_disk(self._host, str(device.path))[0])
            yield
            return
        self._budget.check()
        with contextlib.ExitStack() as stack:
            for device in self._devices:
                if device.armed is None:
                    raise BadInput("it is not armed", where=str(device.path))
                self._held[str(device.path)] = stack.enter_context(Hold(device.armed))
            seen = survey(self._host)
            for device in self._devices:
                now = look(self._host, str(device.path), seen, held=True)
                if device.armed is not None:
                    check_armed(device.armed, now)
                say("info", f"{device.disk.title}: checked and held")
            say("info", f"{len(self._devices)} disks are overwritten now")
            try:
                yield
            finally:
                self._held.clear()
        say("info", f"{len(self._devices)} disks are let go")

    def check(
        self, pid: int, folder: str, *, destroys: bool, is_tool: bool = False
    ) -> str:
        """Look at a running load; see `LoadGuard`."""
        if time.monotonic() < self._next:
            return ""
        self._next = time.monotonic() + _AGAIN_S
        numbers = tuple(device.disk.identity.number for device in self._devices)
        allowed = Allowed(more=numbers, folder=folder, writes=destroys, is_tool=is_tool)
        return stray_file(pid, allowed) or self._changed()

    def _changed(self) -> str:
        """Say which name leads to another disk by now; let go of what is gone."""
        for path, held in list(self._held.items()):
            try:
                held.check()
            except (BenchError, OSError) as error:
                if Path(path).exists():
                    return str(error)
                del self._held[path]
                self._say("error", f"{path} is gone, the load goes on with the others")
        return ""
