"""fio on two hosts over SSH, with real servers on loopback and the real fio."""

import json
import math
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.errors import BadInput, BenchError
from instruments.timebase import monotonic_ns
from tests.workloads.hosts.documents import check_live, check_results, last_entries
from tests.workloads.hosts.rack import Rack, rack
from workloads.base import LoadOutcome
from workloads.disk_trace import traced_device
from workloads.hosts import each as host_fio
from workloads.hosts.each import FioEach

_VERSION = '[ "$1" = --version ] && exec /usr/bin/fio "$1"'


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Rack]:
    with rack(tmp_path, "load1", "load2") as found:
        yield found


def test_two_hosts_are_measured_together(two: Rack) -> None:
    two.files = two.folder  # Memory has no device that could be traced.
    load = FioEach(two.job(2, ramp=1), [two.place("load1"), two.place("load2")])
    result = two.run(load)
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    assert result.jobs == 2
    check_results(result, last_entries(result, "load1", "load2"))
    assert {c.name for c in load.channels} >= {"fio.read_iops", "fio.read_p99.load1"}
    assert {c for r in two.readings for c in r.channels} <= set(load.channels)
    assert len(two.values("fio.read_iops.load1")) > 3
    assert check_live(two, result, "load1", "load2") >= 1
    if traced_device(two.folder) is not None:
        assert {"device_reads", "device_read_bytes.load1"} <= result.values.keys()
        assert two.values("target_disk.read_iops.load2")
    names = {artefact.name for artefact in result.artefacts}
    assert {"load-hosts.json", "load1-job.fio", "load2-fio-output.json.zz"} <= names
    assert "load1-fio-messages.txt" not in names
    told = json.loads(result.artefacts[0].content)
    for host in ("load1", "load2"):
        assert told[host]["fio"].startswith("fio-3.")
        assert abs(told[host]["drift_ns"]) < 1e8
        assert told[host]["started_after_the_first_ns"] < 5e8


def test_a_host_that_is_cut_off_is_told_and_the_other_goes_on(two: Rack) -> None:
    places = [two.place("load1"), two.place("load2")]

    # It is still there whenever it is cut off.
    two.servers["load2"].tool("fio", f'{_VERSION}; /usr/bin/fio "$@"; exec sleep 600')
    cut_ns: list[int] = []

    def cut() -> None:
        # Before both have measured it would be lost in the ramp, or not be reached.
        two.wait_for_values("fio.read_iops.load1", "fio.read_iops.load2")
        cut_ns.append(monotonic_ns())
        two.servers["load2"].signal_connections(signal.SIGKILL)

    cutter = threading.Thread(target=cut)
    cutter.start()
    result = two.run(FioEach(two.job(2), places))
    ended_ns = monotonic_ns()
    cutter.join()
    assert result.outcome is LoadOutcome.FAILED
    assert "load2 was lost" in result.reason
    assert "those of load1 alone" in result.reason
    check_results(result, last_entries(result, "load1"))
    assert "iops.load2" not in result.values
    assert result.window is not None
    lost_ns = result.window[0] + result.values["lost_after_s.load2"].value * 1e9
    assert cut_ns[0] <= lost_ns <= ended_ns
    assert [text for level, text in two.said if level == "error"]


def test_logs_that_cannot_be_had_cost_their_host_no_results(two: Rack) -> None:
    two.servers["load2"].tool("tar", "echo broken >&2; exit 1")
    result = two.run(FioEach(two.job(3), [two.place("load1"), two.place("load2")]))
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    check_results(result, last_entries(result, "load1", "load2"))
    [told] = [text for _, text in two.said if "logs" in text]
    assert "load2: " in told
    assert "its fine logs cannot be fetched (broken)" in told
    assert not all(map(math.isnan, two.values("fio_log.read_iops.load1")))
    for name in ("fio_log.read_iops", "fio_log.read_iops.load2"):
        assert two.values(name)
        assert all(map(math.isnan, two.values(name)))


def test_a_quiet_host_that_answers_is_not_lost(
    two: Rack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host_fio, "QUIET_S", 0.5)
    two.servers["load2"].tool("fio", f"{_VERSION}; sleep 1.5; exit 1")
    result = two.run(FioEach(two.job(1), [two.place("load1"), two.place("load2")]))
    assert ("warning", "load2: no live data, but it answers") in two.said
    assert result.outcome is LoadOutcome.FAILED
    assert "load2: fio failed (exit code 1)" in result.reason
    check_results(result, last_entries(result, "load1"))


def test_nothing_is_started_where_no_host_can_be_had(two: Rack) -> None:
    places = [two.place("load1"), two.place("load2")]
    for server in two.servers.values():
        server.tool("fio", "echo nonsense")
    with pytest.raises(BenchError, match="none of the 2 load hosts can be used"):
        two.run(FioEach(two.job(1), places))
    two.servers["load1"].tool("fio", "echo fio-3.99")
    two.servers["load2"].tool("fio", "echo fio-3.33")
    with pytest.raises(BadInput, match=r"fio-3\.99 on load1, fio-3\.33 on load2"):
        two.run(FioEach(two.job(1), [two.place("load1"), two.place("load2")]))
    assert not two.readings
