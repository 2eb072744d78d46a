"""Bring a bench up and down: its simulator, where it wants one, and its sources."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from app.bench.model import Bench
from instruments.errors import BadInput
from instruments.simulated.lag import Lags
from instruments.simulated.process import SimulatorProcess
from workloads.target.targets import find_targets


@contextlib.contextmanager
def running_bench(bench: Bench) -> Iterator[Bench]:
    """Start the simulator that a bench wants; yield the bench with its addresses.

    Raises:
        BenchError: The simulator did not start.
    """
    wants = bench.simulated is not None and bench.simulated.start
    if not wants or not bench.is_simulated or bench.simulated is None:
        yield bench
        return
    with SimulatorProcess(
        speedup=bench.simulated.speedup,
        seed=bench.simulated.seed,
        target=_first_target(bench),
        lags=Lags(
            bench.simulated.power_lag, bench.simulated.sound_lag, bench.simulated.delay
        ),
    ) as simulator:
        yield bench.at(simulator.meter_resource, simulator.enclosure_address)


def _first_target(bench: Bench) -> Path:
    """Get the target that the simulator follows, the first one of several."""
    with contextlib.suppress(BadInput):
        return find_targets(bench.dut.targets)[0]
    return bench.dut.targets[0]
