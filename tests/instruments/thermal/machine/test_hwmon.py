"""A made-up /sys, read here and over SSH: real files, real links, real tools."""

import os
from collections.abc import Iterator
from math import isnan
from pathlib import Path

import pytest

from instruments.errors import SourceError
from instruments.reading import Status
from instruments.ssh.host import SshHost
from instruments.thermal.machine.hwmon import DRIVER, Hwmon
from instruments.thermal.machine.hwmon_tree import Chip
from instruments.thermal.machine.hwmon_values import temperature_limit
from instruments.tools.hosts import Host
from tests.instruments.given import given
from tests.instruments.rooted import RootedHost, write_tree
from tests.instruments.seen import Seen, seen_below
from tests.sshd import Sshd, sshd

BOARD = "/sys/devices/platform/nct6775.656"
CORES = "/sys/devices/platform/coretemp.0"
NVME = "/sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0"
SATA = "/sys/devices/pci0000:00/ata{0}/host{0}/target{0}:0:0/{0}:0:0:0"
LSBLK = """{"blockdevices": [
 {"name":"sda","type":"disk","tran":"sata","vendor":"ATA","model":"M","serial":"S-A",
  "wwn":"0x5000c500a0000001","size":4000000000},
 {"name":"sdb","type":"disk","tran":"sata","vendor":"ATA","model":"M","serial":"S-B",
  "wwn":"0x5000c500a0000002","size":4000000000}]}"""


def _bare(number: int, **files: str) -> dict[str, str]:
    """A chip "hp" that has no device."""
    folder = f"/sys/devices/virtual/hwmon/hwmon{number}"
    tree = {f"{folder}/{file}": f"{text}\n" for file, text in files.items()}
    link = {f"/sys/class/hwmon/hwmon{number}": f"-> {folder}"}
    return {**tree, **link, f"{folder}/name": "hp\n"}


SYSTEM = {"temp1_input": "25000", "temp1_label": "System", "temp2_input": "26000"}
MODEM = {"temp1_input": "45000", "temp1_label": "Modem", "temp2_input": "46000"}


def test_chips_of_one_name_without_a_device_go_by_a_label(tmp_path: Path) -> None:
    """Another boot numbers them the other way round."""
    found = []
    for boot, (system, modem) in enumerate([(0, 1), (1, 0)]):
        root = tmp_path / str(boot)
        write_tree(root, {**_bare(system, **SYSTEM), **_bare(modem, **MODEM)})
        source = Hwmon(given(DRIVER, "board", RootedHost(root)))
        source.open()
        found.append(_read(source))
        source.close()
    assert found[0] == found[1]
    assert found[0] == {
        "temperature.hp-modem-modem": (45.0, Status.OK),
        "temperature.hp-modem-temp2": (46.0, Status.OK),
        "temperature.hp-system-system": (25.0, Status.OK),
        "temperature.hp-system-temp2": (26.0, Status.OK),
    }


def test_chips_that_nothing_tells_apart_are_refused(tmp_path: Path) -> None:
    write_tree(tmp_path, {**TREE, **_bare(8, temp1_input="1"), **_bare(9, **SYSTEM)})
    Hwmon(given(DRIVER, "board", RootedHost(tmp_path))).open()
    write_tree(tmp_path, _bare(7, temp1_input="2"))
    with pytest.raises(SourceError, match="another boot may swap them") as caught:
        Hwmon(given(DRIVER, "board", RootedHost(tmp_path))).open()
    way_out = 'chips = ["coretemp", "drivetemp", "nct6798", "nvme"]'
    assert way_out in str(caught.value)
    Hwmon(given(DRIVER, "board", RootedHost(tmp_path), chips=("coretemp",))).open()


def _chip(device: str, number: int, name: str, files: dict[str, str]) -> dict[str, str]:
    folder = f"{device}/hwmon/hwmon{number}"
    tree = {f"{folder}/{file}": f"{text}\n" for file, text in files.items()}
    return {
        **tree,
        f"{folder}/name": f"{name}\n",
        f"{folder}/device": f"-> {device}",
        f"/sys/class/hwmon/hwmon{number}": f"-> {folder}",
    }


