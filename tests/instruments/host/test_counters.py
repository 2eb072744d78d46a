"""Texts as the kernel prints them."""

import pytest

from instruments.host.counters import (
    Disk,
    Processor,
    busy_share,
    disks,
    memory_available,
    networks,
    processors,
    usual_disks,
    usual_networks,
)
from instruments.host.diskstats import Transfers

STAT = """cpu  100 5 50 800 40 0 3 2 10 0
cpu0 60 5 30 400 20 0 2 1 10 0
cpu1 40 0 20 400 20 0 1 1 0 0
intr 1549 0 0
ctxt 123
"""
DEV = """Inter-|   Receive                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets
    lo:  1000      10    0    0    0     0          0         0     1000      10    0
  eth0: 2000      20    0    0    0     0          0         0     3000      30    0
eth0.7:99 1 0 0 0 0 0 0 77 1 0
"""
DISKSTATS = """   8       0 sda 10 1 80 7 20 2 160 9 0 1500 16 0 0 0 0 1 1
   8       1 sda1 9 1 70 7 20 2 160 9 0 1400 16
 259       0 nvme0n1 5 0 8 1 6 0 16 1 0 30 2 0 0 0 0
 252       0 bad
"""


def test_processors() -> None:
    assert processors(STAT) == {
        "cpu": Processor(1000, 840, 40),
        "cpu0": Processor(518, 420, 20),
        "cpu1": Processor(482, 420, 20),
    }


def test_networks() -> None:
    assert networks(DEV) == {
        "lo": (1000, 1000),
        "eth0": (2000, 3000),
        "eth0.7": (99, 77),
    }


def test_disks() -> None:
    assert disks(DISKSTATS) == {
        "sda": Disk(Transfers(10, 20, 80 * 512, 160 * 512), 1500),
        "sda1": Disk(Transfers(9, 20, 70 * 512, 160 * 512), 1400),
        "nvme0n1": Disk(Transfers(5, 6, 8 * 512, 16 * 512), 30),
    }


def test_what_is_watched_where_nothing_is_said() -> None:
    blocks = ["sdb", "loop0", "dm-1", "sda", "nvme0n1", "nvme0c0n1", "sdaa", "md127"]
    assert usual_disks(blocks) == ["sda", "sdb", "sdaa", "nvme0n1"]
    names = ["lo", "eno1", "veth12", "br-5f", "docker0", "bond0", "enp3s0f1"]
    assert usual_networks(names) == ["bond0", "eno1", "enp3s0f1"]


@pytest.mark.parametrize(
    ("before", "after", "share"),
    [
        (0, 500, 0.5),
        (0, 1009, 1.0),  # the kernel's tick, not more than all
        ((1 << 32) - 100, 150, 0.25),  # the counter began again
        (5000, 10, None),  # another device
        (0, 5000, None),
    ],
)
def test_busy_time(before: int, after: int, share: float | None) -> None:
    none = Transfers()
    assert busy_share(Disk(none, before), Disk(none, after), 1.0) == share


def test_memory() -> None:
    text = "MemTotal:    1000 kB\nMemFree:  1 kB\nMemAvailable:     250 kB\n"
    assert memory_available(text) == 0.25
    assert memory_available("MemTotal: 1000 kB\n") is None
    assert memory_available("") is None
