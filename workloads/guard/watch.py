"""Whether another way to a disk comes up while a load overwrites it."""

import time
from collections.abc import Sequence

from instruments.errors import BenchError
from instruments.hosts import Host
from workloads.guard.disk import Disk, Findings
from workloads.guard.objections import objections
from workloads.guard.survey import survey
from workloads.guard.twins import find_twins

_AGAIN_S = 1.0
_TABLES = ("/proc/partitions", "/proc/self/mountinfo", "/proc/swaps")


class Watch:
    """Looks for twins of held disks again when disks, mounts or swap have changed.

    It begins before the disks are looked at, so that nothing comes in between.

    Args:
        host: The machine.
        disks: What is held there.
        holder: The process that holds them; see `survey`.

    Raises:
        BenchError: The machine cannot be asked.
    """

    def __init__(self, host: Host, disks: Sequence[Disk], holder: int = 0) -> None:
        self._host, self._disks, self._holder = host, disks, holder
        self._before = self._now()
        self._next = 0.0

    def check(self) -> str:
        """Say why the load has to end, "" where it may go on; looks at most so often.

        A machine that is too busy to answer is asked again the next time.
        """
        if time.monotonic() < self._next:
            return ""
        self._next = time.monotonic() + _AGAIN_S
        try:
            now = self._now()
            if now == self._before:
                return ""
            seen = survey(self._host, self._holder)
            ours = {disk.name for disk in self._disks}
            for disk in self._disks:
                twins, alike = find_twins(self._host, disk, seen)
                found = Findings(disk, twins=_but(ours, twins), alike=_but(ours, alike))
                if said := objections(found):
                    return f"{disk.title} is overwritten no more: {said[0].sentence}"
        except BenchError:
            return ""
        self._before = now
        return ""

    def _now(self) -> object:
        return self._host.read_many(_TABLES)


def _but(ours: set[str], told: Sequence[str]) -> tuple[str, ...]:
    """Leave out disks of the same load, which makes their contents alike itself."""
    return tuple(one for one in told if one.partition(" ")[0] not in ours)
