"""Measures of the alignment step: what is left of a known offset, with real fio."""

import contextlib
import os
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np

from app.analysis.align_bursts import Burst
from app.analysis.align_result import Alignment
from app.analysis.align_step import align_step
from app.campaign.load import run_load
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session, SessionInfo, Trace
from instruments.host.diskstats import Transfers, process_transfers
from instruments.power.hmc8015 import HMC8015
from instruments.reading import SECOND
from instruments.simulated.bench import BenchConfig, BenchModel
from instruments.simulated.calibration import FullScale
from instruments.simulated.load import LoadReader, Rates
from instruments.simulated.server import TICK_S, SimulatedBench
from tests.benchmarks.figure import Figure
from workloads.fio import Fio
from workloads.fio_job import FioJob
from workloads.scratch import Scratch, prepare

RUNS = 20
BURSTS = 5
SHIFTS_S = (-1.5, 1.5)
"""Between these a clock of the meter is set wrong, so that the true offset is known."""

LENGTHS_S = (1.5, 2.6)
SIZE = 64 * 1024 * 1024
_SHARED, _PROC = Path("/dev/shm"), Path("/proc")
_OPTIONS = {
    **{"rw": "randread", "bs": "4k", "ioengine": "psync"},
    **{"norandommap": "1", "randrepeat": "0", "rate_iops": "10000"},
}
"""A rate that a busy machine keeps, too: what is measured is the step, not the load."""

FULL_IOPS = 10_000.0
_DIGIT_W = 0.006
"""The meter tells five digits; that much apart values are the same one."""


@dataclass(frozen=True)
class _Run:
    """One run: what was found, and the offset that is true for it, in ns."""

    found: Alignment
    by_trace: Alignment
    true_ns: float

    def residual_ms(self, found: Alignment) -> float | None:
        """What is left of the offset when the found one is applied."""
        if found.offset_ns is None:
            return None
        return (found.offset_ns - self.true_ns) / 1e6


def alignment(folder: Path, runs: int | None = None) -> list[Figure]:
    """Bursts of real random reads, recorded, and the offset found in the session.

    The scratch file lies in memory and only our own fio counts as the load, so that
    other programs on this machine are not measured along.
    """
    random = Random(20)
    with contextlib.ExitStack() as stack:
        place = folder
        if _SHARED.is_dir():
            place = Path(stack.enter_context(TemporaryDirectory(dir=_SHARED)))
        never = threading.Event()
        scratch = prepare(place / "scratch.dat", SIZE, never, lambda _: None)
        stack.callback(scratch.close)
        lab = stack.enter_context(_simulator())
        done = [
            _run(folder / f"run{number}.bayscope", lab, scratch, random)
            for number in range(runs or RUNS)
        ]
    return _figures(done)


def model_delay_ns(ratio: float) -> float:
    """Work out how late the simulated meter is half way up an ideal edge.

    The bench's own equations are fed with a load that begins at a known moment, at
    twenty phases of their tick; nothing here is measured. What comes on top of it is
    how long a value waits to be read.

    Args:
        ratio: Of the load's rate to what the simulator takes for the most.
    """
    found = []
    for phase in np.arange(0.5, 20) / 20:
        model = BenchModel(BenchConfig())
        model.calibration.set(FullScale(1e9, 1e9, 1000.0, 1000.0))
        reader = _Scripted()
        reader.most = 1000.0 * ratio
        model.reader = reader
        idle = model.enclosure.watts
        shown = []
        for tick in range(1, 40):
            reader.share = min(1.0, max(0.0, tick - float(phase)))
            model.advance(TICK_S)
            shown.append(model.enclosure.watts - idle)
        after = (np.arange(1, 40) - phase) * TICK_S
        found.append(float(np.interp(shown[-1] / 2, shown, after)))
    return statistics.mean(found) * SECOND


class _Scripted(LoadReader):
    """Random reads at a share of a rate."""

    most = 1000.0
    share = 0.0

    def rates(self, seconds: float) -> Rates:
        iops = self.most * self.share
        return Rates(iops, 0.0, 4096.0 * iops, 0.0)


class _Noted(LoadReader):
    """What our own fio transfers, whatever else the machine does.

    Notes when it is asked, which is when the meter refreshes, and what that showed.
    """

    def __init__(self, model: BenchModel) -> None:
        super().__init__()
        self._model = model
        self.asked: list[int] = []
        self.shown: list[float] = []
        self.behind: list[float] = []
        self.iops: list[float] = []
        self._before: dict[int, Transfers] = {}

    def rates(self, seconds: float) -> Rates:
        now = {
            process: transfers
            for process, transfers in process_transfers("fio", _PROC).items()
            if _parent(process) == os.getpid()
        }
        moved = Transfers()
        for process, transfers in now.items():
            moved += transfers.since(self._before.get(process, Transfers()))
        self._before = now
        # What is shown by now came of the refresh before.
        self.shown.append(self._model.acquisition.values["P"])
        self.behind.append(self._model.acquisition._time)
        self.asked.append(time.monotonic_ns())
        self.iops.append(moved.reads / seconds)
        return Rates(self.iops[-1], 0.0, moved.read_bytes / seconds, 0.0)


