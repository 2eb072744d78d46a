"""Measures of the alignment step: what is left of a known offset, with real fio."""

import contextlib
import statistics
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from app.analysis.align.bursts import Burst
from app.analysis.align.result import Alignment
from app.analysis.align.step import align_step
from app.campaign.phases.load import run_load
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session, SessionInfo
from instruments.power.hmc8015.driver import HMC8015
from instruments.reading import SECOND
from tests.benchmarks.figure import Figure
from tests.benchmarks.simulated_lab import FULL_IOPS, Lab, simulated_lab
from workloads.fio.load import Fio
from workloads.fio_job import FioJob
from workloads.target.scratch import Scratch, prepare

RUNS = 20
BURSTS = 5
SHIFTS_S = (-1.5, 1.5)
"""Between these a clock of the meter is set wrong, so that the true offset is known."""

LENGTHS_S = (1.5, 2.6)
SIZE = 64 * 1024 * 1024
_SHARED = Path("/dev/shm")
_OPTIONS = {
    **{"rw": "randread", "bs": "4k", "ioengine": "psync"},
    **{"norandommap": "1", "randrepeat": "0", "rate_iops": f"{FULL_IOPS:.0f}"},
}
"""A rate that a busy machine keeps, too: what is measured is the step, not the load."""


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
        lab = stack.enter_context(simulated_lab())
        done = [
            _run(folder / f"run{number}.bayscope", lab, scratch, random)
            for number in range(runs or RUNS)
        ]
    return _figures(done)


def _run(path: Path, lab: Lab, scratch: Scratch, random: Random) -> _Run:
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
        bursts = [_burst(recorder, scratch, random) for _ in range(BURSTS)]
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


def _burst(recorder: Recorder, scratch: Scratch, random: Random) -> Burst:
    job = _job(scratch, round(random.uniform(*LENGTHS_S), 3))
    result = run_load(Fio(job), recorder, is_over=lambda: False, started=lambda _: None)
    time.sleep(random.uniform(*LENGTHS_S))
    if result.window is None:
        raise RuntimeError(f"fio measured nothing: {result.reason}")
    return Burst(*result.window)


def _job(scratch: Scratch, seconds: float) -> FioJob:
    return FioJob(
        *("clap", (scratch.path,), scratch.size, seconds, 0.0, scratch.direct), _OPTIONS
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
