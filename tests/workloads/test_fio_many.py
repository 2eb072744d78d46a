"""fio on several scratch files and disks at a time, one of which fails."""

import contextlib
import csv
import io
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from instruments.errors import BadInput, BenchError
from instruments.metric import (
    BOTH,
    PERCENTILES,
    READ,
    WRITE,
    max_name,
    percentile_name,
)
from instruments.reading import Reading, Status
from instruments.tools.command import start
from instruments.tools.hosts import LocalHost
from tests.fio_said import counted_iops, counted_together
from tests.workloads.guard.loops import loop, tool
from workloads.base import LoadOutcome, LoadResult
from workloads.fio.load import Fio
from workloads.fio_job import FioJob
from workloads.guard.arming import arm
from workloads.guard.budget import Budget
from workloads.guard.device import Device
from workloads.guard.disk_guard import DiskGuard
from workloads.guard.file_guard import FileGuard
from workloads.guard.load_guard import LoadGuard
from workloads.guard.look import look
from workloads.target.targets import prepare_all

SIZE = 16 * 2**20
FILES = 5


class Bench:
    """Runs jobs on several targets and keeps what they emit and say."""

    def __init__(self, paths: list[Path], guard: LoadGuard, *, direct: bool) -> None:
        self.paths, self.guard, self.direct = paths, guard, direct
        self.readings: list[Reading] = []
        self.said: list[str] = []

    def load(
        self, runtime: float, ramp: float = 0, *, array: bool = False, **options: str
    ) -> Fio:
        own = {"rw": "randread", "bs": "4k", "rate_iops": "100", **options}
        paths = tuple(self.paths)
        job = FioJob("x", paths, SIZE, runtime, ramp, self.direct, own, array)
        return Fio(job, guard=self.guard)

    def run(self, load: Fio) -> LoadResult:
        return load.run(
            self.readings.append,
            lambda _, text: self.said.append(text),
            threading.Event(),
        )


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    paths = [tmp_path / f"scratch{n}.dat" for n in range(1, FILES + 1)]
    ready = prepare_all(paths, SIZE, threading.Event(), lambda _: None)
    handles = [one.handle for one in ready]
    direct = all(one.direct for one in ready)
    yield Bench(paths, FileGuard(paths, handles=handles), direct=direct)
    for one in ready:
        one.close()


def table(result: LoadResult) -> list[dict[str, str]]:
    kept = {artefact.name: artefact.content for artefact in result.artefacts}
    return list(csv.DictReader(io.StringIO(kept["fio-devices.csv"].decode())))


def test_a_file_whose_name_leads_elsewhere_by_now_is_not_written_to(
    bench: Bench, tmp_path: Path
) -> None:
    other, kept = tmp_path / "other.dat", b"of somebody else" * 65536
    other.write_bytes(kept)
    bench.paths[1].unlink()
    bench.paths[1].symlink_to(other)
    result = bench.run(bench.load(0.5, rw="write"))
    assert result.outcome is LoadOutcome.DONE, result.reason
    assert other.read_bytes() == kept


def test_each_file_has_a_job_and_all_are_added_up(bench: Bench) -> None:
    load = bench.load(2, ramp=0.7, rw="randrw", numjobs="2")
    result = bench.run(load)
    assert result.outcome is LoadOutcome.DONE, result.reason
    assert result.jobs == 2 * FILES
    assert result.apart_s is not None
    each = [result.values[f"iops.dev{n:02}"].value for n in range(1, FILES + 1)]
    kept = {artefact.name: artefact.content for artefact in result.artefacts}[
        "fio-output.json.zz"
    ]
    said = [counted_iops(kept, f"dev{n:02}") for n in range(1, FILES + 1)]
    assert each == pytest.approx(said, rel=0.01)
    # rate_iops holds for each direction of each of the two jobs.
    assert max(each) < 440
    together = counted_together(kept)
    assert together <= sum(each) * 1.01
    assert result.values["iops"].value == pytest.approx(together, rel=0.01)
    shares = [result.values[f"read_iops.dev{n:02}"].value for n in range(1, FILES + 1)]
    reads = counted_together(kept, ["read"])
    assert reads <= sum(shares) * 1.01
    assert result.values["read_iops"].value == pytest.approx(reads, rel=0.01)
    longest = max(result.values[f"latency_p99_ms.dev0{n}"].value for n in range(1, 6))
    least = min(result.values[f"latency_p99_ms.dev0{n}"].value for n in range(1, 6))
    assert least <= result.values["latency_p99_ms"].value <= longest
    for of in (BOTH, READ, WRITE):
        names = [*(percentile_name(of, one) for one in PERCENTILES), max_name(of)]
        rising = [result.values[name].value for name in names]
        assert rising == sorted(rising)
        assert rising[0] > 0
    slowest = [result.values[f"latency_max_ms.dev0{n}"].value for n in range(1, 6)]
    assert result.values["latency_max_ms"].value == max(slowest)
    rows = table(result)
    assert [row["target"] for row in rows] == [str(path) for path in bench.paths]
    assert [row["error"] for row in rows] == [""] * FILES
    assert sum(float(row["iops"]) for row in rows) == pytest.approx(sum(each))


