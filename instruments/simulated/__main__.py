"""The simulated bench as a separate program: `python -m instruments.simulated`."""

import argparse
import json
import sys
from pathlib import Path

from instruments.errors import BenchError
from instruments.simulated.bench import BenchConfig
from instruments.simulated.faults import NAMES
from instruments.simulated.lag import Lags
from instruments.simulated.meters.model import MODELS
from instruments.simulated.server import SimulatedBench, serve


def main() -> int:
    """Serve until a signal; print the ports as one line of JSON when ready."""
    parser = argparse.ArgumentParser(prog="instruments.simulated", description=__doc__)
    parser.add_argument("--port", type=int, default=5025, help="of the meter; 0: free")
    parser.add_argument("--enclosure-port", type=int, help="default: the next one")
    parser.add_argument("--speedup", type=float, default=1.0, help="of heat")
    parser.add_argument("--seed", type=int, default=1, help="of the noise")
    parser.add_argument("--target", type=Path, help="file whose disk is followed")
    parser.add_argument(
        "--meter", default="hmc8015", help=f"one of {', '.join(MODELS)}"
    )
    parser.add_argument("--vxi11-port", type=int, help="of the meter; 0: free")
    parser.add_argument("--serial", action="store_true", help="a line for the meter")
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="NAME[,SECONDS][,meter|enclosure]",
        help=f"one of {', '.join(NAMES)}",
    )
    for name, what in (
        ("power-lag", "seconds by which power follows the load later"),
        ("sound-lag", "likewise, of the sound"),
        ("delay", "seconds by which each answer comes later"),
    ):
        parser.add_argument(f"--{name}", type=float, default=0.0, help=what)
    given = parser.parse_args()
    config = BenchConfig(
        given.speedup,
        given.seed,
        given.target,
        tuple(given.fault),
        given.meter,
        Lags(given.power_lag, given.sound_lag, given.delay),
    )
    try:
        serve(
            config,
            given.port,
            given.enclosure_port,
            vxi11_port=given.vxi11_port,
            serial=given.serial,
            ready=_print_ports,
        )
    except BenchError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def _print_ports(bench: SimulatedBench) -> None:
    ports = {"meter": bench.meter_port, "enclosure": bench.enclosure_port}
    print(json.dumps({**ports, **bench.ways}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
