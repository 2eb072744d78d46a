"""fio's client and real servers on two hosts, started over SSH or by the lab."""

import json
import threading
from collections.abc import Iterator
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
from workloads.base import LoadOutcome
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


@pytest.mark.parametrize("way", [FioEach, FioServers])
def test_a_stop_keeps_what_was_measured_and_leaves_nothing_running(
    two: Rack, way: type[FioEach] | type[FioServers]
) -> None:
    def stop() -> None:
        for _ in range(200):
            if opens(two.scratch("load1")):
                break
            two.stop.wait(0.05)
        two.stop.wait(1.2)
        two.stop.set()

    stopper = threading.Thread(target=stop)
    stopper.start()
    result = two.run(way(two.job(60), [two.place("load1"), two.place("load2")]))
    stopper.join()
    assert result.outcome is LoadOutcome.STOPPED
    assert "lost" not in result.reason
    if way is FioEach:
        check_results(result, last_entries(result, "load1", "load2"))
        check_live(two, result, "load1", "load2")
    else:
        check_results(result, client_entries(result, **OURS))
    for name in ("load1", "load2"):
        assert not opens(two.scratch(name))
