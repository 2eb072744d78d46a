"""The disks beneath the loads of all hosts, live and over a window."""

import math
import threading
from collections.abc import Collection, Sequence
from dataclasses import replace

from instruments.errors import BenchError
from instruments.files.foreign_text import MOST_LINE, lines_of
from instruments.host.diskstats import Transfers
from instruments.reading import SECOND, Channel, Status
from workloads.base import Emit, Say
from workloads.disk_trace import SOURCE, Sample, at_edges, is_counted
from workloads.fio.output import Counters
from workloads.fio_job import link_names
from workloads.hosts.grid import CELL_NS, GridSum
from workloads.hosts.opening import each
from workloads.hosts.site import Site
from workloads.process_io import transfer_channels, transfer_reading

_PERIOD_NS = SECOND // 2
_SCRIPT = r"""
import os, stat, sys, time
clock, period, wanted = int(sys.argv[1]), float(sys.argv[2]), []
for path in sys.argv[3:]:
    try:
        found = os.stat(path)
    except OSError:
        continue
    number = found.st_rdev if stat.S_ISBLK(found.st_mode) else found.st_dev
    if not os.major(number):
        wanted = []
        break
    name = "%d:%d" % (os.major(number), os.minor(number))
    if name not in wanted:
        wanted.append(name)
with open("/proc/sys/kernel/random/boot_id") as file:
    print(file.read().strip(), *wanted, flush=True)
due, known = time.monotonic(), {}
while wanted:
    with open("/proc/diskstats") as file:
        now = time.clock_gettime_ns(clock)
        rows = [line.split() for line in file]
    for row in rows:
        known[":".join(row[:2])] = row
    told = [now]
    for name in wanted:
        row = known.get(name)
        if row:
            told += [int(row[3]), int(row[7]), int(row[5]) * 512, int(row[9]) * 512]
        else:
            told += ["uncounted"]
    print(*told, flush=True)
    due += period
    time.sleep(max(0, due - time.monotonic()))
"""


class HostDisk:
    """The trace of one host's disks, read by its own thread until `close`.

    The host's own clock stamps the counts; no reading is emitted before `begun` is set.

    Attributes:
        disks: The machine (its boot) and the number of each disk; none where a target
            lies on no one disk (tmpfs, btrfs, ZFS).
        samples: All that was moved since the first look, summed over the disks, on
            our clock. It never goes back: a disk that comes back counts from zero.
        counted: Likewise, of the disks that no other host counts.

    Raises:
        BenchError: It cannot be traced.
    """

    def __init__(self, site: Site, emit: Emit, begun: threading.Event) -> None:
        self.site = site
        self.samples: list[Sample] = []
        self.counted: list[Sample] = []
        self._last: list[Transfers] = []
        self._moved: list[Transfers] = []
        self._emit = emit
        self._begun = begun
        self._channels = transfer_channels(SOURCE, _PERIOD_NS, site.name)
        self._total: GridSum | None = None
        self._own: frozenset[int] = frozenset()
        clock = str(int(site.clock.clock))
        names = link_names(len(site.place.targets))
        targets = [f"{site.folder}/{name}" for name in names]
        argv = [
            "python3",
            "-I",
            "-c",
            _SCRIPT,
            clock,
            str(_PERIOD_NS / SECOND),
            *targets,
        ]
        self._process = site.start(argv)
        first = (
            self._process.stdout.readline(MOST_LINE).decode("utf-8", "replace").split()
        )
        if not first:
            self._process.close()
            raise BenchError("its disks cannot be traced", where=str(site.place.host))
        self.disks = tuple(f"{first[0]} {number}" for number in first[1:])
        self._thread = threading.Thread(
            target=self._read, name="host-disk", daemon=True
        )

    @property
    def is_counted(self) -> bool:
        """Whether the kernel there counts all of its disks."""
        return bool(self._last) and all(map(is_counted, self._last))

    def start(self, total: GridSum | None, others: Collection[str]) -> None:
        """Begin to read.

        Args:
            total: Takes the counts for the sum of all hosts, None for no sum.
            others: Disks that another host counts already.
        """
        self._total = total
        numbers = {n for n, disk in enumerate(self.disks) if disk not in others}
        self._own = frozenset(numbers)
        self._thread.start()

    def close(self) -> None:
        """End it; the samples stay."""
        self._process.close()
        if self._thread.is_alive():
            self._thread.join(5)

    def _read(self) -> None:
        width = 1 + 4 * len(self.disks)
        for line in lines_of(self._process.stdout):
            numbers = line.split()
            if len(numbers) == width and all(word.isdigit() for word in numbers):
                there, *counts = map(int, numbers)
                each = [Transfers(*counts[n : n + 4]) for n in range(0, len(counts), 4)]
                self._take(there + self.site.clock.ns, each)
        if self._total is not None:
            self._total.leave(self.site.name, lost=True)

    def _take(self, now: int, each: Sequence[Transfers]) -> None:
        pairs = zip(each, self._last or each, strict=True)
        changes = [after.since(before) for after, before in pairs]
        sums = zip(self._moved or changes, changes, strict=True)
        self._moved = [before + change for before, change in sums]
        self._last = list(each)
        own = sum(map(self._moved.__getitem__, self._own), Transfers())
        if self.samples and self._begun.is_set():
            self._tell(self.samples[-1][0], now, sum(changes, Transfers()))
            if self._total is not None and self._own and self.is_counted:
                self._total.take(self.site.name, now, _counters(own, now))
        self.samples.append((now, sum(self._moved, Transfers())))
        self.counted.append((now, own))

    def _tell(self, then: int, now: int, change: Transfers) -> None:
        reading = transfer_reading(self._channels, change, then, max(now, then + 1))
        if not self.is_counted:
            reading = replace(
                reading,
                values=(math.nan,) * len(self._channels),
                statuses=(Status.UNSUPPORTED,) * len(self._channels),
                trouble="the kernel of the host does not count its disk",
            )
        self._emit(reading)


