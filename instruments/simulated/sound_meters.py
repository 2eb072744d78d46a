"""Sound level meters on a pseudo-terminal: a DT-8852 and an NSRT mk3.

Run `python -m instruments.simulated.sound_meters dt8852` and put the path it prints
into a bench as `device`.
"""

import argparse
import math
import os
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum

from instruments.simulated.meters.serial_line import PseudoTerminal

Level = Callable[[], float]
_BEAT_S = 0.05


class Fault(StrEnum):
    """What a simulated meter can do wrong."""

    NONE = "none"
    SILENT = "silent"
    GARBAGE = "garbage"
    FROZEN = "frozen"
    CUT = "cut"


def fan_noise() -> float:
    """Compute a level in dB that wanders about 46 dB, as that of a shelf's fans."""
    now = time.monotonic()
    return 46.0 + 0.6 * math.sin(now / 7) + 0.4 * math.sin(now * 11.3)


class PtyMeter(PseudoTerminal):
    """A meter behind a pseudo-terminal, on its own thread.

    Attributes:
        fault: What it does wrong; `CUT` sends half of an answer.

    Args:
        level: Gives the level in dB.
    """

    def __init__(self, level: Level = fan_noise) -> None:
        self.fault = Fault.NONE
        self._level = level
        self._held = level()
        super().__init__()

    def measured(self) -> float:
        """Get the level in dB, always the same while it is frozen."""
        if self.fault is not Fault.FROZEN:
            self._held = self._level()
        return self._held

    def beat(self) -> bytes:
        """Say what it sends unasked, 20 times a second."""
        return b""

    def answer(self, data: bytes) -> bytes:  # noqa: ARG002  (for those that answer)
        """Answer what came in."""
        return b""

    def _serve(self) -> None:
        due = time.monotonic()
        while not self._closing.is_set():
            heard = self._heard(_BEAT_S)
            reply = self.answer(heard) if heard else b""
            if time.monotonic() >= due:
                due += _BEAT_S
                reply += self.beat()
            with suppress(BlockingIOError):
                self.send(reply)

    def send(self, reply: bytes) -> None:
        """Send bytes, changed as the fault has it."""
        if self.fault is Fault.GARBAGE and reply:
            # Below 0x80, so that no A5 of a DT-8852 is among them.
            reply = bytes((byte * 7 + 3) % 0x80 for byte in reply)
        elif self.fault is Fault.CUT:
            reply = reply[: len(reply) // 2]
        if reply and self.fault is not Fault.SILENT:
            os.set_blocking(self._master, False)  # nobody may be reading
            os.write(self._master, reply)


# Each key steps through these tokens of its setting, round and round.
_KEYS = {
    0x99: ("weighting", (0x1B, 0x1C)),
    0x77: ("speed", (0x02, 0x03)),
    0x11: ("hold", (0x0E, 0x04, 0x05)),
    0x88: ("range", (0x40, 0x30, 0x4B, 0x4C)),
}


class SimulatedDt8852(PtyMeter):
    """A DT-8852 that sends its settings and level, and misses every other command.

    Attributes:
        settings: Tokens of weighting, speed, hold and range, as its keys left them.
        limit: Token that says whether the level is in range.
        battery: Token of the battery.

    Args:
        level: Gives the level in dB.
    """

    def __init__(self, level: Level = fan_noise) -> None:
        self.settings = {"weighting": 0x1C, "speed": 0x03, "hold": 0x04, "range": 0x30}
        self.limit = 0x11
        self.battery = 0x1F
        self._is_deaf = False
        super().__init__(level)

    def beat(self) -> bytes:
        """Send all settings, a bar-graph and a display level."""
        # The last two: it does not record, and its memory is free.
        tokens = (*self.settings.values(), self.limit, self.battery, 0x1A, 0x19)
        level = bytes.fromhex(f"{round(self.measured() * 10):04d}")
        head = b"".join(bytes([0xA5, token]) for token in tokens)
        clock = b"\xa5\x06\x21\x15\x30"  # bit 5 of the hour is PM: 01:15:30 PM
        return (
            head
            + clock
            + b"\xa5\x0d\x09\x99\xa5\x0c"  # a bar-graph, which is not a display level
            + (b"\xa5\x0d" + level + b"\xa5\x0b")
        )

    def answer(self, data: bytes) -> bytes:
        """Take keys; every other one is missed."""
        for byte in data:
            self._is_deaf = not self._is_deaf
            if byte in _KEYS and not self._is_deaf:
                name, tokens = _KEYS[byte]
                place = tokens.index(self.settings[name]) + 1
                self.settings[name] = tokens[place % len(tokens)]
        return b""


class SimulatedNsrt(PtyMeter):
    """An NSRT mk3 that answers level, Leq, settings and its name.

    Attributes:
        weighting: 0 is C, 1 is A, 2 is Z.
        tau: Time constant in s.
        texts: Answers to 31, 32 and 33.

    Args:
        level: Gives the level in dB.
    """

    def __init__(self, level: Level = fan_noise) -> None:
        self.weighting = 0
        self.tau = 1.0
        self.texts = {0x31: "NSRT_mk3_Dev", 0x32: "SIM00001", 0x33: "1.0"}
        self._pending = b""
        super().__init__(level)

    def answer(self, data: bytes) -> bytes:
        """Answer each command that is complete."""
        self._pending += data
        reply = b""
        while len(self._pending) >= 12:
            command, _, count = struct.unpack("<LLL", self._pending[:12])
            is_write = command < 0x80000000
            end = 12 + (count if is_write else 0)
            if len(self._pending) < end:
                break
            payload, self._pending = self._pending[12:end], self._pending[end:]
            reply += self._write(command, payload) if is_write else self._tell(command)
        return reply

    def _tell(self, command: int) -> bytes:
        code = command & 0xFF
        if code in (0x10, 0x11):
            return struct.pack("<f", self.measured())
        if code == 0x20:
            return bytes([self.weighting])
        if code == 0x22:
            return struct.pack("<f", self.tau)
        return self.texts.get(code, "").encode().ljust(32, b"\0")

    def _write(self, command: int, payload: bytes) -> bytes:
        if command == 0x20:
            self.weighting = payload[0]
        elif command == 0x22:
            (self.tau,) = struct.unpack("<f", payload)
        return b"\x06"


_METERS: dict[str, type[PtyMeter]] = {"dt8852": SimulatedDt8852, "nsrt": SimulatedNsrt}


def main() -> None:
    """Run one meter until interrupted; print the device to open."""
    parser = argparse.ArgumentParser(description="A simulated sound level meter.")
    parser.add_argument("meter", choices=sorted(_METERS))
    faults = [str(fault) for fault in Fault]
    parser.add_argument("--fault", choices=faults, default="none")
    given = parser.parse_args()
    meter = _METERS[given.meter]()
    meter.fault = Fault(given.fault)
    print(meter.path, flush=True)
    with suppress(KeyboardInterrupt):
        threading.Event().wait()
    meter.close()


if __name__ == "__main__":
    main()
