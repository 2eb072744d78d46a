"""What a failed link means, in words that a tired engineer understands."""

import errno
import re
import socket

from instruments.errors import SourceError, plain_words
from instruments.reading import Status

_UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN)
_UNPLUGGED = (errno.EIO, errno.ENODEV, errno.ENXIO, errno.EPIPE)
_DENIED = (errno.EACCES, errno.EPERM)


_NO_SOCKET = re.compile(r"TCPIP\d*::([^:]+)::(\d+)(::INSTR)?", re.IGNORECASE)
"""An address that was meant for a raw port: its number is read as a device's name."""


class BadAddressError(ValueError):
    """A resource string that names no instrument."""


def explain(
    error: Exception, where: str, timeout_s: float, waited_s: float = 0.0
) -> SourceError:
    """Say what a failure of the link means, in words that point to the way out.

    Args:
        error: What was raised below.
        where: The resource or address.
        timeout_s: The time that an answer may take, for the sentence.
        waited_s: Seconds until it was raised, where that was measured.
    """
    if waited_s >= timeout_s and _may_be_late(error):
        error = TimeoutError()
    found = _explained(error, where, timeout_s)
    if meant := _NO_SOCKET.fullmatch(where):
        found.way_out = (
            f"Is port {meant[2]} meant? Then it is "
            f'"TCPIP::{meant[1]}::{meant[2]}::SOCKET": without ::SOCKET the number is '
            "the name of a VXI-11 device."
        )
    return found


def _explained(error: Exception, where: str, timeout_s: float) -> SourceError:
    text = f"{error}"
    code = getattr(error, "abbreviation", "")
    if isinstance(error, ConnectionRefusedError):
        what = "connection refused"
        way_out = (
            "Check that it is switched on, that LAN is selected as its interface, and "
            "the port."
        )
        return SourceError(what, where=where, way_out=way_out)
    if _is_timeout(error, code, text):
        return SourceError(
            f"no answer within {timeout_s:g} s",
            where=where,
            way_out="Is it switched on, and does no other program talk to it?",
            status=Status.TIMEOUT,
        )
    device = _of_device(error, text)
    if isinstance(error, ConnectionError):
        what = "the connection was closed at the other end"
        way_out = "Was it switched off, or does another program talk to it?"
    elif isinstance(error, socket.gaierror):
        what, way_out = "no such host", "Check the spelling, or enter its IP address."
    elif device is not None:
        what, way_out = device
    elif isinstance(error, OSError) and error.errno in _UNREACHABLE:
        what, way_out = "the network does not reach it", "Check cable and address."
    elif isinstance(error, UnicodeError):
        what = "it answered with bytes that are not text"
        way_out = "Check that it is the right instrument and port."
    elif isinstance(error, BadAddressError) or code.startswith("VI_ERROR_INV_RSRC"):
        what = "this is not an address of an instrument"
        way_out = 'Expected one such as "TCPIP::192.0.2.5::5025::SOCKET".'
    else:
        what = f"it cannot be reached ({plain_words(error).rstrip('.')})"
        way_out = "Check its address and its cable."
    return SourceError(what, where=where or '""', way_out=way_out)


def _is_timeout(error: Exception, code: str, text: str) -> bool:
    # -1073807339 is VI_ERROR_TMO, which pyvisa-py puts into a bare Exception.
    return (
        isinstance(error, TimeoutError)
        or code == "VI_ERROR_TMO"
        or ("-1073807339" in text or "error_timeout" in text)
    )


def _may_be_late(error: Exception) -> bool:
    """Whether only the time tells a hung VXI-11 instrument from one that refuses.

    pyvisa-py makes an RPC without a reply the instrument's own I/O error, or its own
    "device not accessible", which is 3.
    """
    code = getattr(error, "abbreviation", "")
    return code == "VI_ERROR_IO" or f"{error}" == "error creating link: 3"


def _of_device(error: Exception, text: str) -> tuple[str, str] | None:
    """Say what is wrong with a serial or USB device, and the way out."""
    number = _number(error, text)
    if number in _UNPLUGGED or "device disconnected" in text:
        return "it has been unplugged", "Check its cable and its power."
    if number in _DENIED:
        way_out = "Join the group that owns it, such as dialout, or add a udev rule."
        return "you may not use this device", way_out
    if number == errno.EBUSY:
        return "another program uses this device", "Close the other program."
    if number == errno.ENOENT or text.startswith("No device found"):
        return "no such device is plugged in", "Check its cable and its name."
    if text.startswith("Please install") or "PyUSB does not seem" in text:
        what = "this kind of connection is not installed here"
        return what, "Use the LAN interface, or install libusb for USB."
    return None


def _number(error: Exception, text: str) -> int | None:
    """Get the error number; pyserial leaves it in the text of some of its errors."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    found = re.search(r"\[Errno (\d+)\]|\((\d+), '", text)
    return int(found[1] or found[2]) if found else None
