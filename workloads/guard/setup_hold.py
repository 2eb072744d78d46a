"""Armed disks in the hands of one tool: checked while held, watched while it works."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from instruments.errors import BenchError
from instruments.tools.hosts import LocalHost
from workloads.base import End
from workloads.guard.budget import Budget, WriteMeter
from workloads.guard.device import Device
from workloads.guard.hold import Hold, hold_device
from workloads.guard.open_files import Allowed, stray_file
from workloads.guard.watch import Watch


class SetupHold:
    """The guard around a tool that claims disks itself: mkfs, zpool.

    All disks are taken exclusively, then everything is looked at again, then they are
    let go for the tool, which takes them exclusively in its turn and fails where it
    cannot. A plain handle stays on each of them meanwhile.
    """

    def __init__(self, devices: Sequence[Device], budget: Budget | None = None) -> None:
        self._devices = tuple(devices)
        self._budget = budget or Budget()
        self._held: list[Hold] = []
        self._meter = WriteMeter([device.disk.identity.number for device in devices])
        self._watch: Watch | None = None

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Check all disks and hold them.

        Raises:
            BenchError: One is not armed, not what it was, or in use.
        """
        self._budget.check()
        with contextlib.ExitStack() as stack:
            stack.callback(self._held.clear)
            for device in self._devices:
                held = stack.enter_context(hold_device(device, writes=True))
                self._held.append(held)
            disks = [device.disk for device in self._devices]
            self._watch = Watch(LocalHost(), disks)
            self._watch.check_armed([one.armed for one in self._devices if one.armed])
            for held in self._held:
                held.share()
            self._meter.written()
            try:
                yield
            finally:
                self.count()
                self._watch = None

    @property
    def nodes(self) -> list[str]:
        """Get the kernel's names of the disks, as they are held; for tools."""
        return [held.node for held in self._held]

    def check(self, pid: int) -> str:
        """Say why a running tool has to be killed at once, "" where it may go on."""
        numbers = [device.disk.identity.number for device in self._devices]
        try:
            for held in self._held:
                held.check()
            parts = [part for number in numbers for part in _parts(number)]
        except (BenchError, OSError) as error:
            return str(error)
        allowed = Allowed((*numbers, *parts), writes=True, is_tool=True)
        trouble = stray_file(pid, allowed)
        return trouble or (self._watch.check() if self._watch else "")

    def count(self) -> End:
        """Count what was written, and tell whether that has to end now."""
        self._budget.count(self._meter.written())
        return self._budget.spent()


def _parts(number: str) -> Iterator[str]:
    """Find the device numbers of a disk's partitions, as zpool makes them."""
    for part in Path(f"/sys/dev/block/{number}").glob("*/partition"):
        yield (part.parent / "dev").read_text("ascii").strip()
