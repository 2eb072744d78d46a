"""fio as a workload, with the real fio on a scratch file."""

import itertools
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.errors import BenchError
from instruments.reading import Reading, Status
from tests.fio_said import counted_bandwidth, counted_iops, counted_s
from workloads.base import LoadOutcome, LoadResult
from workloads.fio.load import Fio, check_version
from workloads.fio_job import FioJob
from workloads.target.scratch import prepare

SIZE = 32 * 2**20


class Bench:
    """Runs a job and keeps what it emits and says."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "scratch.dat"
        self.readings: list[Reading] = []
        self.said: list[tuple[str, str]] = []
        self.stop = threading.Event()
        self.scratch = prepare(self.path, SIZE, threading.Event(), lambda _: None)

    def load(self, runtime: float, ramp: float = 0, **options: str) -> Fio:
        # A limited rate keeps the test gentle on the machine and its sums exact.
        own = {"rw": "randread", "bs": "4k", "rate_iops": "120", **options}
        return Fio(
            FioJob("step", (self.path,), SIZE, runtime, ramp, self.scratch.direct, own)
        )

    def run(self, load: Fio, stop_after: int = 0) -> LoadResult:
        """Run a load, to its end or until it has given so many readings."""

        def emit(reading: Reading) -> None:
            self.readings.append(reading)
            if len(self.readings) == stop_after:
                self.stop.set()

        return load.run(emit, lambda *said: self.said.append(said), self.stop)


def printed(result: LoadResult) -> bytes:
    [kept] = [a.content for a in result.artefacts if a.name == "fio-output.json.zz"]
    return kept


def counted(result: LoadResult) -> float:
    return counted_iops(printed(result))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.scratch.close()


def test_a_load_gives_live_readings_and_one_result(bench: Bench) -> None:
    begin = time.monotonic_ns()
    result = bench.run(bench.load(3, ramp=1))
    end = time.monotonic_ns()
    assert result.outcome is LoadOutcome.DONE
    iops = result.values["iops"].value
    assert iops == pytest.approx(counted(result), rel=1e-3)
    assert iops < 132
    bandwidth = result.values["bandwidth_mb_s"].value
    said = counted_bandwidth(printed(result))
    assert bandwidth == pytest.approx(said / 1e6, rel=1e-3)
    assert result.values["latency_p99_ms"].value > 0
    assert result.values["buffered"].value == float(not bench.scratch.direct)

    assert result.window is not None
    start, stop = result.window
    assert begin + 1e9 <= start < stop <= end
    assert (stop - start) / 1e9 == pytest.approx(counted_s(printed(result)), abs=0.1)
    assert (stop - start) / 1e9 > 2.9

    measured = [r for r in bench.readings if r.start_ns >= start]
    assert {r.channels[0].name for r in measured} == {"fio.read_iops"}
    for reading in measured:
        assert reading.statuses[0] is Status.OK
        if reading.values[0] > 0:
            assert set(reading.statuses) == {Status.OK}
    # What the readings count in their times is what fio counted, but for the edges.
    shown = sum(r.values[0] * (r.end_ns - r.start_ns) / 1e9 for r in measured)
    assert shown == pytest.approx(iops * (stop - start) / 1e9, rel=0.25)


def test_readings_follow_one_another_without_overlap(bench: Bench) -> None:
    bench.run(bench.load(2))
    edges = [(r.start_ns, r.end_ns) for r in bench.readings]
    assert len(edges) >= 3
    for (_, end), (start, _) in itertools.pairwise(edges):
        assert start >= end - 5_000_000


def test_the_ramp_has_rates_and_no_latency(bench: Bench) -> None:
    result = bench.run(bench.load(2, ramp=1.5))
    assert result.window is not None
    ramp = [r for r in bench.readings if r.end_ns <= result.window[0]]
    assert ramp
    for reading in ramp:
        assert reading.values[0] > 0
        assert reading.statuses[2] is Status.ABSENT


def test_a_mixed_load_has_both_directions(bench: Bench) -> None:
    result = bench.run(bench.load(1.5, rw="randrw"))
    quantities = {r.channels[0].quantity for r in bench.readings}
    assert quantities == {"read_iops", "write_iops"}
    total = result.values["read_iops"].value + result.values["write_iops"].value
    assert result.values["iops"].value == pytest.approx(total)


def test_what_fio_printed_is_kept(bench: Bench) -> None:
    result = bench.run(bench.load(1))
    kept = {a.name: a.content for a in result.artefacts}
    assert result.values["iops"].value == pytest.approx(counted(result), rel=1e-3)
    assert b"time_based=1" in kept["job.fio"]
    command, leads = kept["command-line.txt"].decode().splitlines()
    assert command.startswith("$ fio --output-format=json+ --status-interval=")
    assert command.endswith("--readonly job.fio")
    assert leads == f"target -> {bench.path.resolve()}"


@pytest.mark.parametrize("readings", [1, 2, 3])
def test_a_load_stopped_in_its_ramp_measured_nothing(
    bench: Bench, readings: int
) -> None:
    result = bench.run(bench.load(6, ramp=600), stop_after=readings)
    assert result.outcome is LoadOutcome.STOPPED
    assert result.window is None


def test_a_stopped_load_keeps_its_partial_result(bench: Bench) -> None:
    result = bench.run(bench.load(600), stop_after=3)
    assert result.outcome is LoadOutcome.STOPPED
    assert result.window is not None
    assert result.values["iops"].value == pytest.approx(counted(result), rel=1e-3)


def test_a_killed_fio_is_a_failed_bench_with_its_signal(bench: Bench) -> None:
    def kill() -> None:
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                command = (folder / "cmdline").read_bytes()
                parent = int((folder / "stat").read_text().rsplit(")")[1].split()[1])
            except (OSError, IndexError):
                continue
            if command.startswith(b"fio\0") and parent == os.getpid():
                os.kill(int(folder.name), signal.SIGKILL)

    threading.Timer(1.5, kill).start()
    result = bench.run(bench.load(20))
    assert result.outcome is LoadOutcome.FAILED
    assert result.reason.startswith("fio was ended by signal SIGKILL; something")
    assert "journalctl -k, then run the step again" in result.reason


def test_an_option_fio_refuses_is_told_in_its_words(bench: Bench) -> None:
    result = bench.run(bench.load(1, rwmixread="170"))
    assert result.outcome is LoadOutcome.FAILED
    assert "rwmixread" in result.reason
    assert result.window is None


def test_a_file_that_shrinks_is_an_io_error_of_the_device(bench: Bench) -> None:
    threading.Timer(1.0, os.truncate, (bench.path, 4096)).start()
    result = bench.run(bench.load(10, ioengine="psync"))
    assert result.outcome is LoadOutcome.DEVICE_FAILED
    assert "I/O error" in result.reason
    assert str(bench.path) in result.reason


def test_a_missing_fio_names_the_way_out(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(BenchError, match="apt install fio"):
        bench.run(bench.load(1))


@pytest.mark.parametrize("text", ["fio-3.33", "fio-3.42-6-g219f", "fio-4.0\n"])
def test_versions_from_3_33_are_taken(text: str) -> None:
    check_version(text)


@pytest.mark.parametrize("text", ["fio-3.28", "fio-2.1.11", "", "nonsense"])
def test_older_versions_are_refused_with_the_way_out(text: str) -> None:
    with pytest.raises(BenchError, match=r"3\.33 or later"):
        check_version(text)


@pytest.mark.parametrize("name", ["a#b.dat", "a;b.dat", "a:b.dat", "$HOME.dat", " x "])
def test_no_name_leads_fio_to_another_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    scratch = prepare(path, SIZE, threading.Event(), lambda _: None)
    job = FioJob("x", (path,), SIZE, 1, 0, scratch.direct, {"rw": "write", "bs": "4m"})
    before = path.read_bytes()
    result = Fio(job).run(lambda _: None, lambda *_: None, threading.Event())
    scratch.close()
    assert result.outcome is LoadOutcome.DONE
    assert path.read_bytes() != before
    assert [found.name for found in tmp_path.iterdir()] == [name]


def test_a_fio_of_other_words_fails_in_a_sentence(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "tools" / "fio"
    other.parent.mkdir()
    lines = r"""
echo '{'; echo '  "jobs": [{}]'; echo '}'
i=0; while [ $i -lt 50 ]; do printf 'odd \001 %s\n' $i; i=$((i+1)); done"""
    other.write_text(f"#!/bin/sh{lines}\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{other.parent}:/usr/bin:/bin")
    result = bench.run(bench.load(1))
    assert result.outcome is LoadOutcome.FAILED
    assert "a document is not as fio writes it: " in result.reason
    assert result.window is None
    told = [text for _, text in bench.said]
    assert len(told) == 21
    assert told[-1].endswith("more messages are kept")
