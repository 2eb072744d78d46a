"""The simulated bench as a child of ours: started, known by its ports, stopped."""

import json
import os
import select
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from instruments.errors import BenchError
from instruments.simulated.lag import Lags
from instruments.tools import command

START_S = 15.0  # Python's start on a machine that is busy with a load
STOP_S = 3.0


class SimulatorProcess:
    """A simulated bench in its own process, which dies with this one.

    Entering a `with` block starts it, leaving the block stops it.

    Args:
        speedup: How much faster than life drives warm and cool.
        seed: Makes the noise of the measurement repeatable.
        target: The file or device whose load is followed; None follows all disks.
        faults: Faults from the start, such as "drop" or "silence,10,meter".
        port: TCP port of the meter; 0 takes a free one.
        lags: How late its instruments are.
    """

    def __init__(
        self,
        *,
        speedup: float = 20.0,
        seed: int = 1,
        target: Path | None = None,
        faults: Sequence[str] = (),
        port: int = 0,
        lags: Lags | None = None,
    ) -> None:
        late = lags or Lags()
        self._arguments = [
            *("--port", str(port), "--enclosure-port", "0"),
            *("--speedup", str(speedup), "--seed", str(seed)),
            *(("--target", str(target)) if target is not None else ()),
            *(part for fault in faults for part in ("--fault", fault)),
            *("--power-lag", str(late.power), "--sound-lag", str(late.sound)),
            *("--delay", str(late.answer)),
        ]
        self._running: command.Running | None = None
        self.meter_port = 0
        self.enclosure_port = 0

    @property
    def pid(self) -> int:
        """Process id while it runs, else 0."""
        return self._running.pid if self._running else 0

    @property
    def meter_resource(self) -> str:
        """VISA resource string of the meter."""
        return f"TCPIP::127.0.0.1::{self.meter_port}::SOCKET"

    @property
    def enclosure_address(self) -> str:
        """Host and port of the enclosure and the sound meter."""
        return f"127.0.0.1:{self.enclosure_port}"

    def start(self) -> None:
        """Start it and wait until clients can connect.

        Raises:
            BenchError: It did not start; says why.
        """
        self.stop()
        root = str(Path(__file__).parents[2])
        # Its own copy of this code, wherever the process is started from.
        path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
        running = command.start(
            [sys.executable, "-m", "instruments.simulated", *self._arguments],
            env={"PYTHONPATH": path},
        )
        try:
            ports = json.loads(_first_line(running))
            self.meter_port = int(ports["meter"])
            self.enclosure_port = int(ports["enclosure"])
        except BaseException:
            running.close()
            raise
        self._running = running

    def stop(self) -> None:
        """Stop it; may be called twice."""
        running, self._running = self._running, None
        if running is not None:
            running.send_signal(signal.SIGTERM)
            running.wait(STOP_S)
            running.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _first_line(running: command.Running) -> bytes:
    """Wait for the line that says it is ready; raises BenchError without one."""
    deadline = time.monotonic() + START_S
    line = b""
    while not line.endswith(b"\n"):
        left = deadline - time.monotonic()
        readable, _, _ = select.select([running.stdout], [], [], max(0.0, left))
        piece = os.read(running.stdout.fileno(), 4096) if readable else b""
        if not piece:
            running.wait(1.0 if readable else 0.0)
            complaint = running.stderr_text().strip().splitlines()
            raise BenchError(
                complaint[-1].rstrip(".") if complaint else "it did not become ready",
                where="simulated bench",
                way_out="Check whether this machine is very busy, and try again.",
            )
        line += piece
    return line
