"""File copy as a workload, on real files."""

import os
import shutil
import threading
import time
from pathlib import Path

import pytest

from instruments.errors import BenchError
from tests.workloads.engine_bench import SIZE, EngineBench, artefact
from workloads.base import LoadOutcome
from workloads.copy.job import CopyJob
from workloads.copy.load import FileCopy, list_files
from workloads.copy.run import Copier
from workloads.guard.budget import Budget
from workloads.guard.file_guard import FileGuard


@pytest.fixture
def bench(tmp_path: Path) -> EngineBench:
    return EngineBench(tmp_path)


def job(
    bench: EngineBench, runtime: float = 60, ramp: float = 0, **own: str
) -> CopyJob:
    return CopyJob("one", bench.path, runtime, ramp, own)


def load(
    bench: EngineBench, runtime: float = 60, ramp: float = 0, **own: str
) -> FileCopy:
    return FileCopy(job(bench, runtime, ramp, **own))


def test_the_scratch_file_is_copied_and_the_copy_removed(bench: EngineBench) -> None:
    before = bench.path.read_bytes()
    result = bench.run(load(bench, verify="sha256"))
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    assert result.window is not None
    seconds = (result.window[1] - result.window[0]) / 1e9
    rate = result.values["bandwidth_mb_s"].value
    assert rate == pytest.approx(SIZE / seconds / 1e6)
    assert result.values["write_calls_mb_s"].value >= rate
    assert result.values["fsync_s"].value > 0
    assert bench.path.read_bytes() == before
    assert [each.name for each in bench.folder.iterdir()] == ["scratch.dat"]
    assert f"scratch.dat\t{SIZE}" in artefact(result, "copied-files.txt")


@pytest.mark.parametrize("direct", ["0", "1"])
def test_a_folder_is_copied_whole_with_odd_sizes(
    bench: EngineBench, direct: str
) -> None:
    source = bench.folder / "source"
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "odd").write_bytes(os.urandom(1_000_003))
    (source / "empty").touch()
    (source / "a").write_bytes(os.urandom(4096))
    (source / "link").symlink_to(source / "a")
    result = bench.run(
        load(bench, source=str(source), direct=direct, bs="64k", verify="sha256")
    )
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    assert result.values["files"].value == 3


def test_passes_without_end_take_the_runtime_and_have_a_ramp(
    bench: EngineBench,
) -> None:
    begin = time.monotonic_ns()
    result = bench.run(load(bench, runtime=1.0, ramp=0.5, passes="0", bs="64k"))
    assert result.outcome is LoadOutcome.DONE
    assert result.window is not None
    start, end = result.window
    assert start - begin >= 0.5e9
    assert 0.9e9 < end - start < 60e9
    assert bench.readings
    moved = sum(r.values[3] * (r.end_ns - r.start_ns) / 1e9 for r in bench.readings)
    own = result.values["write_mb_s"].value * 1e6 * (end - start) / 1e9
    # What was copied in the ramp is told live and not measured.
    assert 0 < own < moved * 1.01


def test_a_stop_ends_it_at_once(bench: EngineBench) -> None:
    begin = time.monotonic()
    result = bench.run(load(bench, runtime=600, passes="0"), stop_after=1)
    assert result.outcome is LoadOutcome.STOPPED
    assert time.monotonic() - begin < 300
    assert [each.name for each in bench.folder.iterdir()] == ["scratch.dat"]


def test_a_copy_that_is_not_whole_in_its_runtime_says_how_far_it_came(
    bench: EngineBench,
) -> None:
    result = bench.run(load(bench, runtime=0.3, passes="100000"))
    assert result.outcome is LoadOutcome.FAILED
    assert "were copied in the runtime of 0.3 s" in result.reason


def test_a_spent_budget_ends_it(bench: EngineBench) -> None:
    guard = FileGuard([bench.path], Budget(4 * 2**20))
    result = bench.run(FileCopy(job(bench, passes="0"), guard=guard))
    assert result.outcome is LoadOutcome.FAILED
    assert "write budget" in result.reason


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ({"source": "/nowhere/at/all"}, "/nowhere/at/all: it cannot be copied"),
        ({"target": "/nowhere"}, "/nowhere: there is no such folder"),
    ],
)
def test_what_cannot_be_copied_is_named_before_anything_starts(
    bench: EngineBench, own: dict[str, str], expected: str
) -> None:
    with pytest.raises(BenchError) as caught:
        bench.run(load(bench, 60, 0, **own))
    assert expected in str(caught.value)


def test_nothing_to_copy_is_told(bench: EngineBench) -> None:
    (bench.folder / "hollow").mkdir()
    with pytest.raises(BenchError, match="nothing to copy"):
        bench.run(load(bench, source=str(bench.folder / "hollow")))


def test_a_full_disk_is_the_benchs_fault(bench: EngineBench) -> None:
    full = Path("/dev/full")
    files = [(bench.path, Path("x"))]
    copier = Copier(job(bench, fsync="0"), files, bench.folder, threading.Event())
    (bench.folder / "x").symlink_to(full)
    with pytest.raises(OSError, match="No space left") as caught:
        copier.copy()
    assert caught.value.filename == str(bench.folder / "x")
    copier.close()


def test_a_source_that_goes_away_in_mid_copy_is_named(bench: EngineBench) -> None:
    source = bench.folder / "source"
    source.mkdir()
    for number in range(3):
        (source / f"file{number}").write_bytes(os.urandom(SIZE // 4))
    own = load(bench, 600, source=str(source), passes="0")
    result = own.run(
        lambda _: shutil.rmtree(source, ignore_errors=True),
        lambda *said: bench.said.append(said),
        bench.stop,
    )
    assert result.outcome is LoadOutcome.FAILED
    assert f"the copy failed on {source}/file" in result.reason
    assert "No such file or directory; it was there at the start" in result.reason
    assert artefact(result, "copied-files.txt").count(f"\t{SIZE // 4}\n") == 3
    assert [each.name for each in bench.folder.iterdir()] == ["scratch.dat"]


def test_a_changed_copy_is_found(bench: EngineBench) -> None:
    copies = bench.folder / "copies"
    copies.mkdir()
    own = job(bench, verify="sha256")
    copier = Copier(own, list_files(bench.path), copies, threading.Event())
    assert copier.copy()
    assert copier.check() == ""
    with (copies / "scratch.dat").open("r+b") as file:
        file.write(b"changed")
    assert "differs" in copier.check()
    os.truncate(copies / "scratch.dat", 5)
    assert f"has 5 bytes, the file has {SIZE}" in copier.check()
    copier.close()
