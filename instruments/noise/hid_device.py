"""USB devices of the class HID through hidapi, opened by serial number or as the one.

hidapi (BSD) is kept well and brings its own library; nothing of it is imported until
a device is asked for.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

from instruments.errors import SourceError
from instruments.reading import Status


class Hid(Protocol):
    """An opened device; hidapi's own object, or a fake in tests."""

    def write(self, data: bytes) -> int:
        """Send a report; fewer bytes than given, or -1, is a failure."""
        ...

    def read(self, max_length: int, timeout_ms: int) -> Sequence[int]:
        """Wait for a report; empty after the time."""
        ...

    def close(self) -> None:
        """Let go of the device."""
        ...


def find(vendor: int, product: int) -> list[tuple[bytes, str]]:
    """List devices: path and serial number, which may be empty.

    Args:
        vendor: USB vendor number.
        product: USB product number.

    Raises:
        SourceError: hidapi cannot be loaded here.
    """
    return [
        (bytes(entry["path"]), str(entry["serial_number"] or "").strip())
        for entry in _hidapi().enumerate(vendor, product)
    ]


def open_hid(vendor: int, product: int, serial: str, where: str) -> tuple[Hid, str]:
    """Open a device.

    Args:
        vendor: USB vendor number.
        product: USB product number.
        serial: Its serial number; "" is the one that is there.
        where: The source, for errors.

    Returns:
        The device and its serial number.

    Raises:
        SourceError: None or several are there, or it may not be opened.
    """
    found = [one for one in find(vendor, product) if not serial or one[1] == serial]
    if not found:
        wanted = f" with serial number {serial}" if serial else ""
        raise SourceError(
            f"no meter{wanted} is plugged in (USB {vendor:04x}:{product:04x})",
            where=where,
            way_out="See its USB cable, and whether it is switched on.",
            status=Status.ABSENT,
        )
    if len(found) > 1:
        raise SourceError(
            f"{len(found)} such meters are plugged in",
            where=where,
            way_out="Say which one with its serial number as device.",
        )
    path, number = found[0]
    device = _hidapi().device()
    try:
        device.open_path(path)
    except OSError as error:
        raise SourceError(
            "the meter may not be opened, or another program has it",
            where=where,
            way_out="Install packaging/udev/70-bayscope.rules, then plug it in again.",
        ) from error
    opened: Hid = device
    return opened, number


def _hidapi() -> Any:
    try:
        return import_module("hid")  # loads libudev, and has no types
    except (ImportError, OSError) as error:
        raise SourceError(
            f"USB meters cannot be reached from here ({error})",
            where="hidapi",
            way_out="Install the Debian package libudev1, and the package hidapi.",
        ) from error