def test_live_there_is_the_sum_and_each_device(bench: Bench) -> None:
    load = bench.load(2, ramp=0.7)
    result = bench.run(load)
    assert result.window is not None
    known = set(load.channels)
    assert {c for r in bench.readings for c in r.channels} <= known
    assert len(known) == 4 + 3 * FILES
    measured = [r for r in bench.readings if r.start_ns >= result.window[0]]
    total = [r for r in measured if r.channels[0].name == "fio.read_iops"]
    each = [r for r in measured if r.channels[0].name == "fio.read_iops.dev01"]
    assert len(total) == len(each) >= 1
    for whole, parts in zip(total, each, strict=True):
        assert (whole.start_ns, whole.end_ns) == (parts.start_ns, parts.end_ns)
        # Counters of devices are read in turn: each has a time of its own, all the
        # longest of them. A device that fio did not come to has no rate.
        assert 0 < whole.values[0] <= np.nansum(parts.values[::3]) * 1.001


def test_a_bad_device_is_named_and_the_others_go_on(bench: Bench) -> None:
    threading.Timer(1.0, os.truncate, (bench.paths[2], 4096)).start()
    result = bench.run(bench.load(3, ioengine="psync"))
    assert result.outcome is LoadOutcome.DEVICE_FAILED
    bad = bench.paths[2]
    assert result.reason == (
        f"I/O error on {bad} (dev03): Input/output error; "
        "the other 4 of 5 devices went on"
    )
    rows = {row["device"]: row for row in table(result)}
    assert rows["dev03"]["error"] == "Input/output error"
    whole_s = float(rows["dev04"]["seconds"])
    assert float(rows["dev03"]["seconds"]) < whole_s - 0.5
    assert "until its error" in result.values["iops.dev03"].origin
    kept = {artefact.name: artefact.content for artefact in result.artefacts}[
        "fio-output.json.zz"
    ]
    good = counted_iops(kept, "dev04")
    assert result.values["iops.dev04"].value == pytest.approx(good, rel=1e-3)
    # The sum is what was counted over all of the time.
    counted = [float(row["iops"]) * float(row["seconds"]) for row in rows.values()]
    assert result.values["iops"].value == pytest.approx(sum(counted) / whole_s, rel=0.1)
    last = [r for r in bench.readings if r.channels[0].location][-1]
    assert last.statuses[6:9] == (Status.ERROR,) * 3
    assert set(last.statuses[:6]) == {Status.OK}


def test_an_array_is_one_job_on_all(bench: Bench) -> None:
    before = [path.read_bytes() for path in bench.paths]
    result = bench.run(bench.load(1.5, array=True, rw="write", bs="1m"))
    assert result.outcome is LoadOutcome.DONE
    assert 0 < result.values["iops"].value < 110  # and not 100 of each of the five
    assert "iops.dev01" not in result.values
    after = [path.read_bytes() for path in bench.paths]
    # All of each file is used: 100 MiB a second on 80 MiB.
    for old, new in zip(before, after, strict=True):
        assert len(new) == SIZE
        assert old[:4096] != new[:4096]
        assert old[-4096:] != new[-4096:]


