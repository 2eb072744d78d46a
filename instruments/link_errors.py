"""What a failed link means, in words that a tired engineer understands."""

import errno
import socket

from instruments.errors import SourceError
from instruments.reading import Status

_UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN)


class BadAddressError(ValueError):
    """A resource string that names no instrument."""


def explain(error: Exception, where: str, timeout_s: float) -> SourceError:
    """Say what a failure of the link means, in words that point to the way out.

    Args:
        error: What was raised below.
        where: The resource or address.
        timeout_s: The time that was waited, for the sentence.
    """
    text = f"{error}"
    code = getattr(error, "abbreviation", "")
    if isinstance(error, ConnectionRefusedError):
        what = "nothing listens there"
        way_out = "Is it switched on, its LAN interface chosen, and the port right?"
        return SourceError(what, where=where, way_out=way_out)
    if _is_timeout(error, code, text):
        return SourceError(
            f"no answer within {timeout_s:g} s",
            where=where,
            way_out="Is it switched on, and does no other program talk to it?",
            status=Status.TIMEOUT,
        )
    if isinstance(error, ConnectionError):
        what = "the connection was closed at the other end"
        way_out = "Was it switched off, or does another program talk to it?"
    elif isinstance(error, socket.gaierror):
        what, way_out = "no such host", "See the spelling, or give its IP address."
    elif isinstance(error, OSError) and error.errno in _UNREACHABLE:
        what, way_out = "the network does not reach it", "See the cable and address."
    elif isinstance(error, UnicodeError):
        what = "it answered with bytes that are no text"
        way_out = "Is it the instrument that is meant, and the port right?"
    elif isinstance(error, BadAddressError) or code.startswith("VI_ERROR_INV_RSRC"):
        what = "this is no address of an instrument"
        way_out = 'Expected one such as "TCPIP::192.0.2.5::5025::SOCKET".'
    elif text.startswith("Please install"):
        what = "this kind of connection is not installed here"
        way_out = "Use the LAN interface, or install what VISA needs for it."
    else:
        what = f"it cannot be reached ({text.strip().rstrip('.')})"
        way_out = "See its address and its cable."
    return SourceError(what, where=where or '""', way_out=way_out)


def _is_timeout(error: Exception, code: str, text: str) -> bool:
    # -1073807339 is VI_ERROR_TMO, which pyvisa-py puts into a bare Exception.
    return (
        isinstance(error, TimeoutError)
        or code == "VI_ERROR_TMO"
        or ("-1073807339" in text or "error_timeout" in text)
    )
