"""Real processes that record until they are killed, and say what is committed.

`python -m` this module reads paths of session files, one a line. For each it forks a
process that records there, prints its number, and waits until somebody has killed it.
Forking saves importing everything anew for every kill.
"""

import os
import sys
import time
from pathlib import Path

from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Writer
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from tests.app.record.recording import INFO, NOISE, START, reading

COUNTED = (Channel("mains", "P", "W"),)


def write_fast(path: Path) -> None:
    """Record a counter with commits as fast as they go, to be killed anywhere.

    A reading is a second after the one before it, so a seal falls due every 51 commits.
    """
    writer = Writer.create(path, INFO)
    step = writer.add_step(1, "Idle", "idle", "")
    writer.update_step(step, outcome="running", start_ns=START)
    count = 0
    while True:
        for _ in range(20):
            raw = b"%d" % count
            at = START + count * SECOND
            writer.append([reading(COUNTED, at, float(count), raw=raw)])
            writer.append([reading(NOISE, at, 40.0)])
            count += 1
        writer.commit()
        _say("committed", count)
        time.sleep(0.004)


class Counter:
    """A source at 50 Hz that counts its readings."""

    name, section, driver, period_s = "counter", "power", "test", 0.02

    def __init__(self) -> None:
        self.channels = (Channel("counter", "P", "W", period_ns=SECOND // 50),)
        self._count = 0

    def open(self) -> Identity:
        """Say who it is."""
        return Identity("", "counter", "1", "", "")

    def read(self) -> Reading:
        """Count on."""
        now = time.monotonic_ns()
        self._count += 1
        values, fine = (float(self._count),), (Status.OK,)
        return Reading(self.channels, now, now, values, fine)

    def close(self) -> None:
        """Do nothing."""


def record(path: Path) -> None:
    """Record a source as the program does; tell up to when it is stored."""
    recorder = Recorder(path, INFO, clock=SystemClock(), notify=_tell)
    recorder.start()
    recorder.watch(Counter())
    while True:
        time.sleep(60)


def _tell(until_ns: int) -> None:
    _say("committed", until_ns)


def _say(word: str, number: int) -> None:
    """Write a line in one piece: print does not, where output is not buffered."""
    os.write(1, f"{word} {number}\n".encode())


def main() -> None:
    """Start a process a line, "how path", one after the other."""
    ways = {"write_fast": write_fast, "record": record}
    for line in sys.stdin:
        how, path = line.strip().split(" ", 1)
        child = os.fork()
        if child == 0:
            ways[how](Path(path))
        _say("started", child)
        _say("ended", os.waitpid(child, 0)[1])


if __name__ == "__main__":
    main()
