"""How a driver talks to an instrument: lines of text over VISA.

A transport is given to a driver, and a transport that failed is finished: after a
time-out the late answer would be taken for the next one, so the owner closes and
opens again instead of asking twice.
"""

import select
import socket
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from instruments.errors import SourceError
from instruments.link.errors import BadAddressError, explain

_LOOKED_AT = 4096  # bytes; enough to name in an error what came unasked


class GuardedSocket:
    """Raises where pyvisa-py would wait.

    pyvisa-py reads b"" in a loop until the time-out, burning a core, and it starts
    its time-out again with every piece that comes.

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
    White space does not count: some instruments end lines with more than was agreed.

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
    # Without it a query after a write waits for the delayed acknowledgement, some 40 ms
    # with Linux at the other end.
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return GuardedSocket(plain, timeout_s)


if TYPE_CHECKING:
    from pyvisa.resources import MessageBasedResource

_LONGEST = 2**22  # bytes of an answer, as of a socket

TIMEOUT_S = 1.5
"""Ample for an instrument with a 100 ms beat; the longest a lost peer is missed."""


class Transport(Protocol):
    """Lines to an instrument and back, used by the one thread that opened it."""

    def query(self, message: str) -> str:
        """Send a line and get the answer without its terminator.

        Raises:
            SourceError: No answer; the transport is closed by then.
        """
        ...

    def write(self, message: str) -> None:
        """Send a line that is not answered.

        Raises:
            SourceError: It could not be sent; the transport is closed by then.
        """
        ...

    def close(self) -> None:
        """Let go of the instrument; may be called twice."""
        ...


class TransportFactory(Protocol):
    """What opens a transport: `VisaTransport`, or a script in tests."""

    def __call__(self, resource: str, timeout_s: float) -> Transport:
        """Open the resource; raises SourceError."""
        ...


class VisaTransport:
    """A VISA resource through pyvisa and its Python backend.

    Opening a socket resource succeeds even where nothing listens, so a driver asks
    *IDN? at once. What an earlier user of a VXI-11, USB or serial instrument did not
    fetch is thrown away.

    Args:
        resource: VISA resource string, such as "TCPIP::192.0.2.5::5025::SOCKET",
            "TCPIP::192.0.2.5::INSTR" for VXI-11, "USB0::0x0AAD::0x0135::1::INSTR"
            or "ASRL/dev/ttyACM0::INSTR".
        timeout_s: Seconds an answer may take.

    Raises:
        SourceError: The resource string is wrong, or it cannot be opened.
    """

    def __init__(self, resource: str, timeout_s: float = TIMEOUT_S) -> None:
        self._resource = resource
        self._timeout_s = timeout_s
        self._owner = threading.get_ident()
        self._session: MessageBasedResource | None = None
        began = time.monotonic()
        try:
            self._session = _open(resource, timeout_s)
        except Exception as error:  # pyvisa-py raises bare Exception
            waited_s = time.monotonic() - began
            raise explain(error, resource, timeout_s, waited_s) from error

    def query(self, message: str) -> str:
        """Send a line and get the answer; see `Transport`."""
        session = self._opened()
        self._refuse_unasked(session)
        began = time.monotonic()
        try:
            session.write(message)
            answer = _answer(session, self._timeout_s)
        except Exception as error:  # whatever it is, the link is lost
            raise self._lost(error, began) from error
        return answer.strip()

    def write(self, message: str) -> None:
        """Send a line; see `Transport`."""
        session = self._opened()
        began = time.monotonic()
        try:
            session.write(message)
        except Exception as error:  # whatever it is, the link is lost
            raise self._lost(error, began) from error

    def close(self) -> None:
        """Let go of the instrument; see `Transport`."""
        self._check_owner()
        session, self._session = self._session, None
        if session is not None:
            with suppress(Exception):  # it is gone either way
                session.close()
            session.session = None  # else it is closed again when it is collected

    def _refuse_unasked(self, session: "MessageBasedResource") -> None:
        try:
            came = unasked(_inner(session))
        except OSError as error:  # it went in this very moment
            raise self._lost(error, time.monotonic()) from error
        if came:
            self._lose()
            shown = came[:40].decode("ascii", "replace")
            raise SourceError(
                f'it sent "{shown}" although nothing was asked',
                where=self._resource,
                way_out="Its answers would be taken for those of other questions, so "
                "it is being connected again. Does another program talk to it?",
            )

    def _lost(self, error: Exception, began: float) -> SourceError:
        waited_s = time.monotonic() - began
        self._lose()
        return explain(error, self._resource, self._timeout_s, waited_s)

    def _lose(self) -> None:
        if self._session is not None:
            cut(_inner(self._session))
        self.close()

    def _opened(self) -> "MessageBasedResource":
        self._check_owner()
        if self._session is None:
            raise SourceError(
                "the connection is closed after an error",
                where=self._resource,
                way_out="It is opened again at the next try.",
            )
        return self._session

    def _check_owner(self) -> None:
        # Without a lock in pyvisa-py, answers go to the wrong thread silently.
        if threading.get_ident() != self._owner:
            raise RuntimeError(f"{self._resource} is used by a thread it is not of")


def _open(resource: str, timeout_s: float) -> "MessageBasedResource":
    # Imported here because it takes longer than the rest of the program's start.
    import pyvisa  # noqa: PLC0415
    from pyvisa.resources import MessageBasedResource  # noqa: PLC0415

    _check(resource)
    session = pyvisa.ResourceManager("@py").open_resource(
        resource,
        # Both are needed: for sockets pyvisa has none for reading, and "\r\n" to write.
        read_termination="\n",
        write_termination="\n",
        timeout=round(timeout_s * 1000),
        open_timeout=round(timeout_s * 1000),
    )
    if not isinstance(session, MessageBasedResource):
        session.close()  # of a board, such as GPIB0::INTFC
        raise ValueError("this kind of resource does not exchange messages")
    guard(_inner(session), timeout_s)
    _throw_away(session)
    return session


def _answer(session: "MessageBasedResource", timeout_s: float) -> str:
    """Read a line; pyvisa would read endlessly where one never ends.

    Raises:
        TimeoutError: It does not end.
    """
    from pyvisa.constants import StatusCode  # noqa: PLC0415

    more = StatusCode.success_max_count_read
    answer = b""
    end = time.monotonic() + timeout_s
    with session.ignore_warning(more, StatusCode.success_device_not_present):
        status = more
        while status == more:
            if len(answer) > _LONGEST or (answer and time.monotonic() > end):
                raise TimeoutError("the answer does not end")
            piece, status = session.visalib.read(session.session, session.chunk_size)
            answer += piece
    return answer.decode("ascii")


def _inner(session: "MessageBasedResource") -> Any:
    """Get the backend's session; the attribute is pyvisa-py's own."""
    sessions: Any = getattr(session.visalib, "sessions", {})
    return sessions.get(session.session)


def _throw_away(session: "MessageBasedResource") -> None:
    """Throw away an answer that an earlier user did not fetch."""
    from pyvisa.constants import BufferOperation  # noqa: PLC0415

    name = session.resource_name
    with suppress(Exception):  # not every instrument can be cleared
        if name.startswith("ASRL"):
            session.flush(BufferOperation.discard_read_buffer)
        elif name.endswith("INSTR"):
            session.clear()


def _check(resource: str) -> None:
    """Find what is wrong with an address before a backend trips over it."""
    from pyvisa import rname  # noqa: PLC0415

    try:
        name = rname.ResourceName.from_string(resource)
    except rname.InvalidResourceName as error:
        raise BadAddressError from error
    if isinstance(name, rname.TCPIPSocket):
        if not (name.port.isdecimal() and 0 < int(name.port) < 65536):
            raise BadAddressError
        # pyvisa-py knows IPv4 only.
        socket.getaddrinfo(name.host_address, int(name.port), socket.AF_INET)
