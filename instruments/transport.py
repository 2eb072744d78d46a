"""How a driver talks to an instrument: lines of text over VISA.

A transport is given to a driver, and a transport that failed is finished: after a
time-out the late answer would be taken for the next one, so the owner closes and
opens again instead of asking twice.
"""

import socket
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from instruments.errors import SourceError
from instruments.link_errors import BadAddressError, explain

if TYPE_CHECKING:
    from pyvisa.resources import MessageBasedResource

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
    *IDN? at once.

    Args:
        resource: VISA resource string, such as "TCPIP::192.0.2.5::5025::SOCKET".
        timeout_s: Seconds an answer may take.

    Raises:
        SourceError: The resource string is wrong, or it cannot be opened.
    """

    def __init__(self, resource: str, timeout_s: float = TIMEOUT_S) -> None:
        self._resource = resource
        self._timeout_s = timeout_s
        self._owner = threading.get_ident()
        self._session: MessageBasedResource | None = None
        try:
            self._session = _open(resource, timeout_s)
        except Exception as error:  # pyvisa-py raises bare Exception
            raise explain(error, resource, timeout_s) from error

    def query(self, message: str) -> str:
        """Send a line and get the answer; see `Transport`."""
        session = self._opened()
        try:
            answer: str = session.query(message)
        except Exception as error:  # whatever it is, the link is lost
            self.close()
            raise explain(error, self._resource, self._timeout_s) from error
        return answer.strip()

    def write(self, message: str) -> None:
        """Send a line; see `Transport`."""
        session = self._opened()
        try:
            session.write(message)
        except Exception as error:  # whatever it is, the link is lost
            self.close()
            raise explain(error, self._resource, self._timeout_s) from error

    def close(self) -> None:
        """Let go of the instrument; see `Transport`."""
        self._check_owner()
        session, self._session = self._session, None
        if session is not None:
            with suppress(Exception):  # it is gone either way
                session.close()

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
        read_termination="\n",
        write_termination="\n",
        timeout=round(timeout_s * 1000),
        open_timeout=round(timeout_s * 1000),
    )
    if not isinstance(session, MessageBasedResource):
        session.close()
        raise ValueError("this kind of resource does not exchange messages")
    _guard(session, timeout_s)
    return session


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


def _guard(session: "MessageBasedResource", timeout_s: float) -> None:
    """Put a guarded socket under a socket session of pyvisa-py.

    The attribute is not public; where it is missing the time-out still bounds all.
    """
    sessions: Any = getattr(session.visalib, "sessions", {})
    inner = sessions.get(session.session)
    plain = getattr(inner, "interface", None)
    if isinstance(plain, socket.socket):
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        inner.interface = _GuardedSocket(plain, timeout_s)


class _GuardedSocket:
    """A socket that says when its peer has gone, and when an answer takes for ever.

    pyvisa-py reads b"" in a loop until the time-out, burning a core, and it starts
    its time-out anew with every piece that comes.
    """

    def __init__(self, plain: socket.socket, timeout_s: float) -> None:
        self._plain = plain
        self._timeout_s = timeout_s
        self._deadline = float("inf")

    def fileno(self) -> int:
        return self._plain.fileno()

    def send(self, data: bytes) -> int:
        self._deadline = time.monotonic() + self._timeout_s
        return self._plain.send(data)

    def recv(self, size: int) -> bytes:
        if time.monotonic() > self._deadline:
            raise TimeoutError("the answer does not end")
        data = self._plain.recv(size)
        if not data:
            raise ConnectionAbortedError("the peer has closed the connection")
        return data

    def close(self) -> None:
        self._plain.close()

    def __getattr__(self, name: str) -> Any:  # options, which pyvisa-py may ask for
        return getattr(self._plain, name)