def _counters(counts: Transfers, now: int) -> dict[str, Counters]:
    times = now // 1_000_000, 0.0, 0
    return {
        "read": Counters(counts.reads, counts.read_bytes, *times, {}),
        "write": Counters(counts.writes, counts.written_bytes, *times, {}),
    }


class HostDisks:
    """Traces the disks of all hosts from `begin` to `close`.

    A disk that two names of one machine (one boot) lead to counts once in the sums.
    There is no sum where a host has no disk that could be traced (tmpfs, Windows).
    """

    def __init__(self, sites: Sequence[Site], emit: Emit, say: Say) -> None:
        self._begun = threading.Event()
        self._traces: list[HostDisk] = []

        def start(site: Site) -> None:
            self._traces.append(HostDisk(site, emit, self._begun))

        each([site for site in sites if site.place.windows is None], start, say)
        self._traces.sort(key=lambda trace: trace.site.name)
        others = _counted_before(self._traces)
        self._counted = [
            one for one in self._traces if set(one.disks) - others[one.site.name]
        ]
        names = [one.site.name for one in self._counted]
        of_all = transfer_channels(SOURCE, CELL_NS)
        total = GridSum(SOURCE, {"read": of_all[:2], "write": of_all[2:]}, names, emit)
        living = {site.name for site in sites if not site.trouble}
        traced = {one.site.name for one in self._traces if one.disks}
        for one in self._traces:
            one.start(total if traced >= living else None, others[one.site.name])

    def begin(self) -> None:
        """Let readings out from now on: the load has begun."""
        self._begun.set()

    def written(self) -> int:
        """Get the bytes written to all of them so far, by whomever."""
        return sum(
            one.counted[-1][1].written_bytes - one.counted[0][1].written_bytes
            for one in self._counted
            if one.counted
        )

    def close(self) -> None:
        """End all traces; may be called twice."""
        for trace in self._traces:
            trace.close()

    def edges(
        self, host: str, window: tuple[int, int] | None
    ) -> tuple[Sequence[Sample], Sequence[Sample]]:
        """Get what the disks of a host had moved around the edges of a window.

        Returns:
            Of all of its disks, and of those that no other host counts; nothing where
            the kernel does not count one of them.
        """
        for one in self._traces:
            if one.site.name == host and window and one.is_counted:
                looks = one.samples, one.counted
                if len(one.samples) > 1:
                    return at_edges(looks[0], window), at_edges(looks[1], window)
        return (), ()


def _counted_before(traces: Sequence[HostDisk]) -> dict[str, set[str]]:
    """Get the disks that the hosts before each host count already."""
    others: dict[str, set[str]] = {}
    counted: set[str] = set()
    for one in traces:
        others[one.site.name] = set(counted)
        counted |= set(one.disks)
    return others


def disk_channels(hosts: Sequence[str]) -> tuple[Channel, ...]:
    """Get the channels of the sum and of each host."""
    each = (transfer_channels(SOURCE, _PERIOD_NS, host) for host in hosts)
    return (*transfer_channels(SOURCE, CELL_NS), *(c for own in each for c in own))
