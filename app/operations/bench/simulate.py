"""Be a simulated bench for other programs, until a signal ends it."""

import errno
import json
from collections.abc import Callable
from pathlib import Path

from instruments.errors import BadInput, BenchError
from instruments.simulated.bench import BenchConfig
from instruments.simulated.server import SimulatedBench, serve


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
