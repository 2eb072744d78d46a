"""VDBench on load hosts: a stand-in for the program, real SSH servers for the hosts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.errors import BenchError
from tests.workloads.engine_bench import use_standin
from tests.workloads.hosts.rack import SIZE, Rack, rack
from workloads.base import LoadOutcome
from workloads.hosts.vdbench_hosts import HostLun, HostsJob, VdbenchOnHosts
from workloads.vdbench.job import VdbenchJob


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rack]:
    use_standin(monkeypatch, tmp_path, "vdbench")
    monkeypatch.setenv("STANDIN_SPEED", "10")
    with rack(tmp_path, "load1", "load2") as found:
        yield found


def job(**options: str) -> VdbenchJob:
    return VdbenchJob("one", Path("unused"), SIZE, 4, 0, True, options)


def test_each_host_has_a_definition_and_its_storage() -> None:
    hosts = HostsJob(
        "one",
        Path("unused"),
        SIZE,
        60,
        10,
        True,
        {"xfersize": "64k", "threads": "4", "rdpct": "70"},
        luns=(
            HostLun("load1", "10.0.0.1", "lab", "/tmp/a/target", SIZE),
            HostLun("load2", "10.0.0.2", "", "/dev/sdb", 2 * SIZE),
            HostLun("load2", "10.0.0.2", "", "/dev/sdc", SIZE),
        ),
    )
    assert hosts.text(Path("x")).splitlines()[1:] == [
        "hd=default,shell=ssh",
        "hd=load1,system=10.0.0.1,user=lab",
        "hd=load2,system=10.0.0.2",
        f"sd=sd1,host=load1,lun=/tmp/a/target,size={SIZE},openflags=o_direct,threads=4",
        f"sd=sd2,host=load2,lun=/dev/sdb,size={2 * SIZE},openflags=o_direct,threads=4",
        f"sd=sd3,host=load2,lun=/dev/sdc,size={SIZE},openflags=o_direct,threads=4",
        "wd=wd1,sd=sd*,xfersize=64k,rdpct=70,seekpct=100",
        "rd=rd1,wd=wd1,iorate=max,elapsed=60,warmup=10,interval=1",
    ]


def test_hosts_are_held_while_it_runs(two: Rack) -> None:
    places = [two.place("load1"), two.place("load2")]
    result = two.run(VdbenchOnHosts(job(), places))
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    kept = {artefact.name: artefact.content.decode() for artefact in result.artefacts}
    assert "sd=sd2,host=load2,lun=/tmp/bayscope-fio-" in kept["parmfile"]
    assert '"load2"' in kept["load-hosts.json"]


def test_it_cannot_do_without_a_host(two: Rack) -> None:
    two.servers["load2"].stop()
    places = [two.place("load1"), two.place("load2")]
    with pytest.raises(BenchError, match=r"VDBench needs all of its hosts: .*refused"):
        two.run(VdbenchOnHosts(job(), places))
    with pytest.raises(BenchError, match="trees of files are for one host"):
        two.run(VdbenchOnHosts(job(mode="files"), places))
