"""Recordings that are really killed, for the tests of recovery and of opening."""

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[4]


@dataclass(frozen=True)
class Kill:
    """What was known when the process died.

    Attributes:
        acknowledged: The last number it had printed as committed.
        at_ns: Monotonic time of the kill.
    """

    acknowledged: int
    at_ns: int


class Killer:
    """Starts recordings and kills them."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.app.record.store.recording_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout

    def kill(self, path: Path, seconds: float, how: str = "write_fast") -> Kill:
        """Record into a new file; kill that some time after its first commit."""
        print(how, path, file=self._input, flush=True)
        lines: list[str] = []
        pid = 0
        while not (pid and any(line.startswith("committed") for line in lines)):
            lines.append(self._output.readline())
            if lines[-1].startswith("started"):
                pid = int(lines[-1].split()[1])
            assert lines[-1], "the recording ended by itself"
        time.sleep(seconds)
        os.kill(pid, signal.SIGKILL)
        at_ns = time.monotonic_ns()
        while not lines[-1].startswith("ended"):
            lines.append(self._output.readline())
        assert lines[-1].split() == ["ended", str(int(signal.SIGKILL))]
        told = [line for line in lines if line.startswith("committed ")]
        return Kill(int(told[-1].split()[1]), at_ns)

    def kill_somewhen(self, path: Path, seed: int) -> Kill:
        """Kill at a random moment of the first third of a second."""
        return self.kill(path, random.Random(seed).uniform(0.0, 0.3))

    def close(self) -> None:
        """End the process that starts them."""
        self._input.close()
        self._output.close()
        self._process.wait()
