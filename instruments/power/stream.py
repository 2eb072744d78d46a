"""Bytes from a meter that sends unasked: over TCP, or through a serial port."""

import selectors
import socket
from contextlib import suppress
from typing import Protocol

from instruments.link.errors import connected, explain
from instruments.link.serial_port import SerialPort

_PIECE = 65_536


class Stream(Protocol):
    """A way to a meter, used by the one thread that opened it."""

    def send(self, line: bytes) -> None:
        """Send bytes.

        Raises:
            SourceError: They could not be sent.
        """
        ...

    def receive(self, timeout_s: float) -> bytes:
        """Get what has come, waiting for it as long as this; b"" for nothing.

        Raises:
            SourceError: The connection is gone.
        """
        ...

    def close(self) -> None:
        """Let go; may be called twice."""
        ...


class SocketStream:
    """A TCP connection.

    Args:
        address: Host and port, such as "192.0.2.5:5025".
        where: What is connected, for messages.
        timeout_s: Seconds that connecting and sending may take.

    Raises:
        SourceError: Nothing listens there, or the address is invalid.
    """

    def __init__(self, address: str, where: str, timeout_s: float) -> None:
        self._where = where
        self._timeout_s = timeout_s
        self._socket = connected(address, where, timeout_s)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._waiting = selectors.DefaultSelector()
        self._waiting.register(self._socket, selectors.EVENT_READ)

    def send(self, line: bytes) -> None:
        """Send bytes; see `Stream`."""
        try:
            self._socket.sendall(line)
        except OSError as error:
            raise explain(error, self._where, self._timeout_s) from error

    def receive(self, timeout_s: float) -> bytes:
        """Get what has come; see `Stream`."""
        try:
            if not self._waiting.select(max(0.0, timeout_s)):
                return b""
            piece = self._socket.recv(_PIECE)
            if not piece:  # the other end has closed
                raise ConnectionAbortedError
        except OSError as error:
            raise explain(error, self._where, self._timeout_s) from error
        return piece

    def close(self) -> None:
        """Let go; see `Stream`."""
        self._waiting.close()
        with suppress(OSError):
            self._socket.close()


class SerialStream:
    """A serial port: 8 data bits, no parity, and RTS and CTS for flow control.

    Args:
        device: Its node, such as "/dev/ttyUSB0".
        where: What is connected, for messages.
        baud: Bits a second.

    Raises:
        SourceError: It cannot be opened.
    """

    def __init__(self, device: str, where: str, baud: int) -> None:
        self._port = SerialPort(device, baud, where, flow_control=True)

    def send(self, line: bytes) -> None:
        """Send bytes; see `Stream`."""
        self._port.write(line)

    def receive(self, timeout_s: float) -> bytes:
        """Get what has come; see `Stream`."""
        return self._port.read(_PIECE, timeout_s)

    def close(self) -> None:
        """Let go; see `Stream`."""
        self._port.close()
