"""What can go wrong with a simulated device, by name."""

import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from instruments.settings import did_you_mean
from instruments.simulated.lag import Lags

LATE_S = 2.5
"""Longer than any driver of ours waits."""

SLOW_S = 0.7
"""Long, but not longer than a driver of ours waits."""

PIECE_PAUSE_S = 0.002
REBOOT_S = 20.0


class Port(StrEnum):
    """The two ports of the simulated bench."""

    METER = "meter"
    ENCLOSURE = "enclosure"


class HangUp(Exception):  # noqa: N818  (no error: the end of a connection)
    """The connection is to be closed."""


Deliver = Callable[[socket.socket, bytes], None]


def _whole(connection: socket.socket, answer: bytes) -> None:
    connection.sendall(answer)


def _drop(connection: socket.socket, answer: bytes) -> None:
    connection.sendall(answer[: len(answer) // 2])
    raise HangUp


def _reset(connection: socket.socket, answer: bytes) -> None:
    connection.sendall(answer[: len(answer) // 2])
    at_once = struct.pack("ii", 1, 0)  # closing then resets the connection
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
    raise HangUp


def _slow(connection: socket.socket, answer: bytes) -> None:
    time.sleep(SLOW_S)
    connection.sendall(answer)


def _silence(_connection: socket.socket, _answer: bytes) -> None:
    pass


def _late(connection: socket.socket, answer: bytes) -> None:
    time.sleep(LATE_S)
    connection.sendall(answer)


def _garbage(connection: socket.socket, answer: bytes) -> None:
    connection.sendall(b"\xff#?" + answer[::-1].strip() + b"\n")


def _pieces(connection: socket.socket, answer: bytes) -> None:
    for index in range(len(answer)):
        connection.sendall(answer[index : index + 1])
        time.sleep(PIECE_PAUSE_S)


def _half(connection: socket.socket, answer: bytes) -> None:
    connection.sendall(answer[: len(answer) // 2])


DELIVERIES: dict[str, Deliver] = {
    "drop": _drop,
    "reset": _reset,
    "silence": _silence,
    "late": _late,
    "slow": _slow,
    "garbage": _garbage,
    "pieces": _pieces,
    "half": _half,
}
"""How an answer is sent under a fault: drop closes the connection in the middle of
it and reset resets it there, silence sends nothing, late is later than anyone waits
and slow is not, garbage is not text, pieces come byte by byte, half ends too early."""

REFUSE = "refuse"
"""Nothing listens, and who was connected is cut off."""

REBOOT = "reboot"
"""Nothing listens for 20 s, and then the meter has lost its settings."""

SINGLE = "single"
"""A second client is let in and cut off at once, as some instruments do."""

KICK = "kick"
"""A second client is let in and the first is cut off, as others do."""

FROZEN = "frozen"
"""The meter answers with the same values for ever."""

NAN = "nan"
"""The meter has no values for some refreshes now and then."""

# Faults under which nothing listens at the port.
AWAY = (REFUSE, REBOOT)
NAMES = (*DELIVERIES, REFUSE, REBOOT, SINGLE, KICK, FROZEN, NAN)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault as it was asked for.

    Attributes:
        name: One of `NAMES`.
        ports: Where it shows.
        seconds: How long it lasts; None for ever.
    """

    name: str
    ports: frozenset[Port] = frozenset(Port)
    seconds: float | None = None


def parse_fault(text: str) -> Fault:
    """Read "NAME[,seconds][,meter|enclosure]".

    Raises:
        ValueError: Says what was expected.
    """
    name, *details = (part.strip().lower() for part in text.split(","))
    if name not in NAMES:
        raise ValueError(
            f'no fault is called "{name}"{did_you_mean(name, NAMES)}; there are '
            f"{', '.join(NAMES)}"
        )
    ports = frozenset(Port)
    seconds = None
    for detail in details:
        if detail in frozenset(Port):  # in any order with the seconds
            ports = frozenset({Port(detail)})
            continue
        try:
            seconds = float(detail)
        except ValueError:
            seconds = -1.0
        if not seconds > 0.0:
            raise ValueError(f'"{detail}" is neither seconds nor meter nor enclosure')
    if name == REBOOT and seconds is None:
        seconds = REBOOT_S
    return Fault(name, ports, seconds)


class Faults:
    """The fault at each port, if any, until its time is over.

    Args:
        clock: Gives seconds.
        lags: How late answers are without a fault.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, lags: Lags | None = None
    ) -> None:
        self._clock = clock
        self._lags = lags or Lags()
        self._until: dict[Port, tuple[str, float]] = {}

    def set(self, fault: Fault) -> None:
        """Begin a fault; it replaces another one at the same port."""
        end = float("inf") if fault.seconds is None else self._clock() + fault.seconds
        self._until |= dict.fromkeys(fault.ports, (fault.name, end))

    def clear(self) -> None:
        """End every fault."""
        self._until = {}

    def at(self, port: Port) -> str:
        """Get the name of the fault at a port, or ""."""
        name, end = self._until.get(port, ("", 0.0))
        return name if self._clock() < end else ""

    def delivery(self, port: Port) -> Deliver:
        """Get the way in which answers are sent at a port."""
        deliver = DELIVERIES.get(self.at(port), _whole)

        def deliver_later(connection: socket.socket, answer: bytes) -> None:
            time.sleep(self._lags.answer)
            deliver(connection, answer)

        return deliver_later if self._lags.answer else deliver
