"""fio's client and real servers on two hosts, started over SSH or by the lab."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.workloads.hosts.documents import (
    check_live,
    check_logs,
    check_results,
    client_entries,
    last_entries,
)
from tests.workloads.hosts.rack import Rack, opens, rack
from workloads.base import LoadOutcome, LoadResult, Workload
from workloads.hosts.each import FioEach
from workloads.hosts.servers import FioServers

OURS = {"load1": "127.83.0.1", "load2": "127.83.0.2"}
"""The ends of the tunnels to servers that we start."""


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Rack]:
    with rack(tmp_path, "load1", "load2") as found:
        yield found


def test_two_servers_are_driven_and_summed(two: Rack) -> None:
    load = FioServers(two.job(2, ramp=1), [two.place("load1"), two.place("load2")])
    result = two.run(load)
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    entries = client_entries(result, **OURS)
    check_results(result, entries)
    assert {c for r in two.readings for c in r.channels} <= set(load.channels)
    check_logs(two, entries)
    names = {artefact.name for artefact in result.artefacts}
    assert {"load-hosts.json", "load1.fio", "fio-client.json.zz"} <= names
    told = json.loads(result.artefacts[0].content)
    for host in ("load1", "load2"):
        assert told[host]["clock"] == "monotonic"
        assert abs(told[host]["drift_ns"]) < 1e8


def test_a_stop_keeps_what_was_measured_and_leaves_nothing_running(two: Rack) -> None:
    """Two loads at a time, one in each way."""
    racks = [Rack(two.folder, two.servers, two.files / way) for way in ("a", "b")]
    for found in racks:
        found.files.mkdir()

    def stop() -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if all(opens(one.scratch("load1")) for one in racks):
                break
            two.stop.wait(0.05)
        two.stop.wait(1.2)
        for one in racks:
            one.stop.set()

    def drive(found: Rack, way: type[FioEach] | type[FioServers]) -> LoadResult:
        load: Workload = way(found.job(600), [found.place(name) for name in OURS])
        return found.run(load)

    with ThreadPoolExecutor() as pool:
        stopping = pool.submit(stop)
        each, servers = pool.map(drive, racks, (FioEach, FioServers))
        stopping.result()
    for result in (each, servers):
        assert result.outcome is LoadOutcome.STOPPED
        assert "lost" not in result.reason
    check_results(each, last_entries(each, *OURS))
    check_live(racks[0], each, *OURS)
    check_results(servers, client_entries(servers, **OURS))
    for found in racks:
        for name in OURS:
            assert not opens(found.scratch(name))
