"""Several targets on each load host: devices of their own, one of them bad."""

import csv
import json
import math
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from instruments.errors import BadInput, BenchError
from instruments.tools.hosts import LocalHost
from tests.workloads.guard.loops import loop, own_name
from tests.workloads.hosts.rack import Rack, rack
from workloads.base import LoadOutcome, LoadResult
from workloads.guard.device import open_device
from workloads.guard.nodes import find_disk
from workloads.hosts.each import FioEach
from workloads.hosts.place import Place
from workloads.hosts.servers import FioServers
from workloads.hosts.target_names import find_there

WAYS = [FioEach, FioServers]
Way = type[FioEach] | type[FioServers]


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Rack]:
    with rack(tmp_path, "load1", "load2") as found:
        yield found


def place_of_three(found: Rack, name: str) -> Place:
    own = tuple(str(found.files / f"{name}-{n}.bin") for n in (1, 2, 3))
    return found.place(name).with_targets(own)


def check_sums(result: LoadResult, *hosts: str) -> None:
    """Devices sum up to their host, and hosts to the whole."""
    found = {name: one.value for name, one in result.values.items()}
    for key in ("iops", "bandwidth_mb_s"):
        own = [found[f"{key}.{host}"] for host in hosts]
        assert found[key] == pytest.approx(sum(own), rel=0.05)
        for host in hosts:
            each = [found.get(f"{key}.{host}.dev{n:02}", 0.0) for n in (1, 2, 3)]
            assert found[f"{key}.{host}"] == pytest.approx(sum(each), rel=0.05)


def check_logged(found: Rack, result: LoadResult, host: str) -> None:
    """The logs tell of no more I/Os than fio itself counted, and of some."""
    told = json.loads(result.artefacts[0].content)[host]["window_ns"]
    counted = result.values[f"iops.{host}"].value * (told[1] - told[0]) / 1e9
    spans = found.spans(f"fio_log.read_iops.{host}")
    logged = sum((end - at) / 1e9 * v for at, end, v in spans if not math.isnan(v))
    assert 0 < logged <= counted * 1.05 + 3


@pytest.mark.parametrize("way", WAYS)
def test_each_device_of_each_host_has_its_results(two: Rack, way: Way) -> None:
    places = [place_of_three(two, name) for name in ("load1", "load2")]
    result = two.run(way(two.job(2, ramp=1, rate_iops="100"), places))
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    check_sums(result, "load1", "load2")
    kept = {
        artefact.name: artefact.content.decode("latin-1")
        for artefact in result.artefacts
    }
    rows = list(csv.DictReader(kept["load2-fio-devices.csv"].splitlines()))
    assert [row["device"] for row in rows] == ["dev01", "dev02", "dev03"]
    assert rows[2]["target"].endswith("load2-3.bin")
    assert two.values("fio_log.read_iops.load2.dev03")
    assert two.values("fio_log.read_iops")
    for host in ("load1", "load2"):
        check_logged(two, result, host)
    if way is FioEach:
        assert two.values("fio.read_iops.load2.dev03")
        assert two.values("fio.read_iops.load1")
        assert two.values("fio.read_iops")
    channels = {c for r in two.readings for c in r.channels}
    assert channels <= set(way(two.job(2), places).channels)


def test_they_can_be_one_array(two: Rack) -> None:
    places = [place_of_three(two, name) for name in ("load1", "load2")]
    job = replace(two.job(1, rate_iops="300"), together=True)
    result = two.run(FioServers(job, places))
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    assert "iops.load1" in result.values
    assert "iops.load1.dev01" not in result.values


