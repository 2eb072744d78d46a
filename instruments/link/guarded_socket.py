"""A socket under pyvisa-py that says when its peer has gone, or answers for ever."""

import select
import socket
import time
from typing import Any

_LOOKED_AT = 4096
_LONGEST = 2**22  # bytes of an answer


class GuardedSocket:
    """Raises where pyvisa-py would wait.

    pyvisa-py reads b"" in a loop until the time-out, burning a core, and it starts
    its time-out anew with every piece that comes.

    Args:
        plain: The connected socket.
        timeout_s: Seconds an answer may take, all its pieces together.
    """

    def __init__(self, plain: socket.socket, timeout_s: float) -> None:
        self._plain = plain
        self._timeout_s = timeout_s
        self._deadline = float("inf")
        self._was_late = False
        self._left = _LONGEST

    def fileno(self) -> int:
        """Get the descriptor, for select."""
        return self._plain.fileno()

    def send(self, data: bytes) -> int:
        """Send; the time for the answer begins."""
        self._begin()
        return self._plain.send(data)

    def sendall(self, data: bytes) -> None:
        """Send all; the time for the answer begins."""
        self._begin()
        self._plain.sendall(data)

    def recv(self, size: int) -> bytes:
        """Receive; what is there when the time is over is taken, but nothing after it.

        It may be all of the answer, and this machine was what stood still.

        Raises:
            TimeoutError: The answer does not end.
            ConnectionAbortedError: The peer has closed the connection.
        """
        if self._was_late:
            raise TimeoutError("the answer does not end")
        self._was_late = time.monotonic() > self._deadline
        data = self._plain.recv(size)
        if not data:
            raise ConnectionAbortedError("the peer has closed the connection")
        self._left -= len(data)
        if self._left < 0:
            raise TimeoutError("the answer does not end")
        return data

    def waiting(self) -> bytes:
        """Look at what is there already, without waiting and without taking it."""
        poll = select.poll()
        poll.register(self._plain, select.POLLIN)
        # One that is gone, or was never there, is left for the question to find.
        if [events for _, events in poll.poll(0)] != [select.POLLIN]:
            return b""
        return self._plain.recv(_LOOKED_AT, socket.MSG_PEEK)

    def _begin(self) -> None:
        self._deadline = time.monotonic() + self._timeout_s
        self._was_late = False
        self._left = _LONGEST

    def close(self) -> None:
        """Close."""
        self._plain.close()

    def __getattr__(self, name: str) -> Any:  # options, which pyvisa-py may ask for
        return getattr(self._plain, name)


def guard(inner: Any, timeout_s: float) -> None:
    """Put a guarded socket under a session of pyvisa-py that has a socket.

    The attributes are not public; where they are missing, pyvisa-py's own time-out
    still bounds all.

    Args:
        inner: The backend's session: a raw socket's, or that of VXI-11 with a client
            of RPC in between.
        timeout_s: Seconds an answer may take.
    """
    interface = getattr(inner, "interface", None)
    if isinstance(interface, socket.socket):
        inner.interface = _guarded(interface, timeout_s)
    elif isinstance(plain := getattr(interface, "sock", None), socket.socket):
        # A time-out of VXI-11 is the instrument's own answer, and comes as late.
        client: Any = interface
        client.sock = _guarded(plain, 2.0 * timeout_s)


def unasked(inner: Any) -> bytes:
    """Get what a raw socket's peer has sent unasked; b"" for nothing.

    Its answers are shifted by then: each would be taken for that of the next question.
    White space is none, some instruments end their lines with more than was agreed.

    Args:
        inner: The backend's session; where it has no raw socket nothing is found.
    """
    interface = getattr(inner, "interface", None)
    if not isinstance(interface, GuardedSocket):
        return b""
    pending = bytes(getattr(inner, "_pending_buffer", b""))
    return (pending + interface.waiting()).strip()


def cut(inner: Any) -> None:
    """Close the socket of a lost VXI-11 session, which else asks to be let go."""
    link = getattr(getattr(inner, "interface", None), "sock", None)
    if isinstance(link, GuardedSocket | socket.socket):
        link.close()


def _guarded(plain: socket.socket, timeout_s: float) -> GuardedSocket:
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return GuardedSocket(plain, timeout_s)