TREE = {
    **_chip(
        CORES,
        0,
        "coretemp",
        {
            "temp1_input": "52000",
            "temp1_label": "Package id 0",
            "temp1_max": "80000",
            "temp1_crit": "100000",
            "temp2_input": "85000",
            "temp2_label": "Core 0",
            "temp2_max": "80000",
        },
    ),
    **_chip(
        NVME,
        1,
        "nvme",
        {
            "temp1_input": "49850",
            "temp1_label": "Composite",
            "temp1_max": "81850",
            "temp1_min": "-273150",
            "temp2_input": "41850",
            "temp2_label": "Sensor 1",
            "temp2_max": "65261850",
        },
    ),
    f"{NVME}/serial": "NV-1  \n",
    **_chip(SATA.format(1), 2, "drivetemp", {"temp1_input": "38000"}),
    f"{SATA.format(1)}/block/sda/size": "1",
    **_chip(
        SATA.format(2), 3, "drivetemp", {"temp1_input": "71000", "temp1_crit": "70000"}
    ),
    f"{SATA.format(2)}/block/sdb/size": "1",
    **_chip(SATA.format(3), 5, "drivetemp", {"temp1_input": "30000"}),
    f"{SATA.format(3)}/vpd_pg80": "\0\x01\0\x08  S-C 1 ",
    **_chip(
        BOARD,
        4,
        "nct6798",
        {
            "fan2_input": "1109",
            "in3_input": "3576",
            "in3_label": "+3.3V",
            "temp1_input": "40000",
            "temp1_fault": "1",
            "temp7_input": "-273150",
            "temp7_max": "0",
            "power1_input": "15250000",
            "power1_average": "9",
            "curr1_input": "1250",
            "humidity1_input": "45200",
        },
    ),
    "/sys/class/enclosure/7:0:9:0/id": "0x5000ccab00000001\n",
    "/sys/class/enclosure/7:0:9:0/Slot 07/slot": "7\n",
    "/sys/class/enclosure/7:0:9:0/Slot 07/device": f"-> {SATA.format(2)}",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    with sshd(tmp_path_factory.mktemp("sshd")) as found:
        found.tool("lsblk", f"cat <<'END'\n{LSBLK}\nEND")
        yield found


@pytest.fixture(params=["here", "there"])
def host(
    request: pytest.FixtureRequest,
    server: Sshd,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Host]:
    write_tree(tmp_path, TREE)
    monkeypatch.setenv("PATH", f"{server.tools}:{os.environ['PATH']}")
    there = SshHost("head", server.target)
    found = RootedHost(tmp_path, there if request.param == "there" else None)
    yield found
    found.close()


def _read(source: Hwmon) -> Seen:
    return seen_below(source.read())


def test_every_chip_is_read_by_what_it_is(host: Host) -> None:
    source = Hwmon(given(DRIVER, "board", host))
    identity = source.open()
    assert identity.model == "coretemp, 3 drivetemp, nct6798, nvme"
    found = _read(source)
    assert [channel.name for channel in source.channels] == [
        f"board.{n}" for n in found
    ]
    gaps = {name: status for name, (value, status) in found.items() if isnan(value)}
    assert gaps == {
        "temperature.nct6798-656-temp1": Status.ERROR,
        "temperature.nct6798-656-temp7": Status.ABSENT,
    }
    assert {name: pair for name, pair in found.items() if name not in gaps} == {
        "temperature.coretemp-0-package-id-0": (52.0, Status.OK),
        "temperature.coretemp-0-core-0": (85.0, Status.WARN),
        "temperature.drive-S-A": (38.0, Status.OK),
        "temperature.slot07": (71.0, Status.CRIT),
        "temperature.drive-S-C-1": (30.0, Status.OK),
        "temperature.drive-NV-1": (49.85, Status.OK),
        "temperature.drive-NV-1-sensor-1": (41.85, Status.OK),
        "fan.nct6798-656-fan2": (1109.0, Status.OK),
        "voltage.nct6798-656-3-3v": (3.576, Status.OK),
        "power.nct6798-656-power1": (15.25, Status.OK),
        "current.nct6798-656-curr1": (1.25, Status.OK),
        "humidity.nct6798-656-humidity1": (45.2, Status.OK),
    }
    units = {channel.quantity: channel.unit for channel in source.channels}
    assert units["temperature"] == "degC"
    assert units["fan"] == "1/min"


def test_only_some_chips(host: Host) -> None:
    source = Hwmon(given(DRIVER, "drives", host, chips=("drivetemp",)))
    source.open()
    assert {c.location for c in source.channels} == {
        "drive-S-A",
        "slot07",
        "drive-S-C-1",
    }


def test_a_renumbered_chip_is_the_same_and_a_pulled_one_is_absent(
    host: Host, tmp_path: Path
) -> None:
    now = [0]
    source = Hwmon(
        given(DRIVER, "drives", host, chips=("drivetemp",)), clock=lambda: now[0]
    )
    source.open()
    for number, gone in ((1, 2), (2, 3)):
        old = tmp_path / f"{SATA.format(number)}/hwmon/hwmon{gone}".lstrip("/")
        old.rename(old.with_name(f"away{gone}"))
        (tmp_path / f"sys/class/hwmon/hwmon{gone}").unlink()
    # The second drive comes back with the number that the first one had.
    write_tree(
        tmp_path,
        _chip(SATA.format(2), 2, "drivetemp", {"temp1_input": "44000"}),
    )
    assert _read(source)["temperature.drive-S-A"][1] is Status.ERROR
    now[0] = 31_000_000_000
    found = _read(source)
    assert found["temperature.slot07"] == (44.0, Status.OK)
    assert found["temperature.drive-S-A"][1] is Status.ABSENT
    assert isnan(found["temperature.drive-S-A"][0])
    assert found["temperature.drive-S-C-1"] == (30.0, Status.OK)


def test_garbage_is_a_gap(host: Host, tmp_path: Path) -> None:
    source = Hwmon(given(DRIVER, "drives", host, chips=("drivetemp",)))
    source.open()
    write_tree(tmp_path, {f"{SATA.format(1)}/hwmon/hwmon2/temp1_input": "N/A\n"})
    assert _read(source)["temperature.drive-S-A"][1] is Status.NAN


def test_a_machine_without_sensors_says_so(tmp_path: Path) -> None:
    host = RootedHost(tmp_path)
    with pytest.raises(SourceError, match=r"no sensors.*modprobe drivetemp") as caught:
        Hwmon(given(DRIVER, "board", host)).open()
    assert caught.value.status is Status.ABSENT
    assert DRIVER.discover(host) == []
    with pytest.raises(SourceError, match="not open"):
        Hwmon(given(DRIVER, "board", host)).read()


def test_it_can_be_found(host: Host) -> None:
    found = DRIVER.discover(host)
    assert [one.label for one in found] == [
        "Kernel sensors: coretemp, 3 drivetemp, nct6798, nvme"
    ]
    settings = DRIVER.settings("board", found[0].values, host)
    assert DRIVER.build(settings).open().address


@pytest.mark.parametrize("limit", [None, 0.0, -273.15, 65261.85])
def test_placeholders_are_no_limits(limit: float | None) -> None:
    assert temperature_limit(limit) is None
    assert temperature_limit(70.0) == 70.0


def test_a_file_that_fails_for_a_moment_is_a_gap(host: Host, tmp_path: Path) -> None:
    """As drivetemp's does (ENODATA) right after its drive woke up."""
    source = Hwmon(given(DRIVER, "drives", host, chips=("drivetemp",)))
    source.open()
    file = tmp_path / f"{SATA.format(1)}/hwmon/hwmon2/temp1_input".lstrip("/")
    file.unlink()
    file.mkdir()  # Reading it is an error of the kernel (EISDIR).
    found = _read(source)
    assert found["temperature.drive-S-A"][1] is Status.ERROR
    assert found["temperature.slot07"][1] is Status.CRIT
    file.rmdir()
    file.write_text("39000\n")
    assert _read(source)["temperature.drive-S-A"] == (39.0, Status.OK)


@pytest.mark.parametrize(
    ("name", "device", "part"),
    [
        ("coretemp", "/sys/devices/platform/coretemp.1", "coretemp-1"),
        ("k10temp", "/sys/devices/pci0000:00/0000:00:18.3", "k10temp-00-18-3"),
        ("mlx5", "/sys/devices/pci0001:00/0001:81:00.0", "mlx5-0001-81-00-0"),
        ("jc42", "/sys/devices/pci0000:00/i2c-0/0-0018", "jc42-0-0018"),
        (
            "acpitz",
            "/sys/devices/virtual/thermal/thermal_zone0",
            "acpitz-thermal-zone0",
        ),
        ("asus_ec", "/sys/devices/platform/asus_ec", "asus-ec"),
        ("odd", "", "odd"),
    ],
)
def test_a_chip_is_named_by_its_own_device(name: str, device: str, part: str) -> None:
    assert Chip(name, f"{device}/hwmon/hwmon3", device, ()).part == part
