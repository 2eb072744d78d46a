"""Rates of several hosts over the time in which all of them measured."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from instruments.host.clock import Clock
from instruments.reading import SECOND
from workloads.fio.live import fio_channels
from workloads.hosts import grid
from workloads.hosts.clocks import ClockPair, Offset
from workloads.hosts.grid import CELL_NS, GridSum, HostLive
from workloads.hosts.host_logs import HostLogs
from workloads.hosts.sums import change_of, sum_values

ALONE, SHARED, BLOCK = 8000.0, 3000.0, 4096

CHANNELS = {"read": fio_channels("fio", "read", period_ns=CELL_NS)}


def counted(seconds: float, late: float) -> float:
    """Count what a host does that has the array for itself until another begins."""
    return ALONE * min(seconds, late) + SHARED * max(0.0, seconds - late)


def entry(ios: float, seconds: float) -> dict[str, Any]:
    nothing = {"total_ios": 0, "io_bytes": 0, "runtime": 0}
    quiet = {"lat_ns": {"mean": 0.0, "N": 0, "max": 0}, "clat_ns": {"bins": {}}}
    reads = {
        "total_ios": round(ios),
        "io_bytes": round(ios) * BLOCK,
        "runtime": round(1000 * seconds),
        "lat_ns": {"mean": 1e6, "N": round(ios), "max": 2e6},
        "clat_ns": {"bins": {"1000000": round(ios)}},
    }
    return {"jobname": "load", "error": 0, "read": reads, "write": {**nothing, **quiet}}


@pytest.mark.parametrize("late", [3.1, 20.0])
def test_documents_tell_the_rate_over_the_time_that_all_share(
    monkeypatch: pytest.MonkeyPatch, late: float
) -> None:
    """Two hosts on one array, of which one starts late: 40 s each."""
    length = 40.0
    begin = 5000 * SECOND
    counts: dict[str, Callable[[float], float]] = {
        "early": lambda t: counted(t, late),
        # After the early one has ended, it has the array for itself.
        "late": lambda t: (
            SHARED * min(t, length - late) + ALONE * max(0.0, t - length + late)
        ),
    }
    starts = {"early": begin, "late": begin + round(late * SECOND)}
    total = GridSum("fio", CHANNELS, list(counts), lambda _reading: None)
    logs, windows = {}, {}
    last: dict[str, list[dict[str, Any]]] = {}
    for name, count in counts.items():
        clock = ClockPair(Clock.REALTIME, Offset(0, 0))
        live = HostLive(total, name, 0, lambda _reading: None, clock)
        for tick in range(1, 81):
            last[name] = [entry(count(tick / 2), tick / 2)]
            moment = starts[name] + tick * SECOND // 2
            stamp = {"timestamp_ms": moment // 1_000_000, "jobs": last[name]}
            monkeypatch.setattr(grid, "monotonic_ns", lambda at=moment: at)
            live.take(stamp, moment)
        window = live.window()
        assert window is not None
        windows[name], logs[name] = window, live.counted(window)
    common = (windows["late"][0], windows["early"][1])
    values = sum_values(
        last,
        ("read",),
        "{host}",
        lambda host, what: change_of(logs[host], 0, what, windows[host], common),
    )
    assert values["iops"].value == pytest.approx(2 * SHARED, rel=0.005)
    assert values["read_mb_s"].value == pytest.approx(
        2 * SHARED * BLOCK / 1e6, rel=5e-3
    )
    own = (counted(length, late) + counts["late"](length)) / length
    assert own > 1.1 * 2 * SHARED
    assert values["iops.early"].value == pytest.approx(counted(length, late) / length)


def test_logs_on_the_clock_of_their_host_tell_it_as_well() -> None:
    """Logs of fio's servers, which lack what came after their last row."""
    offset, start = 500 * SECOND, 70 * SECOND
    seconds = np.arange(0, 29.5, 0.5)
    moved = np.array([counted(t, 9.0) for t in seconds])
    track = (start + seconds * 1e9, moved)
    log = HostLogs(start, {"": round(track[0][-1])}, {("", "write_iops"): [track]})
    own = (start + offset, start + offset + 30 * SECOND)
    common = (own[0] + 9 * SECOND, own[1])
    found = change_of(log, offset, "write_iops", own, common)
    whole = counted(29.0, 9.0) / 29.0
    assert found == pytest.approx(SHARED / whole)
    # Bytes that were not logged went as I/Os did.
    assert change_of(log, offset, "write_bw", own, common) == found
    assert change_of(None, offset, "write_iops", own, common) is None
    assert change_of(None, offset, "write_iops", own, own) == 1.0


@pytest.mark.parametrize(
    ("until_s", "common", "is_known"),
    [(29, (5, 30), True), (20, (5, 30), False), (20, (5, 18), False)],
)
def test_a_log_that_breaks_off_does_not_tell_the_rate_of_the_rest(
    until_s: int, common: tuple[int, int], is_known: bool
) -> None:
    seconds = np.arange(0, until_s + 0.5, 0.5)
    track = (seconds * 1e9, ALONE * seconds)
    log = HostLogs(0, {"": round(track[0][-1])}, {("", "read_iops"): [track]})
    shared = common[0] * SECOND, common[1] * SECOND
    found = change_of(log, 0, "read_iops", (0, 30 * SECOND), shared)
    assert (found is not None) is is_known


@pytest.mark.parametrize(("own_s", "from_s", "until_s"), [(40, 20, 20), (20, 19, 18)])
def test_a_log_that_ends_before_the_common_time_tells_nothing_of_it(
    own_s: int, from_s: int, until_s: int
) -> None:
    """Its rows are so long that it may lack the last ones."""
    seconds = np.array([0, until_s / 2, until_s])
    log = HostLogs(
        0, {"": until_s * SECOND}, {("", "read_iops"): [(seconds * 1e9,) * 2]}
    )
    own, common = (0, own_s * SECOND), (from_s * SECOND, own_s * SECOND)
    assert change_of(log, 0, "read_iops", own, common) is None


def test_what_is_not_known_over_the_time_of_all_is_no_sum() -> None:
    by_host = {name: [entry(1000, 2.0)] for name in ("one", "two")}
    known = sum_values(by_host, ("read",), "{host}")
    assert math.isclose(known["iops"].value, 1000.0)
    lacks = sum_values(
        by_host, ("read",), "{host}", lambda host, _: 1.0 if host == "one" else None
    )
    assert "iops" not in lacks
    assert "read_mb_s" not in lacks
    assert lacks["iops.two"].value == 500.0
