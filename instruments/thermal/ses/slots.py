"""Which drive sits in which slot of an enclosure."""

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from instruments.errors import BenchError, SourceError
from instruments.files.foreign_text import cell
from instruments.thermal.drives.drive_list import Drive
from instruments.thermal.ses.channels import slot_of
from instruments.thermal.ses.element import Static
from instruments.thermal.ses.nodes import find_nodes, find_shelves
from instruments.thermal.ses.tool import SesTool
from instruments.tools.hosts import Host

# Filled by the kernel's module "ses"; each folder has the enclosure's elements.
_ENCLOSURES = "/sys/class/enclosure"
_NEAR = 3
"""How far the address of a drive's port may be from its world wide name. Two ports
mostly use the next two numbers; that there are never more is assumed."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot with a drive in it.

    Attributes:
        enclosure: Enclosure logical identifier, 16 hexadecimal digits.
        number: The enclosure's own slot number.
        name: What the enclosure calls it.
        drive: The drive in it.
    """

    enclosure: str
    number: int
    name: str
    drive: Drive


def find_slots(host: Host, drives: Sequence[Drive]) -> list[Slot]:
    """Find the slots of drives: by the kernel's links, else by asking enclosures.

    Raises:
        BenchError: The host cannot be reached.
    """
    slots = read_slots(host, drives)
    if slots or not find_nodes(host):
        return slots
    tool = SesTool(host)
    try:
        shelves = find_shelves(tool)
    except BenchError:
        return []  # no sg_ses, or no right to use it: drives go by serial number
    for shelf in shelves:
        with suppress(SourceError):
            slots += read_slots(host, drives, tool.static(shelf.nodes[0]))
    return slots


def read_slots(
    host: Host, drives: Sequence[Drive], static: Static | None = None
) -> list[Slot]:
    """Find the slots that drives sit in.

    The kernel's links say it where its module "ses" is loaded. Otherwise the SAS
    addresses of an enclosure are compared with those of the drives.

    Args:
        host: The machine with the drives.
        drives: The drives to place.
        static: What an enclosure said of its bays, if one was asked.

    Raises:
        BenchError: The host cannot be reached.
    """
    slots = _by_kernel(host, {drive.name: drive for drive in drives})
    if static is not None:
        identifier = static.configuration.logical_id
        if not any(slot.enclosure == identifier for slot in slots):
            slots += _by_address(host, drives, static)
    return sorted(slots, key=lambda slot: (slot.enclosure, slot.number))


def locations(slots: Sequence[Slot], enclosure: str = "") -> dict[str, str]:
    """Get the location of each drive by its node, such as "slot07".

    Drives in slots whose number is there in two enclosures get none, unless the one
    that is meant is named.

    Args:
        slots: As found.
        enclosure: Logical identifier of the only one that counts; "" for all.
    """
    counted = [slot for slot in slots if enclosure in ("", slot.enclosure)]
    # Two paths to one drive are two nodes in one slot, which is not ambiguous.
    places = {(slot.enclosure, slot.number) for slot in counted}
    numbers = Counter(number for _, number in places)
    return {
        slot.drive.node: f"slot{slot.number:02d}"
        for slot in counted
        if numbers[slot.number] == 1
    }


def as_table(slots: Sequence[Slot]) -> str:
    """Write slots down as CSV, for the record of a run."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(("enclosure", "slot", "name", "node", "serial", "wwn", "model"))
    for slot in slots:
        drive = slot.drive
        place = (slot.enclosure, slot.number, slot.name)
        facts = (drive.node, drive.serial, drive.wwn, drive.model)
        rows.writerow([cell(str(text)) for text in (*place, *facts)])
    return text.getvalue()


def _by_kernel(host: Host, drives: Mapping[str, Drive]) -> list[Slot]:
    slots = []
    for folder in host.list_folder(_ENCLOSURES):
        place = f"{_ENCLOSURES}/{folder}"
        names = host.list_folder(place)
        wanted = [f"{place}/{name}/slot" for name in names]
        numbers = host.read_many([f"{place}/id", *wanted])
        identifier = (numbers[f"{place}/id"] or folder).strip().removeprefix("0x")
        for name, path in zip(names, wanted, strict=True):
            number = (numbers[path] or "").strip()
            if not number.isdigit():  # a file of the enclosure, or a fan or a sensor
                continue
            blocks = host.list_folder(f"{place}/{name}/device/block")
            slots += [
                Slot(identifier, int(number), name.strip(), drives[block])
                for block in blocks
                if block in drives
            ]
    return slots


def _by_address(host: Host, drives: Sequence[Drive], static: Static) -> list[Slot]:
    paths = {
        drive.node: f"/sys/block/{drive.name}/device/sas_address" for drive in drives
    }
    texts = host.read_many(paths.values())
    addresses = {
        drive.node: _number(texts[paths[drive.node]] or "") for drive in drives
    }
    slots = []
    for key, bay in static.bays.items():
        attached = list(filter(None, map(_number, bay.addresses)))
        drive = _match(drives, addresses, attached, bay.serial)
        if drive is not None:
            number = slot_of(static, key)
            name = static.names.get(key, f"slot{number:02d}")
            slots.append(Slot(static.configuration.logical_id, number, name, drive))
    return slots


def _match(
    drives: Sequence[Drive],
    addresses: Mapping[str, int],
    attached: Sequence[int],
    serial: str,
) -> Drive | None:
    """Get the drive behind an address; none where two are as near."""
    for drive in drives:
        if (serial and drive.serial == serial) or addresses[drive.node] in attached:
            return drive
    return _nearest(drives, attached)


def _nearest(drives: Sequence[Drive], attached: Sequence[int]) -> Drive | None:
    """Get the drive whose world wide name an address is near; None where two are.

    Two nodes of one drive share that name, and are no rivals.
    """
    near = [
        (distance, drive.wwn, drive)
        for drive in drives
        for number in attached
        if drive.wwn and (distance := abs(number - _number(drive.wwn))) <= _NEAR
    ]
    best = min((distance for distance, _, _ in near), default=0)
    nearest = {wwn: drive for distance, wwn, drive in near[::-1] if distance == best}
    return next(iter(nearest.values())) if len(nearest) == 1 else None


def _number(text: str) -> int:
    digits = text.strip().lower().removeprefix("0x").removeprefix("naa.")
    try:
        return int(digits, 16)
    except ValueError:
        return 0
