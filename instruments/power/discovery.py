"""Find meters of a maker at this machine's USB and serial ports."""

import threading
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

from instruments.driver import Found
from instruments.errors import SourceError
from instruments.link.serial_port import usb_ports
from instruments.link.transport import TIMEOUT_S, TransportFactory, VisaTransport
from instruments.power.identity import Family, parse_family
from instruments.tools.hosts import Host, LocalHost

# Vendor numbers of USB, by which meters are told from other USBTMC devices.
YOKOGAWA_ID = 0x0B21
GW_INSTEK_ID = 0x2184
HIOKI_ID = 0x108F
CHROMA_ID = 0x1698
ROHDE_SCHWARZ_ID = 0x0AAD
"""Vendors of USB devices; GW Instek's, Chroma's and R&S's are from public drivers, the
others from memory."""

_asking = threading.Lock()
"""Drivers look for meters side by side, and some for those of the same maker."""


def ports_of(makers: Sequence[int]) -> list[str]:
    """List the resources whose USB device is of one of the makers.

    Other devices are not disturbed. A meter on the network is not found: its address is
    typed in.
    """
    return [
        resource
        for maker in makers
        for resource in (*usb_instruments(maker), *serial_ports(maker))
    ]


def finder(
    makers: Sequence[int],
    families: Sequence[Family],
    *,
    resources: Callable[[Sequence[int]], Iterable[str]] = ports_of,
    transport: TransportFactory = VisaTransport,
) -> Callable[[Host], list[Found]]:
    """Make what looks for meters; it asks *IDN? and sends nothing else.

    Args:
        makers: Vendors of USB devices.
        families: The meters that are meant.
        resources: Lists the resources of some makers.
        transport: Opens a resource.
    """

    def discover(host: Host) -> list[Found]:
        if not isinstance(host, LocalHost):  # VISA reaches ports of this machine only
            return []
        meters = []
        for resource in resources(makers):
            try:
                with _asking:
                    answer = _who_is_there(transport, resource)
            except SourceError:  # another kind of device, or one that is in use
                continue
            meters += _found(answer, resource, families)
        return meters

    return discover


def _who_is_there(transport: TransportFactory, resource: str) -> str:
    link = transport(resource, TIMEOUT_S)
    try:
        # A meter that wants no CR takes it for white space.
        return link.query("*IDN?\r")
    finally:
        link.close()


def _found(answer: str, resource: str, families: Sequence[Family]) -> list[Found]:
    for family in families:
        try:
            who = parse_family(answer, resource, resource, family)
        except SourceError:
            continue
        return [Found(f"{who.model} {who.serial}", {"resource": resource})]
    return []


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
