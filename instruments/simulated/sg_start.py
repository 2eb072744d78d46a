"""A stand-in for sg_start on the drives of the simulated bench, and on no others.

It is a separate program that needs nothing but Python's library, so that sixty of
them start quickly. Conditions and modifiers are those of START STOP UNIT (SBC-3).
"""

import argparse
import json
import os
import socket
import sys
import time

ADDRESS = "BAYSCOPE_SIMULATOR"
PREFIX = "simulated:slot"
SELF = "sg_start (simulated)"
LONGEST_S = 60.0
_LOOK_S = 0.5
_WAKING = "waking"
CONDITIONS = {
    (1, 0): "active",
    (2, 0): "idle_a",
    (2, 1): "idle_b",
    (2, 2): "idle_c",
    (3, 0): "standby_z",
    (3, 1): "standby_y",
}


class _Simulator:
    """The port of the enclosure: a line out, a line back."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), 10.0)
        self._lines = self._socket.makefile("r", encoding="ascii")

    def ask(self, line: str) -> str:
        self._socket.sendall(line.encode() + b"\n")
        answer = self._lines.readline().strip()
        if not answer or answer.startswith("ERROR"):
            raise OSError(answer[6:] or "the simulator did not answer")
        return answer

    def state(self, slot: int) -> str:
        conditions: dict[str, str] = json.loads(self.ask("SIMulate:DRIVe?"))
        return conditions[f"slot{slot:02d}"]


def main() -> int:
    """Bring one simulated drive to a power condition; return the exit code."""
    parser = argparse.ArgumentParser(prog="sg_start", description=__doc__)
    parser.add_argument("--pc", type=int, required=True, help="power condition, 1 to 3")
    parser.add_argument("--mod", type=int, default=0, help="its modifier, 0 to 2")
    parser.add_argument("--immed", "-i", action="store_true", help="do not wait")
    parser.add_argument("device", help=f"such as {PREFIX}07")
    given = parser.parse_args()
    slot = given.device.removeprefix(PREFIX)
    if slot == given.device or not slot.isdecimal():
        return _refuse(f"{given.device} is not a simulated drive, expected {PREFIX}07")
    condition = CONDITIONS.get((given.pc, given.mod))
    if condition is None:
        return _refuse(f"there is no condition {given.pc} with modifier {given.mod}")
    try:
        return _bring(int(slot), condition, waits=not given.immed)
    except (OSError, ValueError, KeyError) as error:
        return _refuse(f"{given.device}: {error}")


def _bring(slot: int, condition: str, *, waits: bool) -> int:
    simulator = _Simulator(os.environ.get(ADDRESS, ""))
    began = time.monotonic()
    before = simulator.state(slot)  # for the record of the run
    simulator.ask(f"SIMulate:DRIVe {slot},{condition.upper()}")
    while waits and simulator.state(slot) == _WAKING:
        if time.monotonic() - began > LONGEST_S:
            return _refuse(f"slot{slot:02d} is not {condition} after {LONGEST_S:g} s")
        time.sleep(_LOOK_S)
    took = time.monotonic() - began
    print(f"{SELF}: slot{slot:02d} from {before} to {condition}, {took:.1f} s")
    return 0


def _refuse(why: str) -> int:
    print(f"{SELF}: {why}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
