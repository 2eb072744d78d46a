"""Logs that servers sent back: windows and traces on our clock."""

from pathlib import Path

import pytest

from workloads.fio_job import FioJob
from workloads.hosts.host_logs import (
    HostLogs,
    log_channels,
    log_readings,
    read_logs,
    with_logs,
)

MS = 1_000_000


class Logs(dict[str, bytes]):
    """Files of logs by their names."""

    def add(
        self, host: str, kind: str, rows: list[tuple[int, int]], job: int = 1
    ) -> None:
        text = "".join(f"{time}, {value}, 0, 0, 0\n" for time, value in rows)
        self[f"{host}_{kind}.{job}.log.127.83.0.1"] = text.encode()

    def read(self, host: str, devices: int = 1, numjobs: int = 1) -> HostLogs | None:
        return read_logs(self, host, job(devices, numjobs))


def job(devices: int = 1, numjobs: int = 1, runtime: float = 60) -> FioJob:
    more = tuple(Path(f"d{n}") for n in range(1, devices))
    options = {"rw": "randread", "numjobs": str(numjobs)}
    made = FioJob("x", Path("d0"), 1 << 20, runtime, 0, True, options, more)
    return with_logs(made, "load1", clock=1)


def test_hosts_are_placed_on_one_axis_and_summed() -> None:
    files = Logs()
    # load2's clock is 5 s ahead; it was idle for one window.
    files.add("load1", "iops", [(1250, 100), (1500, 100), (1750, 100)])
    files.add("load2", "iops", [(6250, 40), (6750, 40)])
    files.add("load2", "bw", [(6250, 8), (6500, 8), (6750, 8)])
    logs = {name: files.read(name) for name in ("load1", "load2")}
    found = {name: log for name, log in logs.items() if log is not None}
    assert (found["load1"].start_ns, found["load1"].end_ns) == (1000 * MS, 1750 * MS)
    assert found["load2"].start_ns == 6000 * MS
    channels = log_channels({"load1": job(), "load2": job()}, ("read",))
    readings = log_readings(
        found, {"load1": 0, "load2": -5000 * MS}, (1000 * MS, 1760 * MS), channels
    )
    names = [channel.name for channel in channels]
    rows = [dict(zip(names, r.values, strict=True)) for r in readings]
    assert [row["fio_log.read_iops"] for row in rows] == pytest.approx([140, 100, 140])
    assert [row["fio_log.read_iops.load2"] for row in rows] == pytest.approx(
        [40, 0, 40]
    )
    assert rows[0]["fio_log.read_bw.load2"] == pytest.approx(8192)
    statuses = dict(zip(names, readings[0].statuses, strict=True))
    assert statuses["fio_log.read_bw.load1"] == "absent"
    assert [r.start_ns // MS for r in readings] == [1000, 1250, 1500]


def test_a_window_that_a_busy_host_made_longer_counts_in_full() -> None:
    # The second is of 400 ms; before the fourth, 260 ms had no I/O and no row.
    files = Logs()
    rows = [(1250, 100), (1650, 100), (1900, 100), (2410, 100)]
    files.add("load1", "iops", rows)
    logs = files.read("load1")
    assert logs is not None
    [(times, moved)] = logs.tracks("read_iops")
    ends = times[1::2] // MS
    assert list(ends) == [1250, 1650, 1900, 2410]
    assert moved[1::2] == pytest.approx([25, 65, 90, 115])


def test_a_host_without_logs_has_none() -> None:
    files = Logs({"load1_iops.1.log.127.83.0.1": b"garbage\n"})
    files["load1.fio"] = b"[global]\n"
    assert files.read("load1") is None
    assert files.read("load2") is None


def test_each_device_has_a_trace_that_sums_its_jobs() -> None:
    files = Logs()
    for number in (1, 2, 3, 4):
        files.add("load1", "iops", [(1250, number), (1500, 10 * number)], number)
    logs = files.read("load1", devices=2, numjobs=2)
    assert logs is not None
    channels = log_channels({"load1": job(2, 2)}, ("read",))
    names = [channel.name for channel in channels]
    assert "fio_log.read_iops.load1.dev02" in names
    readings = log_readings(
        {"load1": logs}, {"load1": 0}, (10**9, 15 * 10**8), channels
    )
    rows = [dict(zip(names, r.values, strict=True)) for r in readings]
    for name, values in (
        ("load1.dev01", [3, 30]),
        ("load1.dev02", [7, 70]),
        ("load1", [10, 100]),
    ):
        assert [row[f"fio_log.read_iops.{name}"] for row in rows] == values
    assert [row["fio_log.read_iops"] for row in rows] == [10, 100]
    many = log_channels({"load1": job(60), "load2": job(60)}, ("read",))
    assert "fio_log.read_iops.load1.dev02" not in [one.name for one in many]


def test_long_loads_of_many_jobs_have_longer_windows() -> None:
    windows = [
        (one.logs.period_ms, one.logs.kinds)
        for one in (job(60, 1, 600), job(60, 16, 3600), job(60, 64, 86400))
        if one.logs is not None
    ]
    assert windows == [
        (250, ("iops", "bw")),
        (1000, ("iops",)),
        (10_000, ("iops",)),
    ]
