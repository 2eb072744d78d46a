"""The four ways to an HMC8015: socket, VXI-11, serial, USB-TMC."""

import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from instruments.driver import Found
from instruments.errors import BenchError, SourceError
from instruments.hosts import LocalHost
from instruments.power.discovery import finder
from instruments.power.hmc8015 import DRIVER, HMC8015
from instruments.power.hmc8015_discover import FAMILY, identify
from instruments.reading import Status
from instruments.simulated.acquisition import Acquisition
from instruments.simulated.bench import BenchConfig
from instruments.simulated.faults import parse_fault
from instruments.simulated.meter import Meter
from instruments.simulated.serial_line import SerialLine
from instruments.simulated.server import SimulatedBench
from instruments.simulated.vxi11 import Vxi11Server
from instruments.transport import VisaTransport
from instruments.visa_ports import serial_ports, usb_instruments, usb_resources


@pytest.fixture
def bench() -> Iterator[SimulatedBench]:
    config = BenchConfig(speedup=20)
    with SimulatedBench(config, vxi11_port=0, serial=True) as running:
        yield running


def fail(bench: SimulatedBench, text: str) -> None:
    bench.model.faults.set(parse_fault(text))


def check_fault(
    bench: SimulatedBench, resource: str, fault: str, sentence: str
) -> float:
    """See that a fault is said, and over after opening anew; give the seconds."""
    with closing(HMC8015("mains", resource)) as driver:
        driver.open()
        assert Status.OK in driver.read().statuses
        fail(bench, fault)
        began = time.monotonic()
        with pytest.raises(SourceError, match=sentence) as caught:
            driver.read()
        taken = time.monotonic() - began
        timed_out = sentence == "no answer within"
        assert (caught.value.status is Status.TIMEOUT) is timed_out
        driver.close()
        bench.model.faults.clear()
        driver.open()
        assert Status.OK in driver.read().statuses
    return taken


@pytest.mark.parametrize(
    ("fault", "sentence", "seconds"),
    [
        ("drop", "closed at the other end", 0.5),
        ("silence", "no answer within", 2.6),
        ("garbage", "bytes that are no text", 0.5),
    ],
)
def test_vxi11(
    bench: SimulatedBench, fault: str, sentence: str, seconds: float
) -> None:
    assert check_fault(bench, bench.ways["vxi11"], fault, sentence) < seconds


def test_vxi11_through_the_port_mapper(bench: SimulatedBench) -> None:
    try:
        server = Vxi11Server(bench.answer_meter, bench.model.faults, mapper=111)
    except BenchError as error:
        pytest.skip(f"port 111 is not ours to take: {error}")
    with closing(server):
        assert identify("TCPIP::127.0.0.1::INSTR").serial == "SIM000001"


def test_vxi11_throws_away_what_an_earlier_user_did_not_fetch(
    bench: SimulatedBench,
) -> None:
    resource = bench.ways["vxi11"]
    with closing(VisaTransport(resource)) as earlier:
        earlier.write("*IDN?")
        with closing(HMC8015("mains", resource)) as driver:
            assert driver.open().simulated
        assert earlier.query("*OPC?").startswith("Rohde&Schwarz")


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("half", "no answer within"),
        ("garbage", "bytes that are no text"),
    ],
)
def test_serial(bench: SimulatedBench, fault: str, sentence: str) -> None:
    assert check_fault(bench, bench.ways["serial"], fault, sentence) < 2.0


def test_a_serial_line_that_is_unplugged(bench: SimulatedBench) -> None:
    line = SerialLine(bench.answer_meter, bench.model.faults)
    with closing(line), closing(HMC8015("mains", line.resource)) as driver:
        driver.open()
        line.close()
        with pytest.raises(SourceError, match="unplugged") as caught:
            driver.read()
        assert caught.value.status is Status.ERROR


class UsbHandle:
    """What pyvisa gives for a USB-TMC instrument, with a simulated meter behind it."""

    resource_name = "USB0::0x0AAD::0x0135::1::INSTR"
    session = 1

    def __init__(self) -> None:
        self.visalib = self
        self.sessions: dict[int, object] = {}
        self.closed = False
        self.unplugged = False
        self._acquisition = Acquisition()
        self._meter = Meter(self._acquisition)
        self._answer: str | None = None

    def write(self, message: str) -> None:
        if self.unplugged:
            raise OSError(19, "No such device (it may have been disconnected)")
        self._answer = self._meter.handle(message + "\n")

    def query(self, message: str) -> str:
        self.write(message)
        assert self._answer is not None
        return self._answer + "\n"

    def close(self) -> None:
        self.closed = True


def test_usb_with_a_handle_in_place_of_the_device() -> None:
    """No USB device can be plugged in here: libusb and the framing are not tried."""
    handle: Any = UsbHandle()
    resource = UsbHandle.resource_name

    def plug(resource: str, timeout_s: float) -> VisaTransport:
        return VisaTransport(resource, timeout_s, lambda _name, _timeout: handle)

    driver = HMC8015("mains", resource, transport=plug, sleep=lambda _: None)
    assert driver.open().address == resource
    driver.read()
    handle.unplugged = True
    with pytest.raises(SourceError, match="unplugged"):
        driver.read()
    assert handle.closed


def test_usb_without_a_device() -> None:
    with pytest.raises(SourceError, match=r"not installed here|no such device"):
        VisaTransport(UsbHandle.resource_name)


class Interface:
    """A USB interface's class."""

    def __init__(self, kind: int, subkind: int) -> None:
        self.bInterfaceClass = kind
        self.bInterfaceSubClass = subkind


class Device(list[list[Interface]]):
    """A USB device: configurations of interfaces."""

    idVendor = 0x0AAD  # noqa: N815  (as in pyusb)
    idProduct = 0x0135  # noqa: N815

    def __init__(self, kind: int, serial: str | None) -> None:
        super().__init__([[Interface(kind, 3)]])
        self._serial = serial

    @property
    def serial_number(self) -> str:
        if self._serial is None:
            raise ValueError("The device has no langid (permission issue)")
        return self._serial


def test_usb_instruments_are_named_by_their_serial_number() -> None:
    devices = [Device(0xFE, "101"), Device(0x02, "102"), Device(0xFE, None)]
    assert usb_resources(devices) == [
        "USB0::0x0AAD::0x0135::101::INSTR",
        "USB0::0x0AAD::0x0135::?*::INSTR",
    ]


def test_only_what_the_maker_made_is_asked() -> None:
    assert serial_ports(0xFFFF) == []
    assert usb_instruments(0xFFFF) == []
    assert DRIVER.discover(LocalHost()) == []


def test_discover_names_what_answers(bench: SimulatedBench) -> None:
    here = bench.ways["vxi11"]
    with SimulatedBench(BenchConfig(meter="yokogawa")) as other:
        another = f"TCPIP::127.0.0.1::{other.meter_port}::SOCKET"
        nobody = "ASRL/dev/no-such-port::INSTR"
        resources = [nobody, here, another]
        look = finder((), (FAMILY,), resources=lambda _: resources)
        found = look(LocalHost())
    assert found == [Found("HMC8015 SIM000001", {"resource": here})]


def test_a_typed_in_address_is_identified(bench: SimulatedBench) -> None:
    who = identify(f"TCPIP::127.0.0.1::{bench.meter_port}::SOCKET")
    assert (who.model, who.simulated) == ("HMC8015", True)
