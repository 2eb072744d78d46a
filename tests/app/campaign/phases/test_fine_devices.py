"""Fine logs of devices on one grid: a cell that is filled in part is a gap."""

import numpy as np
import pytest

from app.campaign.phases.fine_logs import CELL_NS, traces_of_devices
from workloads.fio.fine import FineLog
from workloads.fio.read.logs import LogName, read_log

RATE = 1000


def log(device: str, times_ms: range) -> FineLog:
    """Make a log of 100 ms windows with one rate."""
    rows = "".join(f"{at}, {RATE}, 0, 0, 0\n" for at in times_ms).encode()
    name = LogName("fine", "iops", 1, "")
    return FineLog(name, read_log(rows, "log"), device, 100)


def test_a_cell_that_a_device_fills_in_part_is_a_gap() -> None:
    # The second device ends within a cell.
    logs = [log("dev01", range(100, 2100, 100)), log("dev02", range(100, 1500, 100))]
    [trace] = traces_of_devices(logs, 2000)
    columns = {key[2]: trace.values[:, n] for n, key in enumerate(trace.quantities)}
    whole, part = columns["dev01"], columns["dev02"]
    assert trace.period_ns == CELL_NS
    np.testing.assert_allclose(whole, RATE)
    np.testing.assert_allclose(part[:5], RATE)
    assert np.isnan(part[5:]).all()


def test_devices_that_end_a_moment_apart_keep_their_last_cell() -> None:
    logs = [log("dev01", range(100, 1600, 100)), log("dev02", range(99, 1500, 100))]
    [trace] = traces_of_devices(logs, 2000)
    assert np.isfinite(trace.values).all()
    np.testing.assert_allclose(trace.values[-1], RATE)


def test_pauses_of_a_slow_load_are_zero() -> None:
    [trace] = traces_of_devices([log("dev01", range(500, 5500, 500))], 5000)
    seconds = (trace.ends - trace.starts) / 1e9
    assert float(trace.values[:, 0] @ seconds) == pytest.approx(10 * RATE * 0.1)
