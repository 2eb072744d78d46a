"""The disk beneath a load, traced beside every engine by the kernel's own counts."""

import csv
import io
import os
import threading
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, fields, replace
from pathlib import Path
from typing import Self

from instruments.host.diskstats import Device, Transfers, device_beneath, disk_transfers
from instruments.reading import SECOND, Channel, Reading
from instruments.timebase import monotonic_ns
from workloads.base import Artefact, Emit, LoadResult, Measured, Say, Workload
from workloads.process_io import transfer_channels, transfer_reading

SOURCE = "target_disk"
"""Name of the source that its readings belong to, whatever the engine."""

COUNTS = "disk-counts.csv"
"""The artefact with the kernel's counts at both edges of the measured window."""

# In the order of the fields of `Transfers`.
MOVED = {
    "device_reads": "",
    "device_writes": "",
    "device_read_bytes": "B",
    "device_write_bytes": "B",
}
"""What the disk did in a window: names of the results and their units."""

PERIOD_NS = SECOND // 4
"""Shows the pauses of engines that report once a second, or not at all."""

Sample = tuple[int, Transfers]


class DiskTrace:
    """Looks at the counts of a disk again and again, while it is entered.

    The counts are those of /proc/diskstats, so they hold what everybody does to the
    disk, and nothing that a cache answered.

    Args:
        device: The disk.
        read: Reads the counts of all disks.
        changed: Takes each change, with the times of the looks before and after it.
    """

    def __init__(
        self,
        device: Device,
        read: Callable[[], dict[Device, Transfers]] = disk_transfers,
        changed: Callable[[Transfers, int, int], None] = lambda *_: None,
    ) -> None:
        self._device = device
        self._read = read
        self._changed = changed
        self._samples: list[Sample] = []
        self._done = threading.Event()
        self._thread = threading.Thread(
            target=self._look, name="disk-trace", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def add_to(self, result: LoadResult) -> LoadResult:
        """Add what the disk moved in the window of a result, where that is known."""
        samples = self._samples
        if result.window is None or len(samples) < 2 or not is_counted(samples[-1][1]):
            return result
        edges = at_edges(samples, result.window)
        return replace(
            result,
            values={**result.values, **moved(edges, result.window)},
            artefacts=(*result.artefacts, _kept(edges)),
        )

    def _look(self) -> None:
        last = False
        while (counts := self._read().get(self._device)) is not None:
            now = monotonic_ns()
            if self._samples and not last:
                then, before = self._samples[-1]
                self._changed(counts.since(before), then, now)
            self._samples.append((now, counts))
            if last:
                return
            # One look more covers the end of the window.
            last = self._done.wait(PERIOD_NS / SECOND)


class Traced:
    """A load with a trace of the disk beneath it.

    What the disk moved over the load's measured window becomes separate results,
    which `app.analysis.io_checks` compares with the load's own.
    """

    def __init__(
        self,
        load: Workload,
        device: Device,
        read: Callable[[], dict[Device, Transfers]] = disk_transfers,
    ) -> None:
        self.name = load.name
        self.driver = load.driver
        self._load = load
        self._device = device
        self._read = read
        self._channels = transfer_channels(SOURCE, PERIOD_NS)

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the channels of the load and those of the disk."""
        return (*self._load.channels, *self._channels)

    def run(self, emit: Emit, say: Say, stop: threading.Event) -> LoadResult:
        """Run the load, and trace the disk from its first reading to its end.

        Before the first reading of the load nothing is emitted, because that one
        marks when the load began; an engine without readings has the disk's alone.
        """
        begun = threading.Event()
        silent = not self._load.channels

        def pass_on(reading: Reading) -> None:
            emit(reading)
            begun.set()

        def tell(change: Transfers, then: int, now: int) -> None:
            if begun.is_set() or silent:
                emit(transfer_reading(self._channels, change, then, now))

        with DiskTrace(self._device, self._read, tell) as trace:
            result = self._load.run(pass_on, say, stop)
        return trace.add_to(result)


def traced_device(path: Path) -> Device | None:
    """Find the one device that all of a file is on, for a comparison with its load.

    A file system with its own device numbers, such as btrfs, may lie on
    several; one of them says nothing about the whole. What is not there, such
    as a disk that is switched off, is on none.
    """
    if not path.exists():
        return None
    device = device_beneath(path)
    if device is None or path.is_block_device():
        return device
    return device if os.major(path.stat().st_dev) else None


def is_counted(counts: Transfers) -> bool:
    """Tell from its counts since its start whether the kernel counts a device.

    Some are not counted at all, such as NVMe multipath on old kernels.
    """
    return counts != Transfers()


def moved(samples: Sequence[Sample], window: tuple[int, int]) -> dict[str, Measured]:
    """Get what the disk moved in a window, between samples by straight lines."""
    start, end = (_at(samples, time_ns) for time_ns in window)
    origin = f"{SOURCE}, counts of the kernel over the window"
    counts = zip(MOVED.items(), start, end, strict=True)
    return {
        name: Measured(max(0.0, after - before), unit, origin)
        for (name, unit), before, after in counts
    }


def at_edges(samples: Sequence[Sample], window: tuple[int, int]) -> list[Sample]:
    """Keep the samples on both sides of each edge of a window."""
    near = [_around(samples, time_ns) for time_ns in window]
    return sorted({*near[0], *near[1]}, key=lambda sample: sample[0])


def kept_movement(
    outputs: Mapping[str, bytes], window: tuple[int, int]
) -> dict[str, Measured]:
    """Get what the disk moved, see `moved`, from the counts that were kept.

    Args:
        outputs: The artefacts of a step by name.
        window: Its measured window.

    Returns:
        Nothing where no counts were kept.

    Raises:
        ValueError: They are damaged.
    """
    text = outputs.get(COUNTS, b"").decode("utf-8", "replace")
    rows = [[int(cell) for cell in line.split(",")] for line in text.splitlines()[1:]]
    if any(len(row) != 1 + len(fields(Transfers)) for row in rows) or len(rows) == 1:
        raise ValueError("the counts of its disk are damaged")
    looks = [(row[0], Transfers(*row[1:])) for row in rows]
    return moved(looks, window) if looks else {}


def _kept(samples: Sequence[Sample]) -> Artefact:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["monotonic_ns", *(each.name for each in fields(Transfers))])
    rows.writerows([time_ns, *astuple(counts)] for time_ns, counts in samples)
    return Artefact(COUNTS, "text/csv", text.getvalue().encode())


def _at(samples: Sequence[Sample], time_ns: int) -> tuple[float, ...]:
    """Get the counts at a moment; outside of all samples those of the nearest."""
    (before_ns, before), (after_ns, after) = _around(samples, time_ns)
    span = max(1, after_ns - before_ns)
    # Nothing is extrapolated: the window may begin before the first look.
    share = min(1.0, max(0.0, (time_ns - before_ns) / span))
    pairs = zip(astuple(before), astuple(after), strict=True)
    return tuple(earlier + share * (later - earlier) for earlier, later in pairs)


def _around(samples: Sequence[Sample], time_ns: int) -> Sequence[Sample]:
    number = bisect_left(samples, time_ns, key=lambda sample: sample[0])
    number = min(max(number, 1), len(samples) - 1)
    return samples[number - 1 : number + 1]
