"""Whether another way to a disk comes up while a load overwrites it."""

import math
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress

from instruments.errors import BenchError
from instruments.tools.detached import begin
from instruments.tools.hosts import Host
from workloads.guard.arming import Armed, check_armed
from workloads.guard.disk import Disk, Findings
from workloads.guard.look import look_together
from workloads.guard.objections import objections
from workloads.guard.scan import read_tables
from workloads.guard.survey import Survey, survey
from workloads.guard.twins import find_twins, uses

_AGAIN_S = 2.0


class Watch:
    """Looks for twins of held disks again when another disk comes into use, or comes.

    It begins before the disks are looked at, so that nothing comes in between. What
    concerns no disk, such as the mounts of a container, is looked into no further; and
    only disks that came into use are compared with those that are held.

    Args:
        host: The machine.
        disks: What is held there.
        holder: The process that holds them; see `survey`.

    Attributes:
        seen: What the machine has in use.

    Raises:
        BenchError: The machine cannot be asked.
    """

    def __init__(self, host: Host, disks: Sequence[Disk], holder: int = 0) -> None:
        self._host, self._disks, self._holder = host, disks, holder
        self.seen = survey(host, holder)
        self._next = 0.0
        self._looking: Future[str] | None = None

    def check_armed(self, armed: Sequence[Armed]) -> None:
        """Look at the held disks again, at all at once, and check each as it was armed.

        Raises:
            BenchError: One is another disk, or something speaks against it by now.
        """
        paths = [one.path for one in armed]
        found = look_together(self._host, paths, self.seen, held=True)
        for one, now in zip(armed, found, strict=True):
            check_armed(one, now)

    def check(self) -> str:
        """Say why the load has to end, "" where it may go on; waits for nothing.

        It looks aside, and again a while after it has; what it found is said the next
        time. A machine that is too busy to answer is asked again.
        """
        if self._looking is None and time.monotonic() >= self._next:
            self._looking = begin(self.look, "guard-watch")
        if self._looking is None or not self._looking.done():
            return ""
        looked, self._looking = self._looking, None
        self._next = time.monotonic() + _AGAIN_S
        try:
            return looked.result()
        except BenchError:
            return ""

    def close(self) -> None:
        """Look no more; a look that is under way lets go of the machine at its end.

        Nobody waits for it: a machine that hangs may keep it for long.
        """
        looking, self._looking = self._looking, None
        self._next = math.inf
        if looking is not None and not looking.done():
            looking.add_done_callback(self._let_go)

    def _let_go(self, _: "Future[str]") -> None:
        with suppress(BenchError):
            self._host.close()

    def look(self) -> str:
        """Look now, and say why the load has to end, "" where it may go on.

        Raises:
            BenchError: The machine cannot be asked.
        """
        now = read_tables(self._host)
        # What goes may come back on another disk, so that is looked at as well.
        if now.blind or now.tables == self.seen.tables:
            return ""
        seen = survey(self._host, self._holder)
        if touched := _new_uses(self.seen, seen):
            twins = find_twins(self._host, self._disks, seen, touched)
            ours = {disk.name for disk in self._disks}
            for disk in self._disks:
                # One load makes the contents of its disks alike itself.
                own = twins[disk.name].but(ours)
                if against := objections(
                    Findings(disk, twins=own.same, alike=own.alike)
                ):
                    return f"{disk.title} is overwritten no more: {against[0].sentence}"
        self.seen = seen
        return ""


def _new_uses(before: Survey, now: Survey) -> set[str]:
    """Name the disks that came, or that something uses by now that did not before."""
    identities = {disk.name: disk.identity for disk in before.disks}
    came = {
        disk.name for disk in now.disks if identities.get(disk.name) != disk.identity
    }
    used = uses(before)
    return came | {
        name for name, each in uses(now).items() if each - used.get(name, frozenset())
    }
