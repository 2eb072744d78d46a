"""Logs that servers sent back: windows and traces on our clock."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from instruments.host.clock import Clock
from instruments.reading import Reading
from workloads.fio_job import FioJob
from workloads.hosts.clocks import ClockPair, Offset
from workloads.hosts.host_logs import HostLogs, read_logs, with_logs
from workloads.hosts.load import agreeing, in_place, log_channels, log_readings

MS = 1_000_000
HOSTS = ["load1", "load2"]
OFFSETS = dict.fromkeys(HOSTS, 0)


class Logs(dict[str, bytes]):
    """Files of logs by their names."""

    def add(
        self, host: str, kind: str, rows: list[tuple[int, int]], job: int = 1
    ) -> None:
        text = "".join(f"{time}, {value}, 0, 0, 0\n" for time, value in rows)
        self[f"{host}_{kind}.{job}.log.127.83.0.1"] = text.encode()

    def read(self, host: str, devices: int = 1, numjobs: int = 1) -> HostLogs | None:
        return read_logs(self, host, job(devices, numjobs))


def rows_of(readings: list[Reading]) -> list[dict[str, float]]:
    return [
        {c.name: v for c, v in zip(r.channels, r.values, strict=True)} for r in readings
    ]


def job(devices: int = 1, numjobs: int = 1, runtime: float = 60) -> FioJob:
    paths = tuple(Path(f"d{n}") for n in range(devices))
    options = {"rw": "randread", "numjobs": str(numjobs)}
    made = FioJob("x", paths, 1 << 20, runtime, 0, True, options)
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
    offsets, window = {"load1": 0, "load2": -5000 * MS}, (1000 * MS, 1760 * MS)
    readings = log_readings(found, offsets, window, channels, ["load1", "load2"])
    names = [channel.name for channel in channels]
    rows = [dict(zip(names, r.values, strict=True)) for r in readings]
    assert [row["fio_log.read_iops"] for row in rows] == pytest.approx([140, 100, 140])
    assert [row["fio_log.read_iops.load2"] for row in rows] == pytest.approx(
        [40, 0, 40]
    )
    assert rows[0]["fio_log.read_bw.load2"] == pytest.approx(8192)
    statuses = dict(zip(names, readings[0].statuses, strict=True))
    assert statuses["fio_log.read_bw.load1"] == "unsupported"
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
    window = (10**9, 15 * 10**8)
    readings = log_readings({"load1": logs}, {"load1": 0}, window, channels, ["load1"])
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


def test_a_log_that_ends_early_is_a_gap_and_not_zero() -> None:
    files = Logs()
    files.add("load1", "iops", [(n, 100) for n in range(1250, 2251, 250)])
    # The window until 1850 is full, that until 2000 is not.
    files.add("load2", "iops", [(1250, 40), (1500, 40), (1850, 40)])
    logs = {name: log for name in HOSTS if (log := files.read(name)) is not None}
    channels = log_channels({name: job() for name in HOSTS}, ("read",))
    readings = log_readings(logs, OFFSETS, (1000 * MS, 3000 * MS), channels, HOSTS)
    rows = rows_of(readings)
    assert len(rows) == 5  # nobody tells of anything after 2250
    nan = float("nan")
    for name, values in (
        ("fio_log.read_iops.load1", [100.0] * 5),
        ("fio_log.read_iops.load2", [40, 40, 40, nan, nan]),
        ("fio_log.read_iops", [140, 140, 140, nan, nan]),
    ):
        found = [row[name] for row in rows]
        assert found == pytest.approx(values, nan_ok=True)
    statuses = [
        dict(zip((c.name for c in r.channels), r.statuses, strict=True))
        for r in readings
    ]
    assert [status["fio_log.read_iops"] for status in statuses] == [
        *["ok"] * 3,
        *["stale"] * 2,
    ]


def test_a_device_that_ends_early_is_a_gap_and_its_host_goes_on() -> None:
    files = Logs()
    files.add("load1", "iops", [(n, 10) for n in range(1250, 3001, 250)], 1)
    files.add("load1", "iops", [(1250, 10), (1500, 10)], 2)
    logs = files.read("load1", devices=2)
    assert logs is not None
    channels = log_channels({"load1": job(2)}, ("read",))
    window = (1000 * MS, 3000 * MS)
    rows = rows_of(log_readings({"load1": logs}, OFFSETS, window, channels, ["load1"]))
    nan = [float("nan")] * 6
    bad = [row["fio_log.read_iops.load1.dev02"] for row in rows]
    assert bad == pytest.approx([10, 10, *nan], nan_ok=True)
    assert [row["fio_log.read_iops.load1"] for row in rows] == [20, 20, *[10] * 6]


def test_there_is_no_sum_without_the_logs_of_all_hosts() -> None:
    files = Logs()
    files.add("load1", "iops", [(1250, 100), (1500, 100)])
    logs = files.read("load1")
    assert logs is not None
    channels = log_channels({name: job() for name in HOSTS}, ("read",))
    window = (1000 * MS, 1500 * MS)
    for row in rows_of(log_readings({"load1": logs}, OFFSETS, window, channels, HOSTS)):
        assert np.isnan(row["fio_log.read_iops"])
        assert row["fio_log.read_iops.load1"] == 100


def test_a_damaged_log_leaves_out_what_would_lack_its_io() -> None:
    files = Logs()
    files.add("load1", "iops", [(1250, 10)], 1)
    files["load1_iops.2.log.127.83.0.1"] = b"garbage\n"
    files["load1_iops.3.log.127.83.0.1"] = b""  # failed before its first I/O
    logs = files.read("load1", devices=3)
    assert logs is not None
    assert logs.tracks("read_iops") == []
    assert logs.tracks("read_iops", "dev02") == []
    assert len(logs.tracks("read_iops", "dev01")) == 1


def test_a_direction_without_io_beside_the_other_is_measured_zero() -> None:
    files = Logs({"load1_iops.1.log": b"1250, 10, 0, 0, 0\n1500, 10, 0, 0, 0\n"})
    mixed = replace(job(), options={"rw": "randrw"})
    logs = read_logs(files, "load1", mixed)
    assert logs is not None
    channels = log_channels({"load1": mixed}, ("read", "write"))
    window = (1000 * MS, 1500 * MS)
    rows = rows_of(log_readings({"load1": logs}, OFFSETS, window, channels, ["load1"]))
    assert [row["fio_log.write_iops"] for row in rows] == [0, 0]


def test_cells_are_as_long_as_the_windows_of_the_logs() -> None:
    long = job(60, 16, 3600)
    channels = log_channels({"load1": job(), "load2": long}, ("read",))
    assert {(c.period_ns, c.window_ns) for c in channels} == {(10**9, 10**9)}
    plain = replace(long, logs=None)
    assert log_channels({"load1": job(), "load2": plain}, ("read",)) == channels
    files = Logs()
    files.add("load2", "iops", [(2000, 50), (3000, 70)])
    logs = read_logs(files, "load2", long)
    assert logs is not None
    window = (1000 * MS, 3000 * MS)
    readings = log_readings({"load2": logs}, OFFSETS, window, channels, ["load2"])
    assert [(r.start_ns // MS, r.end_ns // MS) for r in readings] == [
        (1000, 2000),
        (2000, 3000),
    ]
    assert [row["fio_log.read_iops"] for row in rows_of(readings)] == [50, 70]


@pytest.mark.parametrize(
    ("before_ms", "after_ms", "is_told"),
    [
        (0, 0, False),
        (1400, 1400, False),
        (2000, 2000, True),
        (-2000, -2000, True),
        (1000, -1000, True),
    ],
)
def test_logs_of_a_clock_that_jumped_are_left_out_with_a_word(
    before_ms: int, after_ms: int, is_told: bool
) -> None:
    files = Logs()
    files.add("load1", "iops", [(1250, 100), (11_000, 100)])
    logs = files.read("load1")
    assert logs is not None
    offsets = Offset(before_ms * MS, 1), Offset(after_ms * MS, 1)
    clocks = {"load1": ClockPair(Clock.REALTIME, *offsets)}
    said: list[str] = []
    windows = {"load1": (1000 * MS, 11_000 * MS)}
    found = in_place(
        {"load1": logs}, clocks, windows, lambda _, text: said.append(text)
    )
    assert found == ({} if is_told else {"load1": logs})
    assert bool(said) is is_told
    assert all("load1: its clock jumped" in text for text in said)


@pytest.mark.parametrize(
    ("ios", "agrees"), [(1000, True), (1080, True), (1500, False), (500, False)]
)
def test_logs_that_count_other_ios_than_the_documents_are_excluded(
    ios: int, agrees: bool
) -> None:
    files = Logs()
    files.add("load1", "iops", [(ms, 100) for ms in range(1250, 11_001, 250)])
    logs = files.read("load1")
    assert logs is not None
    nothing = {
        "total_ios": 0,
        "io_bytes": 0,
        "runtime": 0,
        "lat_ns": {"mean": 0, "N": 0},
    }
    entries = [
        {"read": {**nothing, "total_ios": ios, "runtime": 10_000}, "write": nothing}
    ]
    said: list[str] = []
    found = agreeing(
        {"load1": logs},
        {"load1": entries},
        250 * MS,
        lambda _, text: said.append(text),
    )
    assert list(found) == (["load1"] if agrees else [])
    assert len(said) == (not agrees)
