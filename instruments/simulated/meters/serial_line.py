"""A meter's serial way in: a pseudo-terminal whose other end is the meter."""

import os
import pty
import select
import threading
import tty
from abc import ABC, abstractmethod

from instruments.simulated.faults import Faults, Port
from instruments.simulated.listener import Answer

_POLL_S = 0.1


class PseudoTerminal(ABC):
    """A serial device whose other end a thread of ours has.

    Whoever is one has made all that `_serve` wants before the thread begins here.

    Attributes:
        path: The device a client opens, such as "/dev/pts/3".
    """

    def __init__(self) -> None:
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)  # else the terminal echoes, and turns CR into LF
        self.path = os.ttyname(self._slave)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="serial", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Pull the plug: the device vanishes; may be called twice."""
        if not self._closing.is_set():
            self._closing.set()
            self._thread.join()
            os.close(self._slave)
            os.close(self._master)

    def _heard(self, timeout_s: float) -> bytes:
        """Read what came in meanwhile."""
        readable, _, _ = select.select([self._master], [], [], timeout_s)
        return os.read(self._master, 4096) if readable else b""

    @abstractmethod
    def _serve(self) -> None:
        """Do what the device does until `_closing` is set."""


class SerialLine(PseudoTerminal):
    """Answers lines at a pseudo-terminal.

    Args:
        answer: Gives the answer to a line, None for no answer.
        faults: What goes wrong at the meter: silence, half, garbage and late.
    """

    kind = "serial"

    def __init__(self, answer: Answer, faults: Faults) -> None:
        self._answer = answer
        self._faults = faults
        super().__init__()

    @property
    def resource(self) -> str:
        """VISA resource string."""
        return f"ASRL{self.path}::INSTR"

    def _serve(self) -> None:
        heard = b""
        while not self._closing.is_set():
            heard += self._heard(_POLL_S)
            while b"\n" in heard:
                line, _, heard = heard.partition(b"\n")
                self._respond(line.decode("utf-8", "replace"))

    def _respond(self, line: str) -> None:
        answer = self._answer(line)
        if answer is None:
            return
        content = answer.encode() + b"\n"
        match self._faults.at(Port.METER):
            case "silence":
                return
            case "half" | "drop":
                content = content[: len(content) // 2]
            case "garbage":
                content = b"\xff#?" + content[::-1].strip() + b"\n"
            case "late":
                self._closing.wait(2.5)
        os.write(self._master, content)
