"""The live sum of several hosts: ramps, late hosts, lost hosts."""

from typing import Any

from instruments.reading import SECOND, Reading
from workloads.fio.live import fio_channels
from workloads.fio.output import Counters
from workloads.hosts.grid import CELL_NS, GridSum, RunningTotals

CHANNELS = {"read": fio_channels("fio", "read", period_ns=CELL_NS)}


def counts(seconds: float, rate: int) -> dict[str, Counters]:
    ios = round(seconds * rate)
    times = round(seconds * 1000), ios * 2000.0, ios
    return {"read": Counters(ios, ios * 4096, *times, {2000: ios})}


def job(seconds: float, rate: int) -> dict[str, Any]:
    """Make what a document of fio says of a job that reads."""
    ios = round(seconds * rate)
    timed = {"mean": 2000.0, "max": 2000, "N": ios, "bins": {"2000": ios}}
    known = {"total_ios": ios, "io_bytes": ios * 4096, "runtime": seconds * 1000}
    return {"read": {**known, "lat_ns": timed, "clat_ns": timed}}


class Hosts:
    def __init__(self, *names: str) -> None:
        self.readings: list[Reading] = []
        self.total = GridSum("fio", CHANNELS, names, self.readings.append)

    def tell(self, name: str, at_s: float, seconds: float, rate: int = 100) -> None:
        self.total.take(name, round(at_s * SECOND), counts(seconds, rate))

    @property
    def sums(self) -> list[tuple[float, float, str]]:
        return [
            (r.start_ns / SECOND, round(r.values[0], 1), r.statuses[0])
            for r in self.readings
        ]


def test_cells_are_summed_when_all_have_told() -> None:
    hosts = Hosts("a", "b")
    for half in range(1, 9):
        hosts.tell("a", 10 + half / 2, half / 2)
        hosts.tell("b", 10.3 + half / 2, half / 2, rate=300)
    assert hosts.sums == [(11, 400.0, "ok"), (12, 400.0, "ok"), (13, 400.0, "ok")]
    first = hosts.readings[0]
    assert [channel.name for channel in first.channels][:2] == [
        "fio.read_iops",
        "fio.read_bw",
    ]
    assert first.values[1:] == (400 * 4096.0, 2e-6, 2e-6)


def test_counters_that_begin_anew_after_the_ramp_go_on() -> None:
    """Those of each device do so by themselves, one a document before the other."""
    hosts, running = Hosts("a"), RunningTotals(["read"])
    for half in range(1, 9):
        by_device = {
            name: [job((half if half <= ramp else half - ramp) / 2, rate=50)]
            for name, ramp in (("dev00", 3), ("dev01", 4))
        }
        now = round((10 + half / 2) * SECOND)
        hosts.total.take("a", now, running.take(by_device))
    assert [value for _, value, _ in hosts.sums] == [100.0, 100.0, 100.0]


def test_a_host_that_is_late_makes_a_gap_and_one_that_is_lost_does_not() -> None:
    hosts = Hosts("a", "b")
    for half in range(1, 5):
        hosts.tell("a", 10 + half / 2, half / 2)
        hosts.tell("b", 10 + half / 2, half / 2)
    for half in range(5, 14):
        hosts.tell("a", 10 + half / 2, half / 2)
    told = [(start, status) for start, _, status in hosts.sums]
    assert told == [(11, "ok"), (12, "stale")]
    hosts.total.leave("b", lost=True)
    hosts.tell("a", 17, 7)
    assert hosts.sums[2:] == [(n, 100.0, "ok") for n in (13, 14, 15, 16)]
    hosts.total.leave("a", lost=False)
    hosts.tell("a", 18, 8)
    assert len(hosts.sums) == 6


def test_a_host_that_never_tells_does_not_hold_up_the_others() -> None:
    hosts = Hosts("a", "b")
    for half in range(1, 20):
        hosts.tell("a", 10 + half / 2, half / 2)
    assert {status for _, _, status in hosts.sums} == {"stale"}
