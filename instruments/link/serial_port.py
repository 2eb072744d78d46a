"""Bytes to a meter and back over a serial port, with bounded waits."""

import errno
import select
import termios
from contextlib import suppress
from pathlib import Path

import serial  # type: ignore[import-untyped]  # pyserial has no types
from serial.tools import list_ports  # type: ignore[import-untyped]

from instruments.errors import SourceError, plain_words
from instruments.reading import Status

_WRITE_TIMEOUT_S = 1.0
_FAILURES = (OSError, ValueError, TypeError, termios.error)
"""What pyserial raises where a port vanished; an error of termios is not an OSError."""

_PSEUDO_TERMINALS = Path("/dev/pts")


class SerialPort:
    """An opened serial port that no other program reads from.

    Args:
        device: Path, such as "/dev/ttyUSB0" or one below /dev/serial/by-id.
        baud: Bits a second.
        where: The source and its address, for errors.
        flow_control: Whether RTS and CTS say who may send.

    Raises:
        SourceError: It is not there, not allowed, or taken.
    """

    def __init__(
        self, device: str, baud: int, where: str, *, flow_control: bool = False
    ) -> None:
        self._where = where
        try:
            self._port = serial.Serial(
                device,
                baud,
                timeout=0,  # read() gives what is there; select() does the waiting
                write_timeout=_WRITE_TIMEOUT_S,
                rtscts=flow_control,
                exclusive=True,  # two readers would each get a part of an answer
            )
        except _FAILURES as error:
            raise _not_opened(error, where) from error

    def read(self, most: int, timeout_s: float) -> bytes:
        """Read what has come, or wait for the first of it.

        Args:
            most: Number of bytes that are wanted at most.
            timeout_s: Seconds to wait; what came until then is returned.

        Raises:
            SourceError: The port is gone.
        """
        try:
            ready, _, _ = select.select([self._port], [], [], max(0.0, timeout_s))
            return bytes(self._port.read(most)) if ready else b""
        except _FAILURES as error:
            raise self._gone() from error

    def write(self, data: bytes) -> None:
        """Send bytes.

        Raises:
            SourceError: The port is gone, or does not take them.
        """
        try:
            self._port.write(data)
        except serial.SerialTimeoutException as error:
            raise SourceError(
                "the meter takes no commands",
                where=self._where,
                way_out="Switch it off and on.",
                status=Status.TIMEOUT,
            ) from error
        except _FAILURES as error:
            raise self._gone() from error

    def discard(self) -> None:
        """Forget what came unasked.

        Raises:
            SourceError: The port is gone.
        """
        try:
            self._port.reset_input_buffer()
        except _FAILURES as error:
            raise self._gone() from error

    def close(self) -> None:
        """Let go of the port; may be called twice."""
        with suppress(*_FAILURES):
            self._port.close()

    def _gone(self) -> SourceError:
        self.close()
        return SourceError(
            "the serial port is gone",
            where=self._where,
            way_out="Was the meter unplugged or switched off?",
            status=Status.ABSENT,
        )


def is_pseudo_terminal(device: str) -> bool:
    """Whether no hardware is behind a device, as with the simulated meters."""
    return Path(device).resolve().is_relative_to(_PSEUDO_TERMINALS)


def usb_ports() -> list[tuple[str, int, int, str]]:
    """List serial ports on USB: device, vendor, product and a label.

    The device is the name below /dev/serial/by-id where there is one, since it stays
    the same when ports are plugged in another order.
    """
    ports = []
    by_id = {link.resolve(): link for link in Path("/dev/serial/by-id").glob("*")}
    for port in list_ports.comports():
        if port.vid is None:  # a port of the board, not of USB
            continue
        device = by_id.get(Path(port.device).resolve(), Path(port.device))
        parts = (port.manufacturer, port.product, port.serial_number)
        label = " ".join(part for part in parts if part) or port.description
        ports.append((str(device), port.vid, port.pid, label))
    return ports


def _not_opened(error: Exception, where: str) -> SourceError:
    code = getattr(error, "errno", None)
    if code in (errno.ENOENT, errno.ENXIO, errno.ENODEV):
        what, status = "no such serial port", Status.ABSENT
        way_out = "Check the cable; `ls /dev/serial/by-id` shows what is plugged in."
    elif code in (errno.EACCES, errno.EPERM):
        what, status = "you may not open the serial port", Status.ERROR
        way_out = "Add yourself to the group dialout, then log in again."
    # pyserial's own words where flock() finds it taken: "Could not exclusively lock".
    elif code in (errno.EBUSY, errno.EAGAIN) or "lock" in str(error):
        what, status = "another program uses the serial port", Status.ERROR
        way_out = "Close that program."
    else:
        what, status = (
            f"the serial port does not open ({plain_words(error).rstrip('.')})",
            Status.ERROR,
        )
        way_out = "Check the device's name."
    return SourceError(what, where=where, way_out=way_out, status=status)
