"""Sources that need the same thing are found before any of them is opened."""

import pytest

from app.bench.file import parse_bench
from app.bench.sharing import reached_at
from instruments.errors import BadInput

HEAD = """name = "Bench"
[dut]
name = "Shelf"
target = "/scratch"
[[host]]
name = "box"
driver = "ssh"
address = "box.test"
user = "lab"
[simulated]
"""
METER = 'driver = "hmc8015"\nresource = "{}"'
LAN, USB = "TCPIP::192.0.2.1::5025::SOCKET", "USB0::0x0AAD::0x0197::1::INSTR"
AT, TTY = "192.0.2.1:5025", "ASRL/dev/ttyUSB0::INSTR"
WT = 'driver = "yokogawa"\nresource = "{}"\nelement = ["{}"]'
LMG = 'driver = "lmg"\ndevice = "{}"\nelement = ["{}"]'
PDU = 'driver = "snmp"\naddress = "192.0.2.7"\nprofile = "apc-rpdu2"\n{}'
MIC = 'driver = "microphone"\ndevice = "{}"\nchannel = {}\ncalibration = 120'
BMC = 'driver = "{}"\naddress = "192.0.2.9"\nuser = "a"'
SHELF = 'driver = "ses"\ndevice = "/dev/sg3"\n{}'


def bench(section: str, *tables: str) -> str:
    named = (f'[[{section}]]\nname = "n{n}"\n{t}\n' for n, t in enumerate(tables, 1))
    return HEAD + "".join(named)


@pytest.mark.parametrize(
    ("section", "one", "other", "what"),
    [
        ("power", METER.format("simulated"), METER.format("simulated"), "[[power]]"),
        ("thermal", 'driver = "simulated"', 'driver = "simulated"', "[[thermal]]"),
        ("power", METER.format(LAN), METER.format(LAN.replace("P::", "P0::")), "5025"),
        ("power", METER.format(USB), WT.format(USB.lower(), "1"), "usb0"),
        ("power", WT.format(LAN, "1"), WT.format(LAN, "SIGMA"), LAN),
        ("power", LMG.format("/dev/ttyUSB0", 1), LMG.format("/dev/ttyUSB0", 2), "tty"),
        ("power", PDU.format('outlets = ["1"]'), PDU.format(""), "192.0.2.7"),
        ("noise", MIC.format("hw:1", 1), MIC.format("hw:1", 1), "hw:1"),
        ("noise", 'driver = "gm1356"', 'driver = "gm1356"', "the gm1356 that is found"),
        ("power", METER.format(LAN), METER.format("TCPIP0::192.0.2.1::INSTR"), "2.1"),
        (
            "power",
            METER.format(LAN),
            LMG.replace("device", "address").format(AT, 1),
            AT,
        ),
        ("power", METER.format(TTY), LMG.format("/dev/ttyUSB0", 1), "/dev/ttyUSB0"),
        ("noise", 'driver = "gm1356"', 'driver = "gm1356"\ndevice = "7"', "7"),
        ("noise", 'driver = "gm1356"\ndevice = "7"', 'driver = "gm1356"', "found"),
        ("thermal", SHELF.format(""), SHELF.format("period = 9"), "/dev/sg3"),
        ("thermal", BMC.format("ipmi"), BMC.format("ipmi"), "192.0.2.9"),
    ],
)
def test_what_one_source_has_no_other_can_need(
    section: str, one: str, other: str, what: str
) -> None:
    assert parse_bench(bench(section, one), "b.toml").sources
    with pytest.raises(BadInput) as caught:
        parse_bench(bench(section, one, other), "b.toml")
    told = str(caught.value)
    assert '"n2" needs what "n1" has' in told
    assert what in told
    assert f"b.toml, line {len(bench(section, one).splitlines()) + 3}" in told


@pytest.mark.parametrize(
    ("section", "one", "other"),
    [
        ("power", METER.format(LAN), METER.format(LAN.replace("2.1", "2.2"))),
        ("power", METER.format(LAN), METER.format(LAN.replace("5025", "5026"))),
        ("power", WT.format(LAN, "1"), WT.format(LAN, "2")),
        ("power", PDU.format('outlets = ["1"]'), PDU.format('outlets = ["2"]')),
        ("noise", MIC.format("hw:1", 1), MIC.format("hw:1", 2)),
        ("noise", 'driver = "gm1356"\ndevice = "7"', 'driver = "gm1356"\ndevice = "8"'),
        ("noise", 'driver = "gm1356"', 'driver = "dt8852"\ndevice = "/dev/ttyUSB1"'),
        ("thermal", SHELF.format(""), SHELF.format('host = "box"')),
        ("thermal", BMC.format("ipmi"), BMC.format("redfish")),
        ("thermal", 'driver = "hwmon"', 'driver = "hwmon"'),
    ],
)
def test_what_any_number_can_read_stands_on_one_bench(
    section: str, one: str, other: str
) -> None:
    assert len(parse_bench(bench(section, one, other), "b.toml").sources) == 3


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