def test_a_file_that_is_none_of_them_ends_the_load(bench: Bench) -> None:
    bench.guard = FileGuard(bench.paths[:4])
    result = bench.run(bench.load(20, rw="randwrite"))
    assert result.outcome is LoadOutcome.FAILED
    assert "was ended by the guard" in result.reason
    assert str(bench.paths[4]) in result.reason


def test_a_budget_counts_all_of_them(bench: Bench) -> None:
    budget = Budget(8 * 2**20)
    bench.guard = FileGuard(bench.paths, budget)
    result = bench.run(bench.load(20, rw="write", bs="256k"))
    assert result.outcome is LoadOutcome.FAILED
    assert "write budget" in result.reason
    assert budget.written >= 8 * 2**20
    with pytest.raises(BenchError, match="write budget"):
        bench.run(bench.load(1, rw="write"))


def armed(path: str) -> Device:
    found = look(LocalHost(), path)
    return Device(Path(path), found.disk, SIZE, arm(path, found, found.disk.word))


@pytest.fixture
def disks(tmp_path: Path) -> Iterator[list[str]]:
    with contextlib.ExitStack() as stack:
        images = [tmp_path / f"disk{n}.img" for n in range(1, 5)]
        yield [stack.enter_context(loop(image)) for image in images]


def disk_bench(disks: list[str]) -> Bench:
    guard = DiskGuard([armed(path) for path in disks])
    return Bench([Path(path) for path in disks], guard, direct=True)


def test_disks_are_written_and_one_that_fails_is_named(
    disks: list[str], tmp_path: Path
) -> None:
    bench = disk_bench(disks)
    # Without its backing file's second half the kernel answers EIO there.
    threading.Timer(0.8, os.truncate, (tmp_path / "disk2.img", 4096)).start()
    result = bench.run(bench.load(3, rw="randread", ioengine="libaio"))
    assert result.outcome is LoadOutcome.DEVICE_FAILED, result.reason
    assert f"{disks[1]} (dev02): Input/output error" in result.reason
    assert "the other 3 of 4 devices went on" in result.reason
    assert bench.run(bench.load(0.5, rw="read")).outcome is LoadOutcome.DEVICE_FAILED


def test_all_disks_are_checked_before_any_is_written(
    disks: list[str], tmp_path: Path
) -> None:
    bench = disk_bench(disks)
    tool("mkfs.ext4", "-q", disks[3])
    with pytest.raises(BadInput, match="ext4"):
        bench.run(bench.load(1, rw="write"))
    assert not any((tmp_path / "disk1.img").read_bytes())


def test_a_disk_that_is_none_of_them_ends_the_load(disks: list[str]) -> None:
    guard = DiskGuard([armed(path) for path in disks[:3]])
    script = f"exec 3<{disks[0]} 4<{disks[3]}; echo ready; exec sleep 60"
    with (
        guard.hold(lambda *_: None, destroys=False),
        start(["bash", "-c", script]) as load,
    ):
        assert load.stdout.readline() == b"ready\n"
        trouble = guard.check(load.pid, "", destroys=False)
        assert f"it has {disks[3]} open" in trouble


def test_a_disk_that_vanishes_is_left_and_another_in_its_place_is_not(
    disks: list[str], tmp_path: Path
) -> None:
    links = [tmp_path / f"slot{n}" for n in range(4)]
    for link, disk in zip(links, disks, strict=True):
        link.symlink_to(disk)
    guard = DiskGuard([armed(str(link)) for link in links])
    said: list[str] = []
    with guard.hold(lambda _, text: said.append(text), destroys=True):
        assert guard._changed() == ""
        links[1].unlink()
        assert guard._changed() == ""
        assert said[-1] == f"{links[1]} is gone, the load goes on with the others"
        links[2].unlink()
        links[2].symlink_to(disks[1])
        assert "not the disk that was armed any more" in guard._changed()
        for link in (links[0], links[2], links[3]):
            link.unlink()
        assert guard._changed() == ""
        assert said[-1] == f"{links[3]} is gone, the load has no disk left"
