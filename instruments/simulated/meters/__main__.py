"""One simulated meter alone: `python -m instruments.simulated.meters yokogawa`."""

import argparse
import json
import sys

from instruments.errors import BenchError
from instruments.simulated.faults import NAMES
from instruments.simulated.meters.model import PERSONALITIES
from instruments.simulated.server import serve


def main() -> int:
    """Serve until a signal; print the port as one line of JSON when ready."""
    parser = argparse.ArgumentParser(
        prog="instruments.simulated.meters", description=__doc__
    )
    parser.add_argument("meter", choices=tuple(PERSONALITIES))
    parser.add_argument("--port", type=int, default=0, help="0, the default: free")
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="NAME[,SECONDS]",
        help=f"one of {', '.join(NAMES)}",
    )
    given = parser.parse_args()
    try:
        serve(
            given.port,
            enclosure_port=0,
            faults=given.fault,
            meter=given.meter,
            ready=lambda meter, _: print(json.dumps({"meter": meter}), flush=True),
        )
    except BenchError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
