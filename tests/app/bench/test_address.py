"""One device has several addresses, and one address several ways to write it."""

import pytest

from app.bench.address import reached_at


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("TCPIP::192.0.2.1::5025::SOCKET", "tcpip0::192.0.2.1::5025::socket"),
        ("TCPIP::192.0.2.1::5025::SOCKET", "192.0.2.1:5025"),
        ("TCPIP::192.0.2.1::5025::SOCKET", "TCPIP0::192.0.2.1::INSTR"),
        ("TCPIP::192.0.2.1::INSTR", "TCPIP0::192.0.2.1::inst0::INSTR"),
        ("TCPIP::192.0.2.1", "TCPIP::192.0.2.1::hislip0,4880::INSTR"),
        ("TCPIP::Meter.test::INSTR", "TCPIP::meter.test::INSTR"),
        ("ASRL/dev/ttyUSB0::INSTR", "/dev/ttyUSB0"),
        ("ASRL3::INSTR", "asrl3"),
        ("ASRL3::INSTR", "COM3"),
        ("USB0::0x0AAD::0x0197::1::INSTR", "USB::2733::407::1::0::INSTR"),
        ("GPIB::5::INSTR", "GPIB0::5"),
        ("UMIK-1", "umik-1"),
    ],
)
def test_ways_to_write_what_is_one_device(one: str, other: str) -> None:
    assert reached_at(one).is_shared(reached_at(other))
    assert reached_at(other).is_shared(reached_at(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("TCPIP::192.0.2.1::5025::SOCKET", "TCPIP::192.0.2.1::5026::SOCKET"),
        ("TCPIP::192.0.2.1::5025::SOCKET", "TCPIP::192.0.2.2::INSTR"),
        ("TCPIP::192.0.2.1::gpib0,5::INSTR", "TCPIP::192.0.2.1::gpib0,6::INSTR"),
        ("TCPIP::127.0.0.1,7001::INSTR", "TCPIP::127.0.0.1,7002::INSTR"),
        ("ASRL/dev/ttyUSB0::INSTR", "/dev/ttyUSB1"),
        ("ASRL3::INSTR", "COM4"),
        ("USB::0x0AAD::0x0197::1::INSTR", "USB::0x0AAD::0x0197::2::INSTR"),
        ("GPIB0::5::INSTR", "GPIB1::5::INSTR"),
        ("192.0.2.1", "192.0.2.2"),
    ],
)
def test_addresses_of_two_devices(one: str, other: str) -> None:
    assert not reached_at(one).is_shared(reached_at(other))
    assert not reached_at(other).is_shared(reached_at(one))
