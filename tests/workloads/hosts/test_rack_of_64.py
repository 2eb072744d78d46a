"""A rack of load hosts: real servers under one client, and documents of 64."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from instruments.reading import SECOND, Reading, Status
from tests.workloads.hosts.rack import wait_for
from workloads.fio.live import fio_channels
from workloads.fio.output import counters
from workloads.hosts.grid import CELL_NS, GridSum
from workloads.hosts.servers import FioClient, client_results
from workloads.hosts.sums import sum_values

COUNT = 64
REAL = 10
"""Real servers in the test; 64 take twenty seconds to start on two processors."""
JOB = """[global]
thread=1
group_reporting=1
time_based=1
runtime=1s
size=1m
[load]
ioengine=null
rw=randread
bs=4k
rate_iops=50
"""

CHANNELS = {"read": fio_channels("fio", "read", period_ns=CELL_NS)}


@contextmanager
def servers() -> Iterator[list[str]]:
    """Run servers on addresses of their own; yields their addresses."""
    # Another run of the tests on this machine has other addresses.
    net = f"127.{64 + os.getpid() // 256 % 128}.{os.getpid() % 256}"
    addresses = [f"{net}.{number + 1}" for number in range(REAL)]
    with ExitStack() as stack:
        for address in addresses:
            process = subprocess.Popen(
                ["fio", f"--server=ip:{address},18765"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
        for address in addresses:
            wait_for(address, 18765)
        yield addresses


@pytest.mark.slow
def test_one_client_drives_many_servers(tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text(JOB)
    with servers() as addresses:
        pairs = [(f"--client=ip:{address},18765", "job.fio") for address in addresses]
        client = FioClient(tmp_path, pairs)
        try:
            assert client.process.wait(60) == 0
        finally:
            client.close()
    found = client_results(client.text)
    assert sorted(found) == sorted((address, 18765) for address in addresses)
    by_host = {f"load{n}": jobs for n, jobs in enumerate(found.values(), 1)}
    values = sum_values(by_host, ("read",), "{host}")
    own = [values[f"iops.{name}"].value for name in by_host]
    sides = [jobs[0]["read"] for jobs in found.values()]
    assert own == pytest.approx([side["iops"] for side in sides], rel=1e-6)
    assert min(own) > 0
    assert values["iops"].value == pytest.approx(sum(own), rel=1e-9)
    counted = sum(side["lat_ns"]["N"] for side in sides)
    whole_ns = sum(side["lat_ns"]["N"] * side["lat_ns"]["mean"] for side in sides)
    mean_ms = whole_ns / counted / 1e6
    assert values["latency_mean_ms"].value == pytest.approx(mean_ms, rel=1e-9)
    assert "latency_p99_ms" in values


def document(seconds: float, rate: float) -> dict[str, Any]:
    """Make what fio would print after some seconds, with a histogram."""
    ios = round(rate * seconds)
    bins = {str(1000 + 16 * n): ios // 100 for n in range(99)} | {"90000": ios // 100}
    side = {
        "total_ios": ios,
        "io_bytes": ios * 4096,
        "runtime": round(seconds * 1000),
        "lat_ns": {"mean": 2000.0, "N": ios},
        "clat_ns": {"bins": bins},
    }
    return {"jobs": [{"jobname": "load", "error": 0, "read": side}]}


def test_documents_of_64_hosts_are_summed_as_they_come() -> None:
    readings: list[Reading] = []
    names = [f"load{number:02}" for number in range(COUNT)]
    total = GridSum("fio", CHANNELS, names, readings.append)
    began = time.process_time()
    for tick in range(1, 11):
        for number, name in enumerate(names):
            # Each begins and tells in its own time.
            seconds = tick / 2 + number / 200
            jobs = document(seconds, 1000.0 + number)["jobs"]
            made = round((100 + seconds) * SECOND)
            total.take(name, made, {"read": counters(jobs, "read")})
    spent = time.process_time() - began
    whole = [r for r in readings if r.channels[0].location == ""]
    assert len(whole) >= 4
    wanted = sum(1000.0 + number for number in range(COUNT))
    for reading in whole:
        assert reading.statuses[0] is Status.OK
        assert reading.values[0] == pytest.approx(wanted, rel=0.01)
        assert reading.values[3] == pytest.approx(2568e-9, rel=0.01)
    assert spent < 5  # the seconds that they tell of
