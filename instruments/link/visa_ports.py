"""USB and serial ports of this machine that could be instruments, in VISA's words."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from instruments.link.serial_port import usb_ports

_TEST_AND_MEASUREMENT = (0xFE, 0x03)
"""Class and subclass of a USB-TMC interface (USBTMC 1.0, 4.3)."""


def serial_ports(maker_id: int) -> list[str]:
    """List serial ports that are a USB device of one vendor."""
    return [
        f"ASRL{device}::INSTR"
        for device, maker, _, _ in usb_ports()
        if maker == maker_id
    ]


def usb_instruments(maker_id: int) -> list[str]:
    """List USB-TMC instruments of one vendor; none where libusb is missing.

    A device whose serial number may not be read is listed without it.
    """
    usb: Any = import_module("usb.core")  # slow, and without types
    try:
        devices = list(usb.find(find_all=True, idVendor=maker_id) or ())
    except usb.NoBackendError:
        return []
    return usb_resources(devices)


def usb_resources(devices: Iterable[Any]) -> list[str]:
    """Name the USB-TMC instruments among pyusb's devices."""
    return [
        f"USB0::0x{device.idVendor:04X}::0x{device.idProduct:04X}::"
        f"{_serial_number(device)}::INSTR"
        for device in devices
        if any(
            (each.bInterfaceClass, each.bInterfaceSubClass) == _TEST_AND_MEASUREMENT
            for configuration in device
            for each in configuration
        )
    ]


def _serial_number(device: Any) -> str:
    try:
        return str(device.serial_number or "?*")  # VISA's wildcard for any
    except (ValueError, NotImplementedError, OSError):
        return "?*"
