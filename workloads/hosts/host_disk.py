"""The disk beneath the load on one host, traced by its kernel's own counts."""

import threading
from collections.abc import Callable

from instruments.errors import BenchError
from instruments.host.diskstats import Transfers
from instruments.reading import Reading, Status
from workloads.disk_trace import SOURCE, Sample
from workloads.fio_job import TARGET_NAME
from workloads.fio_output import Counters
from workloads.hosts.grid import GridSum, sum_channels
from workloads.hosts.site import Site

DIRECTIONS = ("read", "write")
_PERIOD_S = 0.5
_SCRIPT = r"""
import os, stat, sys, time
found = os.stat(sys.argv[1])
number = found.st_rdev if stat.S_ISBLK(found.st_mode) else found.st_dev
wanted = [str(os.major(number)), str(os.minor(number))]
with open("/proc/sys/kernel/random/boot_id") as file:
    print(file.read().strip(), ":".join(wanted), flush=True)
due = time.monotonic()
while os.major(number):
    with open("/proc/diskstats") as file:
        now = time.clock_gettime_ns(int(sys.argv[2]))
        rows = [line.split() for line in file]
    row = next((row for row in rows if row[:2] == wanted), None)
    if row is None:
        break
    print(now, row[3], row[7], int(row[5]) * 512, int(row[9]) * 512, flush=True)
    due += float(sys.argv[3])
    time.sleep(max(0, due - time.monotonic()))
"""


class HostDisk:
    """The trace of one host, read by a thread of its own until `close`.

    Args:
        site: The host, open; its own clock stamps the counts.
        emit: Takes the readings.
        begun: Set when readings may be let out.

    Attributes:
        disk: The machine (its boot) and the number of the disk; "" where the target
            lies on no one disk (tmpfs, btrfs, ZFS).
        samples: All counts, on our clock.

    Raises:
        BenchError: It cannot be traced.
    """

    def __init__(
        self, site: Site, emit: Callable[[Reading], None], begun: threading.Event
    ) -> None:
        self.site = site
        self.samples: list[Sample] = []
        self._emit = emit
        self._begun = begun
        self._channels = tuple(
            channel
            for direction in DIRECTIONS
            for channel in sum_channels(SOURCE, direction, site.name, latency=False)
        )
        self._total: GridSum | None = None
        clock = str(int(site.clock.clock))
        target = f"{site.folder}/{TARGET_NAME}"
        argv = ["python3", "-I", "-c", _SCRIPT, target, clock, str(_PERIOD_S)]
        self._process = site.start(argv)
        first = self._process.stdout.readline().decode("utf-8", "replace").strip()
        if not first:
            self._process.close()
            raise BenchError("its disk cannot be traced", where=str(site.place.host))
        self.disk = "" if " 0:" in first else first
        self._thread = threading.Thread(
            target=self._read, name="host-disk", daemon=True
        )

    def start(self, total: GridSum | None) -> None:
        """Begin to read; what is counted goes to a sum, too, where there is one."""
        self._total = total
        self._thread.start()

    def close(self) -> None:
        """End it; the samples stay."""
        self._process.close()
        if self._thread.is_alive():
            self._thread.join(5)

    def _read(self) -> None:
        for line in iter(self._process.stdout.readline, b""):
            numbers = line.split()
            if len(numbers) == 5 and all(word.isdigit() for word in numbers):
                there, *counts = map(int, numbers)
                self._take(there + self.site.clock.ns, Transfers(*counts))
        if self._total is not None:
            self._total.leave(self.site.name, lost=True)

    def _take(self, now: int, counts: Transfers) -> None:
        if self.samples and self._begun.is_set():
            then, before = self.samples[-1]
            change = counts.since(before)
            seconds = max(1, now - then) / 1e9
            moved = (
                change.reads,
                change.read_bytes,
                change.writes,
                change.written_bytes,
            )
            values = tuple(count / seconds for count in moved)
            statuses = (Status.OK,) * len(values)
            self._emit(Reading(self._channels, then, now, values, statuses))
            if self._total is not None:
                self._total.take(self.site.name, now, _counters(counts, now))
        self.samples.append((now, counts))


def _counters(counts: Transfers, now: int) -> dict[str, Counters]:
    times = now // 1_000_000, 0.0, 0
    return {
        "read": Counters(counts.reads, counts.read_bytes, *times, {}),
        "write": Counters(counts.writes, counts.written_bytes, *times, {}),
    }
