"""The simulated bench with a known offset, for the measures of the alignment."""

import contextlib
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from app.analysis.align.bursts import Burst
from app.record.store import Trace
from instruments.host.diskstats import Transfers, process_transfers
from instruments.reading import SECOND
from instruments.simulated.bench import BenchConfig, BenchModel
from instruments.simulated.calibration import FullScale
from instruments.simulated.load import LoadReader, Rates
from instruments.simulated.server import TICK_S, SimulatedBench

FULL_IOPS = 10_000.0
"""What the simulator takes for the most, and what fio is told to do."""

_PROC = Path("/proc")
_DIGIT_W = 0.006
"""The meter tells five digits; that much apart values are the same one."""


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
class Lab:
    """A running simulator, and what it has seen."""

    bench: SimulatedBench
    reader: _Noted

    def delay_ns(self, bursts: Sequence[Burst]) -> float:
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


@contextlib.contextmanager
def simulated_lab() -> Iterator[Lab]:
    """Start a simulator that follows only the fio that we start."""
    with SimulatedBench(BenchConfig()) as bench:
        reader = _Noted(bench.model)
        with bench.model.lock:
            bench.model.reader = reader
            full = bench.model.calibration.full
            bench.model.calibration.set(replace(full, read_iops=FULL_IOPS))
        yield Lab(bench, reader)
