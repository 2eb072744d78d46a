"""Measures of the acquisition: polls kept, jitter, latency to the store, processor."""

import itertools
import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from app.bench.build import build_sources
from app.bench.edit import put_source
from app.bench.file import default_bench
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session, SessionInfo
from instruments.base import Source
from instruments.reading import Channel, Reading, Status
from instruments.simulated.process import SimulatorProcess
from tests.benchmarks.figure import Figure

METER_S = 600.0
REPEATS_S = 60.0
MANY_S = 60.0
SHELVES = 7


class _Timed:
    """A source that notes when each of its readings began and ended."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.name, self.section, self.driver = source.name, source.section, "timed"
        self.period_s = source.period_s
        self.readings: list[tuple[int, int]] = []
        self.open, self.close = source.open, source.close

    @property
    def channels(self) -> tuple[Channel, ...]:
        return self._source.channels

    def read(self) -> Reading:
        reading = self._source.read()
        self.readings.append((reading.start_ns, reading.end_ns))
        return reading


@contextmanager
def busy_fio(folder: Path, seconds: float) -> Iterator[None]:
    """Run fio on a scratch file: what an acquisition has beside it in a campaign."""
    job = (
        *("fio", "--name=busy", f"--filename={folder / 'scratch.dat'}", "--size=512m"),
        *("--rw=randrw", "--bs=4k", "--iodepth=32", "--ioengine=libaio", "--direct=1"),
        *("--time_based", f"--runtime={seconds:.0f}", "--thread"),
    )
    with subprocess.Popen(job, stdout=subprocess.DEVNULL) as fio:
        try:
            yield
            if fio.poll() is not None:
                raise RuntimeError(f"fio ended by itself ({fio.returncode}): no load")
        finally:
            fio.terminate()


def meter(folder: Path) -> list[Figure]:
    """The HMC8015 at 10 Hz beside a busy fio, ten minutes of it."""
    with SimulatorProcess() as bench, busy_fio(folder, METER_S + 30):
        source = _Timed(_sources(bench, shelves=0)[0])
        told: list[tuple[int, int]] = []
        recorder = _recorder(folder / "meter.bayscope", told)
        recorder.watch(source)
        time.sleep(METER_S)
        health = recorder.health()["mains"]
        recorder.close()
    beats = [start for start, _ in source.readings]
    waits = [(b - a) / 1e6 for a, b in itertools.pairwise(beats)]
    jitter = sorted(abs(wait - 1000 * source.period_s) for wait in waits)
    latency = sorted(_latencies([end for _, end in source.readings], told))
    with Session.open(folder / "meter.bayscope") as session:
        stored = len(session.trace("mains.P"))
    how = f"{len(beats):,} polls in {METER_S:.0f} s beside fio randrw 4k"
    return [
        Figure("meter, polls missed", str(health.missed), "", "0", how),
        Figure("meter, polls stored", f"{stored:,}", "", f"{len(beats):,}", "all"),
        Figure("meter, jitter p50", _at(jitter, 0.5), "ms", "", "beat to beat"),
        Figure("meter, jitter p99", _at(jitter, 0.99), "ms", "", "beat to beat"),
        Figure("read to store p50", _at(latency, 0.5), "ms", "", "durable: fdatasync"),
        Figure(
            "read to store p99", _at(latency, 0.99), "ms", "", "a commit each 0.1 s"
        ),
    ]


def repeats(folder: Path) -> list[Figure]:
    """The HMC8015 asked at 20 Hz, twice as often as it refreshes."""
    with SimulatorProcess() as bench:
        source = _Timed(_sources(bench, shelves=0, period_s=0.05)[0])
        recorder = _recorder(folder / "repeats.bayscope", [])
        recorder.watch(source)
        time.sleep(REPEATS_S)
        missed = recorder.health()["mains"].missed
        recorder.close()
    with Session.open(folder / "repeats.bayscope") as session:
        trace = session.trace("mains.P")
        stale = sum(g.reason == Status.STALE for g in session.gaps("mains.P"))
    values = trace.mean[~np.isnan(trace.mean)]
    twice = int((np.diff(values) == 0).sum())
    polls = len(source.readings)
    how = f"{polls:,} polls in {REPEATS_S:.0f} s, {missed} missed, {stale} gaps"
    rate = len(values) / REPEATS_S
    return [
        Figure("meter at 20 Hz, values", f"{rate:.2f}", "1/s", "<= 10", how),
        Figure("meter at 20 Hz, repeats as values", str(twice), "", "0", how),
    ]


def many_channels(folder: Path) -> list[Figure]:
    """Processor time of a whole acquisition at about 500 channels."""
    with SimulatorProcess() as bench:
        sources = _sources(bench, shelves=SHELVES)
        recorder = _recorder(folder / "many.bayscope", [])
        for source in sources:
            recorder.watch(source)
        time.sleep(2.0)
        processor, begin = time.process_time(), time.perf_counter()
        time.sleep(MANY_S)
        share = (time.process_time() - processor) / (time.perf_counter() - begin)
        health = recorder.health()
        recorder.close()
    channels = sum(len(source.channels) for source in sources)
    missed = sum(one.missed for one in health.values())
    how = f"{channels} channels of {len(sources)} sources for {MANY_S:.0f} s"
    return [
        Figure("acquisition, processor", f"{100 * share:.1f}", "%", "<= 5", how),
        Figure("acquisition, polls missed", str(missed), "", "0", how),
    ]


def _sources(
    simulator: SimulatorProcess, shelves: int, period_s: float = 0.1
) -> list[Source]:
    """Make a meter, so many shelves more than one, and a sound meter."""
    bench = default_bench()
    keys = {"name": "mains", "driver": "hmc8015", "resource": "simulated"}
    bench = put_source(bench, "power", {**keys, "period": period_s}, instead_of="mains")
    for number in range(1, shelves):
        shelf = {"name": f"shelf{number}", "driver": "simulated"}
        bench = put_source(bench, "thermal", shelf)
    return build_sources(
        bench.at(simulator.meter_resource, simulator.enclosure_address)
    )


def _recorder(path: Path, told: list[tuple[int, int]]) -> Recorder:
    clock = SystemClock()
    info = SessionInfo(
        "benchmark", "", "", "bench", "0", True, "dut", clock.boot_id(), 0, 0
    )
    recorder = Recorder(
        path,
        info,
        clock=clock,
        notify=lambda until: told.append((until, time.monotonic_ns())),
    )
    recorder.start()
    return recorder


def _latencies(ends: list[int], told: list[tuple[int, int]]) -> Iterator[float]:
    """Find for each reading how many ms later it was durable."""
    place = 0
    for end in ends:
        while place < len(told) and told[place][0] < end:
            place += 1
        if place < len(told):
            yield (told[place][1] - end) / 1e6


def _at(ordered: list[float], share: float) -> str:
    if share == 0.5:
        return f"{statistics.median(ordered):.2f}"
    return f"{ordered[int(share * (len(ordered) - 1))]:.2f}"
