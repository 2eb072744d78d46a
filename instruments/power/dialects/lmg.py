"""ZES ZIMMER LMG95 and LMG600: their keys in bench.toml, and their source."""

from instruments.driver import Driver
from instruments.errors import BadInput
from instruments.power.dialects.lmg_dialect import ANSWER_S
from instruments.power.dialects.lmg_source import Lmg
from instruments.power.options import (
    current_range,
    elements,
    take_elements,
    voltage_range,
)
from instruments.power.stream import SerialStream, SocketStream, Stream
from instruments.settings import Kind, Option, Settings

CHANNELS = ("1", "2", "3", "4", "5", "6", "7")


def _build(settings: Settings) -> Lmg:
    address, device = settings.text("address"), settings.text("device")
    if bool(address) == bool(device):
        raise BadInput(
            "address and device are both given" if address else "address is missing",
            where="address",
            way_out='Expected one of them, such as address = "192.0.2.5:5025".',
        )

    def connect(where: str) -> Stream:
        if address:
            return SocketStream(address, where, ANSWER_S)
        return SerialStream(device, where, settings.integer("baud"))

    return Lmg(
        settings.name,
        address or device,
        connect,
        voltage_range=settings.number("voltage_range"),
        current_range=settings.number("current_range"),
        elements=take_elements(settings),
        cycle_s=settings.number("cycle"),
    )


DRIVER = Driver(
    "power",
    "lmg",
    "ZES ZIMMER LMG95, LMG600",
    (
        Option(
            "address",
            "Host and port of the meter, or of the converter before it.",
            example="192.0.2.5:5025",
        ),
        Option(
            "device",
            "Serial port, where it is not on the network.",
            example="/dev/ttyUSB0",
        ),
        Option("baud", "Bits a second on the serial port.", Kind.INTEGER, 115_200),
        voltage_range(250.0),
        current_range(10.0),
        elements(CHANNELS),
        Option(
            "cycle",
            "Seconds over which the meter averages, then sends.",
            Kind.NUMBER,
            0.5,
            low=0.1,
            high=60.0,
            unit="s",
        ),
    ),
    _build,
)
