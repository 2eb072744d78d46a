"""What a running load reads and writes, counted by the kernel for its processes."""

from contextlib import suppress
from pathlib import Path

from instruments.host.diskstats import Transfers
from instruments.reading import SECOND, Channel, Reading, Status

_QUANTITIES = (
    ("read_iops", "1/s"),
    ("read_bw", "B/s"),
    ("write_iops", "1/s"),
    ("write_bw", "B/s"),
)


def transfer_channels(
    source: str, period_ns: int, location: str = ""
) -> tuple[Channel, ...]:
    """Make the four channels of a pair of counts: reads, writes and their bytes."""
    return tuple(
        Channel(source, what, unit, location, period_ns, window_ns=period_ns)
        for what, unit in _QUANTITIES
    )


def transfer_reading(
    channels: tuple[Channel, ...], change: Transfers, start_ns: int, end_ns: int
) -> Reading:
    """Make a reading of the rates between two counts."""
    seconds = (end_ns - start_ns) / SECOND
    counts = (change.reads, change.read_bytes, change.writes, change.written_bytes)
    return Reading(
        channels,
        start_ns,
        end_ns,
        tuple(count / seconds for count in counts),
        (Status.OK,) * len(channels),
    )


class ProgramTransfers:
    """What a program and all that it started have read and written by system calls.

    Linux counts for each process (/proc/PID/io, proc_pid_io(5)), and adds the counts of
    a process that has ended to those of its parent, once that has waited for it
    (`wait_task_zombie` in its kernel/exit.c). What nobody waited for is lost.
    Asynchronous I/O is not among system calls.
    """

    def __init__(self, pid: int, proc: Path = Path("/proc")) -> None:
        self.total = Transfers()
        self._pid = pid
        self._proc = proc

    def look(self) -> Transfers:
        """Count again; return the most that was ever seen of each."""
        total = Transfers()
        # Parents before their children: counts that move up meanwhile are in neither,
        # and back at the next look, but never in both.
        for pid in self._members():
            try:
                lines = (self._proc / str(pid) / "io").read_text().splitlines()
            except OSError:
                continue  # It has ended meanwhile, or is not ours to see.
            counts = {k: int(v) for k, v in (line.split(": ") for line in lines)}
            total += Transfers(
                counts["syscr"], counts["syscw"], counts["rchar"], counts["wchar"]
            )
        self.total = self.total.at_least(total)
        return self.total

    def _members(self) -> list[int]:
        """List the leader and its descendants, so that not all of /proc is read."""
        members, waiting = [], [self._pid]
        while waiting:
            pid = waiting.pop()
            members.append(pid)
            with suppress(OSError):  # It has ended meanwhile.
                for tasks in (self._proc / str(pid)).glob("task/*/children"):
                    waiting += [int(child) for child in tasks.read_text().split()]
        return members
