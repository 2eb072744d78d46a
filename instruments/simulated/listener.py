"""A TCP port of the simulated bench: clients and faults, and lines in and out."""

import socket
import struct
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import suppress

from instruments.errors import BenchError
from instruments.simulated.faults import AWAY, KICK, SINGLE, Faults, HangUp, Port

_LONGEST_LINE = 65_536
# How soon a port that waits for clients sees that a fault has begun or ended.
_POLL_S = 0.1

Answer = Callable[[str], str | None]


class Listener(ABC):
    """Listens on a port of this machine, with a thread for each client.

    Args:
        port: Which of the two ports of the bench it is.
        number: TCP port; 0 takes a free one.
        faults: What goes wrong.

    Raises:
        BenchError: The port is taken, or not ours to take.
    """

    def __init__(self, port: Port, number: int, faults: Faults) -> None:
        self._port = port
        self._faults = faults
        self._clients: dict[socket.socket, threading.Thread] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._socket: socket.socket | None = listen(port, number)
        self.number: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, name=f"{port} port")
        self._thread.daemon = True
        self._thread.start()

    def close(self) -> None:
        """Stop listening and cut off every client."""
        self._closing.set()
        if self._socket is not None:
            wake(self._socket)
        self._thread.join()
        self._stop_listening()
        for thread in self._hang_up():
            thread.join()

    @abstractmethod
    def converse(self, connection: socket.socket) -> None:
        """Talk to a client until it goes; called by its own thread."""

    def _accept(self) -> None:
        while not self._closing.is_set():
            if self._faults.at(self._port) in AWAY:
                self._stop_listening()
                self._hang_up()
                self._closing.wait(_POLL_S)
                continue
            if self._socket is None:
                try:
                    self._socket = listen(self._port, self.number)
                except BenchError:  # somebody else took it meanwhile
                    self._closing.wait(_POLL_S)
                    continue
            try:
                connection, _ = self._socket.accept()
            except OSError:  # a time-out, or the end
                continue
            self._take_in(connection)

    def _take_in(self, connection: socket.socket) -> None:
        with self._lock:
            fault = self._faults.at(self._port)
            if self._clients and fault == SINGLE:
                connection.close()
                return
            if fault == KICK:
                _cut_off(self._clients)
            thread = threading.Thread(
                target=self._serve, args=(connection,), name=f"{self._port} client"
            )
            thread.daemon = True
            self._clients[connection] = thread
        thread.start()

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(None)
        # Answers in pieces are to come as pieces, without Nagle's delay.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            with connection:
                self.converse(connection)
        except (OSError, HangUp, struct.error):
            pass  # The client has gone, is sent away, or talks nonsense.
        finally:
            with self._lock:
                self._clients.pop(connection, None)

    def _stop_listening(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _hang_up(self) -> list[threading.Thread]:
        with self._lock:
            clients = dict(self._clients)
        _cut_off(clients)
        return list(clients.values())


class LineListener(Listener):
    """Answers lines.

    Args:
        port: Which of the two ports of the bench it is.
        number: TCP port; 0 takes a free one.
        faults: What goes wrong.
        answer: Gives the answer to a line, None for no answer.
        unfailing: Whether a line is answered in spite of a fault.
        terminator: What ends an answer.

    Raises:
        BenchError: The port is taken, or not ours to take.
    """

    def __init__(
        self,
        port: Port,
        number: int,
        faults: Faults,
        answer: Answer,
        *,
        unfailing: Callable[[str], bool] = lambda _: False,
        terminator: str = "\n",
    ) -> None:
        self._answer = answer
        self._unfailing = unfailing
        self._end = terminator.encode()
        super().__init__(port, number, faults)

    def push(self, line: str) -> None:
        """Send a line that nobody asked for to every client."""
        with self._lock:
            clients = list(self._clients)
        for connection in clients:
            content = line.encode() + self._end
            try:
                self._faults.delivery(self._port)(connection, content)
            except OSError:
                pass  # The client has gone.
            except HangUp:
                _cut_off([connection])

    def converse(self, connection: socket.socket) -> None:
        """Answer line after line; see `Listener`."""
        with connection.makefile("rb") as lines:
            while line := lines.readline(_LONGEST_LINE):
                self._respond(connection, line.decode("utf-8", "replace"))

    def _respond(self, connection: socket.socket, line: str) -> None:
        answer = self._answer(line)
        if answer is None:
            return
        content = answer.encode() + self._end
        if self._unfailing(line):
            connection.sendall(content)
        else:
            self._faults.delivery(self._port)(connection, content)


def wake(listening: socket.socket) -> None:
    """Let a thread that waits for clients look up at once."""
    with suppress(OSError):
        listening.shutdown(socket.SHUT_RDWR)


def _cut_off(connections: Iterable[socket.socket]) -> None:
    for connection in connections:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)


def listen(port: Port, number: int) -> socket.socket:
    """Listen on a TCP port of this machine, looking up now and then.

    Raises:
        BenchError: The port is taken, or not ours to take.
    """
    try:
        listening = socket.create_server(("127.0.0.1", number))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BenchError(
            f"the {port} port cannot be opened ({reason})",
            where=f"port {number}",
            way_out="Another program has it; choose another port, or 0 for a free one.",
        ) from None
    listening.settimeout(_POLL_S)
    return listening