def place_on_disks(found: Rack, name: str, disks: list[str], words: list[str]) -> Place:
    own = found.place(name)
    devices = [
        open_device(Path(disk), 0, writes=bool(words), words=words, host=own.host)
        for disk in disks
    ]
    return replace(own.with_targets(disks, devices), size=0)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_one_bad_disk_is_marked_and_all_others_go_on(
    two: Rack, tmp_path: Path, way: Way
) -> None:
    with ExitStack() as stack:
        disks = [
            stack.enter_context(loop(tmp_path / f"disk{n}.img")) for n in range(1, 7)
        ]
        words = [find_disk(LocalHost(), disk).word for disk in disks]
        places = [
            place_on_disks(two, "load1", disks[:3], words[:3]),
            place_on_disks(two, "load2", disks[3:], words[3:]),
        ]

        def break_one() -> None:
            two.began.wait(60)
            os.truncate(tmp_path / "disk5.img", 4096)

        breaker = threading.Thread(target=break_one)
        breaker.start()
        result = two.run(way(two.job(4, rw="randrw", bs="64k", rate_iops="50"), places))
        breaker.join()
    assert result.outcome is LoadOutcome.DEVICE_FAILED, result.reason
    assert f"load2: I/O error on {disks[4]} (dev02): " in result.reason
    assert "the other 2 of 3 devices went on" in result.reason
    assert "until its error" in result.values["iops.load2.dev02"].origin
    assert "failed_after_s.load2.dev02" in result.values
    assert "failed_after_s.load2.dev03" not in result.values
    assert "until its error" not in result.values["iops.load2.dev03"].origin
    assert result.values["iops.load1.dev01"].value > 0
    assert result.values["iops.load2.dev03"].value > 0


def test_disks_that_are_gone_or_dead_before_a_step_are_left_out(
    two: Rack, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        disks = [stack.enter_context(loop(tmp_path / f"{n}.img")) for n in range(2)]
        name = stack.enter_context(own_name())
        with loop(tmp_path / "gone.img", name=name) as gone:
            every = [disks[0], gone, disks[1]]
            words = [find_disk(LocalHost(), disk).word for disk in every]
            place = place_on_disks(two, "load1", every, words)
        os.truncate(tmp_path / "0.img", 4096)
        result = two.run(FioEach(two.job(1, rw="write", bs="64k"), [place]))
        assert result.outcome is LoadOutcome.DEVICE_FAILED
        assert f"{gone} (dev02): No such device" in result.reason
        assert f"{disks[0]} (dev01): Input/output error" in result.reason
        assert "the other 1 of 3 devices went on" in result.reason
        assert result.values["iops.load1.dev03"].value > 0
        told = ("error", f"load1: the load does without {gone} (No such device)")
        assert told in two.said


def test_no_disk_is_written_to_unless_every_one_passes(
    two: Rack, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        disks = [stack.enter_context(loop(tmp_path / f"{n}.img")) for n in range(3)]
        words = [find_disk(LocalHost(), disk).word for disk in disks]
        place = place_on_disks(two, "load1", disks, words)
        used = os.open(disks[1], os.O_RDWR | os.O_EXCL)
        stack.callback(os.close, used)
        with pytest.raises(BenchError, match="cannot be held"):
            two.run(FioEach(two.job(1, rw="write"), [place]))
    assert not any(any((tmp_path / f"{n}.img").read_bytes()) for n in range(3))


def test_names_and_patterns_are_found_on_the_host(tmp_path: Path) -> None:
    for name in ("dev2", "dev10", "dev1"):
        (tmp_path / name).touch()
    (tmp_path / "link").symlink_to("dev1")
    found = find_there(LocalHost(), [str(tmp_path / "dev*"), str(tmp_path / "new")])
    assert [Path(one).name for one in found] == ["dev1", "dev2", "dev10", "new"]
    for names, told in (
        (["none*"], "nothing matches this pattern"),
        (["dev1", "dev?"], "it is named twice"),
        (["dev*", "link"], "it is .*dev1 as well"),
    ):
        with pytest.raises(BadInput, match=told):
            find_there(LocalHost(), [str(tmp_path / name) for name in names])
    with pytest.raises(BadInput, match="files and disks stand side by side"):
        find_there(LocalHost(), [str(tmp_path / "dev1"), "/dev/sda"])
