"""The simulator: the one that a bench wants, and one for other programs."""

import contextlib
import errno
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from app.bench.model import Bench
from instruments.errors import BadInput, BenchError
from instruments.simulated.bench import BenchConfig
from instruments.simulated.lag import Lags
from instruments.simulated.process import SimulatorProcess
from instruments.simulated.server import SimulatedBench, serve
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


def simulate(
    *,
    port: int,
    faults: list[str],
    speedup: float,
    seed: int,
    target: Path | None,
    as_json: bool,
    tell: Callable[[str], None],
) -> None:
    """Serve the simulated bench and tell how to reach it.

    Args:
        port: TCP port of the meter, the enclosure gets the next one; 0 takes two
            free ones.
        faults: Faults from the start, such as "drop" or "silence,10,meter".
        speedup: How much faster than life drives warm and cool.
        seed: Makes the noise of the readings repeatable.
        target: The file whose disk the physics follows; None follows all disks.
        as_json: Tell the addresses as JSON.
        tell: Takes the text that says how to reach it.

    Raises:
        BadInput: A port, a fault or a speed-up that there is not.
        BenchError: A port is taken.
    """
    if not 0 <= port <= 65534:
        raise BadInput(
            f"the port is {port}", where="--port", way_out="Expected 0 to 65534."
        )

    def ready(bench: SimulatedBench) -> None:
        resource = f"TCPIP::127.0.0.1::{bench.meter_port}::SOCKET"
        address = f"127.0.0.1:{bench.enclosure_port}"
        if as_json:
            text = json.dumps({"meter": resource, "enclosure": address})
        else:
            text = _TEXT.format(resource=resource, address=address)
        tell(text)

    try:
        serve(BenchConfig(speedup, seed, target, tuple(faults)), port, ready=ready)
    except BenchError as error:
        cause = error.__context__
        if not isinstance(cause, OSError) or cause.errno != errno.EADDRINUSE:
            raise
        raise BenchError(
            "another program listens there",
            where=error.where,
            way_out="Choose another one with --port, or 0 for free ones.",
        ) from None


_TEXT = """Simulated bench, until Ctrl-C. For a bench.toml:

[[power]]
name = "mains"
driver = "hmc8015"
resource = "{resource}"

[[thermal]]
name = "enclosure"
driver = "simulated"
address = "{address}"

[[noise]]
name = "noise"
driver = "simulated"
address = "{address}"
"""
