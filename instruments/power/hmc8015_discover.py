"""Find power analysers of R&S: at USB and serial ports, and at a typed-in address."""

from collections.abc import Callable, Iterable

from instruments.driver import Found
from instruments.errors import SourceError
from instruments.hosts import Host
from instruments.power.hmc8015_instrument import Instrument
from instruments.reading import Identity
from instruments.scpi import Scpi
from instruments.transport import TIMEOUT_S, TransportFactory, VisaTransport
from instruments.visa_ports import serial_ports, usb_instruments

MAKER_ID = 0x0AAD
"""Rohde & Schwarz as a vendor of USB devices; sisters of this meter share it."""

MODELS = ("HMC8015",)


def identify(
    resource: str,
    models: tuple[str, ...] = MODELS,
    transport: TransportFactory = VisaTransport,
) -> Identity:
    """Ask at an address who is there, and send nothing else.

    Raises:
        SourceError: Nobody, or another instrument.
    """
    instrument = Instrument(
        Scpi(transport(resource, TIMEOUT_S), resource), lambda _: None
    )
    try:
        return instrument.identify(resource, models)
    finally:
        instrument.drop()


def candidates() -> list[str]:
    """List the resources whose USB device is of R&S; others are not disturbed.

    A meter on the network is not found: its address is typed in.
    """
    return [*usb_instruments(MAKER_ID), *serial_ports(MAKER_ID)]


def discover(
    host: Host,
    resources: Callable[[], Iterable[str]] = candidates,
    transport: TransportFactory = VisaTransport,
) -> list[Found]:
    """Find what answers as an HMC8015 at this machine's own ports."""
    if host.name:  # VISA reaches ports of this machine only
        return []
    found = []
    for resource in resources():
        try:
            who = identify(resource, transport=transport)
        except SourceError:
            continue
        found.append(Found(f"{who.model} {who.serial}", {"resource": resource}))
    return found
