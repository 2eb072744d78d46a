"""Logs that servers sent back: windows and traces on our clock."""

from pathlib import Path

import pytest

from workloads.hosts.host_logs import log_channels, log_readings, read_logs

MS = 1_000_000


def write(folder: Path, host: str, kind: str, rows: list[tuple[int, int]]) -> None:
    text = "".join(f"{time}, {value}, 0, 0, 0\n" for time, value in rows)
    (folder / f"{host}_{kind}.1.log.127.83.0.1").write_text(text)


def test_hosts_are_placed_on_one_axis_and_summed(tmp_path: Path) -> None:
    # load2's clock is 5 s ahead; it was idle for one window.
    write(tmp_path, "load1", "iops", [(1250, 100), (1500, 100), (1750, 100)])
    write(tmp_path, "load2", "iops", [(6250, 40), (6750, 40)])
    write(tmp_path, "load2", "bw", [(6250, 8), (6500, 8), (6750, 8)])
    logs = {name: read_logs(tmp_path, name) for name in ("load1", "load2")}
    found = {name: log for name, log in logs.items() if log is not None}
    assert (found["load1"].start_ns, found["load1"].end_ns) == (1000 * MS, 1750 * MS)
    assert found["load2"].start_ns == 6000 * MS
    channels = log_channels(["load1", "load2"], ("read",))
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


def test_a_window_that_a_busy_host_made_longer_counts_in_full(tmp_path: Path) -> None:
    # The second is of 400 ms; before the fourth, 260 ms had no I/O and no row.
    rows = [(1250, 100), (1650, 100), (1900, 100), (2410, 100)]
    write(tmp_path, "load1", "iops", rows)
    logs = read_logs(tmp_path, "load1")
    assert logs is not None
    [(times, moved)] = logs.totals["read_iops"]
    ends = times[1::2] // MS
    assert list(ends) == [1250, 1650, 1900, 2410]
    assert moved[1::2] == pytest.approx([25, 65, 90, 115])


def test_a_host_without_logs_has_none(tmp_path: Path) -> None:
    (tmp_path / "load1_iops.1.log.127.83.0.1").write_text("garbage\n")
    (tmp_path / "load1.fio").write_text("[global]\n")
    assert read_logs(tmp_path, "load1") is None
    assert read_logs(tmp_path, "load2") is None
