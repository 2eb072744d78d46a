"""What a failed link means, in words that a tired engineer understands."""

import errno
import re
import socket

from instruments.errors import SourceError, plain_words
from instruments.reading import Status

_UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN)
# EIO from a serial port, ENODEV and ENXIO from USB, EPIPE where it had hung up before.
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
    explained = _explained(error, where, timeout_s)
    if address := _NO_SOCKET.fullmatch(where):
        host, port = address[1], address[2]
        explained.way_out = (
            f'Is port {port} meant? Then it is "TCPIP::{host}::{port}::SOCKET": '
            "without ::SOCKET the number is the name of a VXI-11 device."
        )
    return explained


def _explained(error: Exception, where: str, timeout_s: float) -> SourceError:
    text = f"{error}"
    code = getattr(error, "abbreviation", "")
    if _is_timeout(error, code, text):
        return SourceError(
            f"no answer within {timeout_s:g} s",
            where=where,
            way_out="Is it switched on, and does no other program talk to it?",
            status=Status.TIMEOUT,
        )
    what, way_out = _meaning(error, code, text)
    return SourceError(what, where=where or '""', way_out=way_out)


def connected(address: str, where: str, timeout_s: float) -> socket.socket:
    """Connect to "host:port" over TCP.

    Args:
        address: Host and port, such as "192.0.2.5:5025".
        where: What is connected, for messages.
        timeout_s: Seconds that connecting, and then sending, may take.

    Raises:
        SourceError: Nothing listens there, or the address is invalid.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise SourceError(
            f'the address is "{address}"',
            where=where,
            way_out='Expected host and port, such as "192.0.2.5:5025".',
        )
    try:
        return socket.create_connection((host, int(port)), timeout_s)
    except OSError as error:
        raise explain(error, where, timeout_s) from error


_BAD_ADDRESS = (
    "this is not an address of an instrument",
    'Expected one such as "TCPIP::192.0.2.5::5025::SOCKET".',
)
_BY_KIND: tuple[tuple[type[Exception], str, str], ...] = (
    (
        ConnectionRefusedError,
        "connection refused",
        "Check that it is switched on, that LAN is selected as its interface, and the "
        "port.",
    ),
    (
        ConnectionError,
        "the connection was closed at the other end",
        "Was it switched off, or does another program talk to it?",
    ),
    (socket.gaierror, "no such host", "Check the spelling, or enter its IP address."),
    (
        UnicodeError,
        "it answered with bytes that are not text",
        "Check that it is the right instrument and port.",
    ),
    (BadAddressError, *_BAD_ADDRESS),
)
"""What a kind of error means, and the way out; the first that fits counts."""


def _meaning(error: Exception, code: str, text: str) -> tuple[str, str]:
    for kind, what, way_out in _BY_KIND:
        if isinstance(error, kind):
            return what, way_out
    if device := _of_device(error, text):
        return device
    if isinstance(error, OSError) and error.errno in _UNREACHABLE:
        return "the network does not reach it", "Check cable and address."
    if code.startswith("VI_ERROR_INV_RSRC"):
        return _BAD_ADDRESS
    what = f"it cannot be reached ({plain_words(error).rstrip('.')})"
    return what, "Check its address and its cable."


def _is_timeout(error: Exception, code: str, text: str) -> bool:
    # -1073807339 is VI_ERROR_TMO, which pyvisa-py puts into a bare Exception where a
    # connection is not made in time: 'could not connect: -1073807339'.
    return (
        isinstance(error, TimeoutError)
        or code == "VI_ERROR_TMO"
        or ("-1073807339" in text or "error_timeout" in text)
    )


def _may_be_late(error: Exception) -> bool:
    """Whether only the time distinguishes a hung VXI-11 instrument from a refusal.

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
    number = re.search(r"\[Errno (\d+)\]|\((\d+), '", text)
    return int(number[1] or number[2]) if number else None