def _parent(process: int) -> int:
    try:
        text = (_PROC / str(process) / "stat").read_text(encoding="utf-8")
    except OSError:
        return 0  # it has ended meanwhile
    return int(text.rpartition(")")[2].split()[1])


@dataclass(frozen=True)
class _Lab:
    bench: SimulatedBench
    reader: _Noted

    def delay_ns(self, bursts: list[Burst]) -> float:
        """Work out the delay of the model under the rate that these bursts had."""
        at, iops = np.array(self.reader.asked), np.array(self.reader.iops)
        first = [
            iops[(at > b.start_ns + SECOND // 5) & (at < b.start_ns + SECOND)]
            for b in bursts
        ]
        return model_delay_ns(float(np.concatenate(first).mean()) / FULL_IOPS)

    def waited_ns(self, read: Trace, shift: int) -> float:
        """Get how old a value was when it was read, on average.

        It waits since its refresh, and its window had ended before that: the windows
        of the simulated meter and its ticks do not keep step.
        """
        at, shown = np.array(self.reader.asked[:-1]), np.array(self.reader.shown[1:])
        behind = np.array(self.reader.behind[1:]) * SECOND
        waits = []
        for when, value in zip(read.times - shift, read.mean, strict=True):
            near = np.flatnonzero(np.abs(at - when) < 3 * TICK_S * SECOND)
            same = near[np.abs(shown[near] - value) < _DIGIT_W]
            if same.size == 1:
                waits.append(float(when - at[same[0]] + behind[same[0]]))
        return statistics.mean(waits)


@contextmanager
def _simulator() -> Iterator[_Lab]:
    with SimulatedBench(BenchConfig()) as bench:
        reader = _Noted(bench.model)
        with bench.model.lock:
            bench.model.reader = reader
            full = bench.model.calibration.full
            bench.model.calibration.set(replace(full, read_iops=FULL_IOPS))
        yield _Lab(bench, reader)


def _run(path: Path, lab: _Lab, scratch: Scratch, random: Random) -> _Run:
    clock = SystemClock()
    shift = round(random.uniform(*SHIFTS_S) * SECOND)
    meter = HMC8015(
        "mains",
        f"TCPIP::127.0.0.1::{lab.bench.meter_port}::SOCKET",
        clock=lambda: clock.monotonic_ns() + shift,
    )
    info = SessionInfo(
        "alignment", "", "", "bench", "0", True, "dut", clock.boot_id(), 0, 0
    )
    recorder = Recorder(path, info, clock=clock)
    recorder.start()
    try:
        recorder.watch(meter)
        recorder.call(lambda writer: writer.introduce_load("fio"))
        time.sleep(3.0)
        start = clock.monotonic_ns()
        bursts = [_burst(recorder, clock, scratch, random) for _ in range(BURSTS)]
        end = clock.monotonic_ns()
        time.sleep(3.0)
    finally:
        recorder.close()
    with Session.open(path) as session:
        [found] = align_step(session, (start, end), bursts)
        [by_trace] = align_step(session, (start, end))
        read = session.trace("mains.P", (start + shift, end + shift))
    late = shift + lab.delay_ns(bursts) + lab.waited_ns(read, shift)
    return _Run(found, by_trace, -late)


def _burst(
    recorder: Recorder, clock: SystemClock, scratch: Scratch, random: Random
) -> Burst:
    job = _job(scratch, round(random.uniform(*LENGTHS_S), 3))
    result = run_load(
        Fio(job), recorder, clock, is_over=lambda: False, started=lambda _: None
    )
    time.sleep(random.uniform(*LENGTHS_S))
    if result.window is None:
        raise RuntimeError(f"fio measured nothing: {result.reason}")
    return Burst(*result.window)


def _job(scratch: Scratch, seconds: float) -> FioJob:
    return FioJob(
        *("clap", scratch.path, scratch.size, seconds, 0.0, scratch.direct), _OPTIONS
    )


def _figures(runs: list[_Run]) -> list[Figure]:
    figures = []
    for number, run in enumerate(runs, 1):
        left = run.residual_ms(run.found)
        figures.append(
            Figure(
                f"alignment, run {number}",
                "refused" if left is None else f"{left:+.1f}",
                "" if left is None else "ms",
                "",
                f"true {run.true_ns / 1e6:+.1f} ms, {run.found}",
            )
        )
    for name, chosen in (
        ("windows of the loads", [run.residual_ms(run.found) for run in runs]),
        ("2 Hz traces only", [run.residual_ms(run.by_trace) for run in runs]),
    ):
        known = [one for one in chosen if one is not None]
        refused = len(chosen) - len(known)
        how = f"{len(known)} runs, {refused} refused, bursts by the {name}"
        worst = max((abs(one) for one in known), default=float("nan"))
        mean = statistics.mean(known) if known else float("nan")
        spread = statistics.stdev(known) if len(known) > 1 else float("nan")
        figures += [
            Figure("alignment, worst residual", f"{worst:.1f}", "ms", "<= 50", how),
            Figure("alignment, mean residual", f"{mean:+.1f}", "ms", "", how),
            Figure("alignment, standard deviation", f"{spread:.1f}", "ms", "", how),
        ]
    return figures
