"""Which drive sits in which slot, by the kernel's links or by SAS addresses."""

from dataclasses import replace

import pytest

from instruments.thermal.drives.drive_list import Drive
from instruments.thermal.ses.element import Static
from instruments.thermal.ses.slots import as_table, find_slots, locations, read_slots
from instruments.thermal.ses.source import DRIVER, Ses
from tests.instruments.given import given
from tests.instruments.thermal.rooted import RootedHost
from tests.instruments.thermal.ses_bytes import WWN
from tests.instruments.thermal.shelves import Shelves

ID = "500a098000000424"


def _drive(name: str, wwn: int = 0) -> Drive:
    return Drive(f"/dev/{name}", "scsi", f"S{name}", f"{wwn:016x}" if wwn else "")


@pytest.fixture
def static(shelves: Shelves) -> Static:
    shelves.plug("sg5")
    source = Ses(given(DRIVER, "shelf", shelves.host))
    source.open()
    assert source.static is not None
    return source.static


def _link(
    host: RootedHost, folder: str, slot: int, block: str, shelf: str = ID
) -> None:
    place = f"/sys/class/enclosure/{folder}"
    host.write(f"{place}/id", f"0x{shelf}\n")
    host.write(f"{place}/Slot {slot:02d}/slot", f"{slot}\n")
    host.write(f"{place}/Slot {slot:02d}/device/block/{block}/size", "1\n")


def test_the_kernels_links_tell_slots(host: RootedHost) -> None:
    _link(host, "0:0:1:0", 3, "sdc")
    _link(host, "0:0:1:0", 4, "sdd")
    host.write("/sys/class/enclosure/0:0:1:0/Slot 09/slot", "9\n")  # empty
    drives = [_drive("sdc"), _drive("sdd"), _drive("sde")]
    slots = read_slots(host, drives)
    assert [(s.enclosure, s.number, s.name, s.drive.node) for s in slots] == [
        (ID, 3, "Slot 03", "/dev/sdc"),
        (ID, 4, "Slot 04", "/dev/sdd"),
    ]
    assert locations(slots) == {"/dev/sdc": "slot03", "/dev/sdd": "slot04"}


def test_one_slot_number_in_two_enclosures_names_nobody(host: RootedHost) -> None:
    other = "500a098000000999"
    _link(host, "0:0:1:0", 3, "sdc")
    _link(host, "0:0:2:0", 3, "sdd", other)
    _link(host, "0:0:2:0", 5, "sde", other)
    slots = read_slots(host, [_drive("sdc"), _drive("sdd"), _drive("sde")])
    assert locations(slots) == {"/dev/sde": "slot05"}
    assert locations(slots, other) == {"/dev/sdd": "slot03", "/dev/sde": "slot05"}


def test_two_paths_to_one_drive_are_one_slot(host: RootedHost) -> None:
    _link(host, "0:0:1:0", 3, "sdc")
    _link(host, "1:0:1:0", 3, "sdx")
    slots = read_slots(host, [_drive("sdc"), _drive("sdx")])
    assert locations(slots) == {"/dev/sdc": "slot03", "/dev/sdx": "slot03"}


@pytest.mark.parametrize("away", [-2, -1, 0, 1])
def test_a_port_address_near_the_world_wide_name_tells_the_slot(
    host: RootedHost, static: Static, away: int
) -> None:
    # The bay says WWN + 0x10 * slot + 1 for the port.
    drives = [_drive("sda", WWN + 0x70 + 1 + away), _drive("sdb", WWN + 0x20 + 1)]
    slots = read_slots(host, drives, static)
    assert [(s.number, s.name, s.drive.name) for s in slots] == [
        (2, "Slot 02", "sdb"),
        (7, "Slot 07", "sda"),
    ]


def test_the_address_that_the_kernel_tells_counts_first(
    host: RootedHost, static: Static
) -> None:
    # A SATA drive's address is the expander's, far from its world wide name.
    host.write("/sys/block/sda/device/sas_address", f"0x{WWN + 0x41:016x}\n")
    slots = read_slots(host, [_drive("sda", 0x5002538E403E1157)], static)
    assert [(s.number, s.drive.name) for s in slots] == [(4, "sda")]


def test_two_drives_as_near_name_no_slot(host: RootedHost, static: Static) -> None:
    drives = [_drive("sda", WWN + 0x40), _drive("sdb", WWN + 0x42)]
    assert read_slots(host, drives, static) == []


def test_an_nvme_bay_tells_a_serial_number(host: RootedHost, static: Static) -> None:
    bays = dict(static.bays)
    bays[0, 11] = replace(bays[0, 11], serial="Snvme0n1")
    drives = [Drive("/dev/nvme0n1", "nvme", "Snvme0n1")]
    slots = read_slots(host, drives, replace(static, bays=bays))
    assert [(s.number, s.drive.name) for s in slots] == [(11, "nvme0n1")]


def test_no_enclosure_and_no_drive_is_no_slot(host: RootedHost, static: Static) -> None:
    assert read_slots(host, [], static) == []
    assert read_slots(host, [_drive("sda")]) == []


def test_enclosures_are_asked_only_where_the_kernel_tells_nothing(
    host: RootedHost, shelves: Shelves
) -> None:
    shelves.plug("sg5")
    drives = [_drive("sda", WWN + 0x70)]
    assert [slot.number for slot in find_slots(host, drives)] == [7]
    asked = len(shelves.calls())
    assert asked > 0
    _link(host, "0:0:1:0", 3, "sda")
    assert [slot.number for slot in find_slots(host, drives)] == [3]
    assert len(shelves.calls()) == asked


@pytest.mark.usefixtures("no_tools")
def test_without_sg_ses_drives_have_no_slots(host: RootedHost) -> None:
    host.write("/sys/class/scsi_generic/sg5/device/type", "13\n")
    assert find_slots(host, [_drive("sda", WWN)]) == []


def test_slots_are_written_down_as_a_table(host: RootedHost) -> None:
    _link(host, "0:0:1:0", 3, "sdc")
    table = as_table(read_slots(host, [_drive("sdc", WWN)]))
    assert table.splitlines() == [
        "enclosure,slot,name,node,serial,wwn,model",
        f"{ID},3,Slot 03,/dev/sdc,Ssdc,{WWN:016x},",
    ]
