"""fio's client and real servers on two hosts, started over SSH or by the lab."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workloads.hosts.rack import Rack, opens, rack
from workloads.base import LoadOutcome
from workloads.hosts.each import FioEach
from workloads.hosts.servers import FioServers


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Rack]:
    with rack(tmp_path, "load1", "load2") as found:
        yield found


def test_two_servers_are_driven_and_summed(two: Rack) -> None:
    load = FioServers(two.job(3, ramp=1), [two.place("load1"), two.place("load2")])
    result = two.run(load)
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    assert 0 < result.values["iops"].value < 920
    assert 0 < result.values["iops.load2"].value < 460
    assert "latency_p99_ms" in result.values
    assert result.window is not None
    assert 1e9 < result.window[1] - result.window[0] < 3.1e9
    assert {c for r in two.readings for c in r.channels} <= set(load.channels)
    own, whole = two.values("fio_log.read_iops.load1"), two.values("fio_log.read_iops")
    assert 0 < max(own) < 460
    assert 0 < max(whole) < 920
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
            if opens(two.folder / "load1" / "scratch.bin"):
                break
            two.stop.wait(0.05)
        two.stop.wait(1.5)
        two.stop.set()

    stopper = threading.Thread(target=stop)
    stopper.start()
    result = two.run(way(two.job(60), [two.place("load1"), two.place("load2")]))
    stopper.join()
    assert result.outcome is LoadOutcome.STOPPED
    assert "lost" not in result.reason
    assert 0 < result.values["iops"].value < 920
    for name in ("load1", "load2"):
        assert not opens(two.folder / name / "scratch.bin")
