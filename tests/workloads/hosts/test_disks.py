"""The trace of the disks of load hosts, on counts that a script tells."""

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from instruments.host.clock import Clock
from instruments.reading import Reading, Status
from instruments.tools.command import start
from instruments.tools.hosts import LocalHost
from instruments.tools.started import Started
from workloads.base import Measured
from workloads.hosts.counts import HostCounts, LoadCounts
from workloads.hosts.disks import HostDisks
from workloads.hosts.place import Place
from workloads.hosts.site import Site

SECOND = 10**9
_WAIT = (
    'echo "$1"; while ! [ -e "$0" ]; do sleep 0.05; done; shift; printf "%s\\n" "$@"'
)


class ToldSite(Site):
    """A host that tells counts which the test chose: reads, writes, bytes of both."""

    def __init__(self, name: str, disks: str, looks: Sequence[str], go: Path) -> None:
        place = Place(name, LocalHost(), ("/nowhere",), 1)
        super().__init__(place, Clock.MONOTONIC)
        lines = [f"{n * SECOND} {counts}" for n, counts in enumerate(looks, 1)]
        self._argv = ["sh", "-c", _WAIT, str(go), f"boot {disks}", *lines]

    def start(self, argv: list[str]) -> Started:
        assert argv[0] == "python3"
        return start(self._argv)


def traced(sites: Sequence[ToldSite], go: Path) -> tuple[HostDisks, list[Reading]]:
    seen: list[Reading] = []
    disks = HostDisks(sites, seen.append, lambda *_: None)
    disks.begin()
    go.touch()
    for trace in disks._traces:
        trace._thread.join(60)
        assert not trace._thread.is_alive()
    disks.close()
    return disks, seen


def moved(disks: HostDisks, *hosts: str) -> dict[str, Measured]:
    """Get what the disks moved from the first second to the third, as it is kept."""
    window = SECOND, 3 * SECOND
    looks = {name: disks.edges(name, window) for name in hosts}
    of = {
        n: HostCounts(True, disk=all_, own_disk=own) for n, (all_, own) in looks.items()
    }
    return LoadCounts(of, window, 0, 0, "").values({}, {})


def test_a_disk_that_is_not_counted_is_not_measured_as_idle(tmp_path: Path) -> None:
    go = tmp_path / "go"
    sites = [
        ToldSite("load1", "8:0", [f"{n} 0 {n * 4096} 0" for n in (5, 6, 9)], go),
        ToldSite("load2", "259:1", ["0 0 0 0"] * 3, go),
    ]
    disks, seen = traced(sites, go)
    found = moved(disks, "load1", "load2")
    assert found["device_read_bytes.load1"].value == 4 * 4096
    assert not [name for name in found if not name.endswith(".load1")]
    told = [r for r in seen if r.channels[0].location == "load2"]
    assert told
    for reading in told:
        assert set(reading.statuses) == {Status.UNSUPPORTED}
        assert all(map(math.isnan, reading.values))
        assert "does not count" in reading.trouble


@pytest.mark.parametrize("disks", ["8:0", ""])
def test_there_is_a_live_sum_of_all_hosts_or_none(tmp_path: Path, disks: str) -> None:
    go = tmp_path / "go"
    counts = [f"{n} 0 {n * 4096} 0" for n in range(1, 9)]
    other = counts if disks else []
    sites = [
        ToldSite("load1", "8:16", counts, go),
        ToldSite("load2", disks, other, go),
    ]
    _, seen = traced(sites, go)
    assert [r for r in seen if r.channels[0].location == "load1"]
    sums = [r for r in seen if not r.channels[0].location]
    assert bool(sums) is bool(disks)


def test_one_of_several_disks_that_is_not_counted_spoils_the_whole(
    tmp_path: Path,
) -> None:
    go = tmp_path / "go"
    looks = [f"{n} 0 {n * 4096} 0 0 0 0 0" for n in (5, 6, 9)]
    disks, _ = traced([ToldSite("load1", "8:0 259:1", looks, go)], go)
    assert moved(disks, "load1") == {}


def test_a_disk_that_comes_back_from_zero_goes_on_counting(tmp_path: Path) -> None:
    go = tmp_path / "go"
    # The second disk had written 9000 B before, and comes back with zero.
    looks = [
        "1 1 8 1000 1 1 8 9000",
        "1 2 8 2000 1 2 8 9500",
        "1 3 8 3000 0 1 0 50",
        "1 4 8 4000 0 2 0 850",
    ]
    disks, seen = traced([ToldSite("load1", "8:0 8:16", looks, go)], go)
    assert disks.written() == 3000 + 500 + 800
    rates = [r.values[3] for r in seen if r.channels[0].location == "load1"]
    assert rates == [1500, 1000, 1800]


def test_a_disk_that_the_kernel_does_not_list_has_no_trace(tmp_path: Path) -> None:
    go = tmp_path / "go"
    looks = [f"{n} 0 {n * 4096} 0 uncounted" for n in (5, 6, 9)]
    disks, seen = traced([ToldSite("load1", "8:0 259:1", looks, go)], go)
    assert moved(disks, "load1") == {}
    assert seen == []
