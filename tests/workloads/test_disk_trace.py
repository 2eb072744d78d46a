"""The trace of the disk beneath a load, on counts that the test sets."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from instruments.host.diskstats import Transfers
from instruments.reading import SECOND, Channel, Reading, Status
from workloads.base import LoadOutcome, LoadResult
from workloads.disk_trace import SOURCE, Traced, moved, traced_device

DISK = (8, 0)
OWN = (Channel("load", "read_bw", "B/s"),)


@dataclass
class Counting:
    """A disk that moves a MiB each time it is looked at."""

    looks: int = 0

    def read(self) -> dict[tuple[int, int], Transfers]:
        self.looks += 1
        return {DISK: Transfers(self.looks, 0, self.looks * 2**20, 0)}


@dataclass
class Half:
    """A load that says nothing in its first half, and then one reading."""

    seconds: float
    name: str = "load"
    driver: str = "load"
    channels: tuple[Channel, ...] = OWN
    first_ns: int = field(default=0)

    def run(
        self,
        emit: Callable[[Reading], None],
        say: Callable[[str, str], None],
        stop: threading.Event,
    ) -> LoadResult:
        start = time.monotonic_ns()
        stop.wait(self.seconds / 2)
        self.first_ns = now = time.monotonic_ns()
        emit(Reading(OWN, now, now, (1.0,), (Status.OK,)))
        stop.wait(self.seconds / 2)
        return LoadResult(LoadOutcome.DONE, window=(start, time.monotonic_ns()))


def test_the_disk_is_traced_after_the_loads_first_reading() -> None:
    seen: list[Reading] = []
    load = Half(1.2)
    result = Traced(load, DISK, Counting().read).run(
        seen.append, lambda *_: None, threading.Event()
    )
    disk = [each for each in seen if each.channels[0].source == SOURCE]
    assert disk
    assert all(each.end_ns > load.first_ns for each in disk)
    assert seen[0].channels == OWN
    assert result.values["device_read_bytes"].value >= 4 * 2**20
    assert result.values["device_write_bytes"].value == 0


def test_a_disk_that_is_not_counted_changes_nothing() -> None:
    seen: list[Reading] = []
    result = Traced(Half(0.1), (9, 9), Counting().read).run(
        seen.append, lambda *_: None, threading.Event()
    )
    assert len(seen) == 1
    assert not result.values


def test_a_disk_that_counts_nothing_since_the_start_is_not_compared() -> None:
    result = Traced(Half(0.6), DISK, lambda: {DISK: Transfers()}).run(
        lambda _: None, lambda *_: None, threading.Event()
    )
    assert not result.values


def test_memory_is_no_disk(tmp_path: Path) -> None:
    assert traced_device(Path("/dev/shm")) is None
    device = traced_device(tmp_path)
    assert device is None or device[0] > 0


def test_counts_between_two_looks_lie_on_a_straight_line() -> None:
    samples = [
        (0, Transfers()),
        (SECOND, Transfers(100, 0, 1000, 0)),
        (2 * SECOND, Transfers(300, 10, 3000, 40)),
    ]
    found = moved(samples, (SECOND // 2, 3 * SECOND // 2))
    assert found["device_read_bytes"].value == pytest.approx(1500)
    assert found["device_reads"].value == pytest.approx(150)
    assert found["device_write_bytes"].value == pytest.approx(20)
    assert moved(samples, (SECOND, 9 * SECOND))["device_reads"].value == 200
