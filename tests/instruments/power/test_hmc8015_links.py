"""The four ways to an HMC8015: socket, VXI-11, serial, USB-TMC."""

import json
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from instruments.driver import Found
from instruments.errors import BenchError, SourceError
from instruments.link.transport import VisaTransport
from instruments.power.discovery import (
    finder,
    serial_ports,
    usb_instruments,
    usb_resources,
)
from instruments.power.hmc8015.driver import DRIVER, FAMILY, HMC8015
from instruments.reading import Status
from instruments.simulated.bench import BenchConfig
from instruments.simulated.faults import parse_fault
from instruments.simulated.meters.serial_line import SerialLine
from instruments.simulated.meters.vxi11 import Vxi11Server
from instruments.simulated.server import SimulatedBench
from instruments.tools import command
from instruments.tools.hosts import LocalHost
from tests import needs
from tests.instruments.power.usb_meter import PACKET

pytestmark = needs.pseudo_terminals


@pytest.fixture
def bench() -> Iterator[SimulatedBench]:
    config = BenchConfig(speedup=20)
    with SimulatedBench(config, vxi11_port=0, serial=True) as running:
        yield running


def fail(bench: SimulatedBench, text: str) -> None:
    bench.model.faults.set(parse_fault(text))


def check_fault(
    bench: SimulatedBench, resource: str, fault: str, sentence: str
) -> None:
    """Check that a fault is said as it is, and over after opening anew."""
    with closing(HMC8015("mains", resource)) as driver:
        driver.open()
        assert Status.OK in driver.read().statuses
        fail(bench, fault)
        with pytest.raises(SourceError, match=sentence) as caught:
            driver.read()
        timed_out = sentence == "no answer within"
        assert (caught.value.status is Status.TIMEOUT) is timed_out
        driver.close()
        bench.model.faults.clear()
        driver.open()
        assert Status.OK in driver.read().statuses


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("drop", "closed at the other end"),
        ("silence", "no answer within"),
        ("garbage", "bytes that are not text"),
    ],
)
def test_vxi11(bench: SimulatedBench, fault: str, sentence: str) -> None:
    check_fault(bench, bench.ways["vxi11"], fault, sentence)


def test_vxi11_through_the_port_mapper(bench: SimulatedBench) -> None:
    try:
        server = Vxi11Server(bench.answer_meter, bench.model.faults, mapper=111)
    except BenchError as error:
        pytest.skip(f"port 111 is not ours to take: {error}")
    with closing(server):
        assert HMC8015("mains", "TCPIP::127.0.0.1::INSTR").free().serial == "SIM000001"


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
        ("garbage", "bytes that are not text"),
    ],
)
def test_serial(bench: SimulatedBench, fault: str, sentence: str) -> None:
    check_fault(bench, bench.ways["serial"], fault, sentence)


def test_a_serial_line_that_is_unplugged(bench: SimulatedBench) -> None:
    line = SerialLine(bench.answer_meter, bench.model.faults)
    with closing(line), closing(HMC8015("mains", line.resource)) as driver:
        driver.open()
        line.close()
        with pytest.raises(SourceError, match="unplugged") as caught:
            driver.read()
        assert caught.value.status is Status.ERROR


def test_usb_tmc_with_a_device_in_place_of_libusb() -> None:
    """No USB device can be plugged in here; all above libusb is real."""
    root = Path(__file__).parents[3]
    argv = [sys.executable, "-W", "error", "-m", "tests.instruments.power.usb_meter"]
    with command.start(argv, env={"PYTHONPATH": str(root)}) as running:
        told = json.loads(running.stdout.readline() or "{}")
        assert running.wait(60) == 0, running.stderr_text()
    address = "USB0::0x0AAD::0x0135::101::INSTR"
    assert told["found"] == [f"HMC8015 SIM000001 {address}"]
    assert (told["serial"], told["power"], told["again"]) == ("SIM000001", 580, 580)
    assert told["longest"] > PACKET  # an answer of several packets
    sentences = (
        ("silent", "no answer within 1.5 s", "timeout"),
        ("unplugged", "it has been unplugged", "error"),
        ("closed", "it has been unplugged", "error"),
    )
    for name, sentence, status in sentences:
        assert sentence in told[name][0]
        assert told[name][1] == status


def test_usb_without_a_device() -> None:
    with pytest.raises(SourceError, match=r"not installed here|no such device"):
        VisaTransport("USB0::0x0AAD::0x0135::1::INSTR")


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
    address = f"TCPIP::127.0.0.1::{bench.meter_port}::SOCKET"
    with closing(HMC8015("mains", address)) as driver:
        who = driver.free()
    assert (who.model, who.simulated) == ("HMC8015", True)
