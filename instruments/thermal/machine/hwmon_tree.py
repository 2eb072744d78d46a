"""What the kernel's sensors are: chips in /sys/class/hwmon, known by their devices.

Chips are told apart by the device that they belong to, never by the number of their
folder, which another boot may change. Some have no device: they are told apart by their
name and the label of their first sensor. Formats are those of the kernel's hwmon sysfs
interface.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from instruments.errors import BenchError
from instruments.thermal.drives.drive_list import Drive, drive_place, list_drives
from instruments.thermal.sensor_values import short_name
from instruments.thermal.ses.slots import locations, read_slots
from instruments.tools.hosts import Host

_FOLDER = "/sys/class/hwmon"
_TIMEOUT_S = 10.0
# temp1_input, in0_label, power1_average and so on (kernel, hwmon/sysfs-interface).
_ATTRIBUTE = re.compile(r"(temp|fan|in|curr|power|humidity)(\d{1,18})_(\w+)")
# Chips of the kernel's drivers for SATA and NVMe drives: one chip is one drive.
_DRIVES = ("drivetemp", "nvme")
_NO_DEVICE = re.compile(r"/hwmon\d+/device$")
"""Ends the path to the device of a chip that has none."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A sensor chip, or a drive that has a sensor.

    Attributes:
        name: The driver's name for it, such as "coretemp".
        folder: Its real folder now.
        device: The real folder of the device it belongs to; "" where there is none.
        attributes: Its files, such as "temp1_input".
        texts: What labels and limits say, by attribute.
        serial: Serial number of the drive; "" where it is not one.
        place: Location of the drive, such as "slot07" or "drive-S1"; "" where none.
    """

    name: str
    folder: str
    device: str
    attributes: tuple[str, ...]
    texts: dict[str, str] = field(default_factory=dict)
    serial: str = ""
    place: str = ""

    @property
    def key(self) -> str:
        """Tell it from other chips, the same after it was gone and came back."""
        return f"{self.name} {self.serial or self.device or self.label}"

    @property
    def label(self) -> str:
        """Get the label of its first sensor that has one, else ""."""
        labels = (
            self.texts.get(f"{kind}{number}_label", "")
            for kind, number, _ in self.inputs()
        )
        return next(filter(None, labels), "")

    @property
    def part(self) -> str:
        """Name the part it is on: by its driver and its device, whatever else is there.

        Such as "coretemp-0", "nct6798-656", "k10temp-00-18-3" or "jc42-0-0018".
        """
        last = self.device.rpartition("/")[2]
        last = last.removeprefix("0000:")  # the PCI domain that all computers have
        numbered = re.fullmatch(r"[A-Za-z]\w*\.(\d{1,18})", last)
        suffix = numbered[1] if numbered else last
        if suffix in ("", self.name):
            return short_name(self.name)
        return f"{short_name(self.name)}-{short_name(suffix)}"

    def path(self, attribute: str) -> str:
        """Get the path of one of its files."""
        return f"{self.folder}/{attribute}"

    def inputs(self) -> Iterable[tuple[str, str, str]]:
        """Give kind, number and attribute of each of its sensors, in order."""
        attributes = {}
        for attribute in sorted(self.attributes):
            parts = _ATTRIBUTE.fullmatch(attribute)
            if parts and parts[3] in ("average", "input"):
                # power1_input is momentary and wins over power1_average, its mean.
                attributes[parts[1], int(parts[2])] = attribute
        for (kind, number), attribute in sorted(attributes.items()):
            yield kind, str(number), attribute


def scan(host: Host, names: tuple[str, ...] = ()) -> list[Chip]:
    """Find the chips of a machine; their values are not read.

    Args:
        host: The machine.
        names: Names of chips to keep; empty for all.

    Raises:
        BenchError: The host cannot be reached.
    """
    folders = _folders(host)
    if not folders:
        return []
    files = _find(host, list(folders), "-maxdepth", "1", "-type", "f")
    files = [path for path in files if _ATTRIBUTE.fullmatch(path.rpartition("/")[2])]
    texts = _texts(host, folders, files)
    chips = [
        chip
        for folder, device in folders.items()
        if (chip := _chip(folder, device, files, texts)).name in (names or (chip.name,))
    ]
    # The order of the folders is that of a boot; channels keep theirs.
    chips.sort(key=lambda chip: (chip.name, chip.device, chip.label))
    return _placed(host, chips)


def _texts(
    host: Host, folders: Iterable[str], files: Iterable[str]
) -> dict[str, str | None]:
    """Read what does not change: names, labels, limits, serial numbers."""
    wanted = [path for path in files if path.endswith(("_label", "_max", "_crit"))]
    extra = ("name", "device/serial", "device/vpd_pg80")
    wanted += [f"{folder}/{name}" for folder in folders for name in extra]
    return host.read_many(wanted, _TIMEOUT_S)


def _folders(host: Host) -> dict[str, str]:
    """Get the real folder of each chip's device by the chip's own real folder."""
    classes = [f"{_FOLDER}/{entry}" for entry in host.list_folder(_FOLDER)]
    if not classes:
        return {}
    links = [path for each in classes for path in (each, f"{each}/device")]
    real = host.run(["readlink", "-m", "--", *links], _TIMEOUT_S).stdout.splitlines()
    if len(real) != len(links):
        raise BenchError(
            "readlink does not report the folders of the sensors",
            where=f"{_FOLDER} on {host}",
            way_out="Check whether readlink of coreutils is there.",
        )
    return dict(zip(real[::2], real[1::2], strict=True))


def _chip(
    folder: str, device: str, files: list[str], texts: dict[str, str | None]
) -> Chip:
    name = (texts[f"{folder}/name"] or "").strip() or "unnamed"
    own_texts = {
        path.rpartition("/")[2]: texts.get(path)
        for path in files
        if path.rpartition("/")[0] == folder
    }
    return Chip(
        name,
        folder,
        # A chip without a device has no link there, which is its own path then.
        "" if _NO_DEVICE.search(device) else device,
        tuple(own_texts),
        {key: text.strip() for key, text in own_texts.items() if text},
        _serial(texts, folder) if name in _DRIVES else "",
    )


def _serial(texts: dict[str, str | None], folder: str) -> str:
    if serial := (texts[f"{folder}/device/serial"] or "").strip():
        return serial
    # The unit serial number page of SCSI (SPC): a head of four bytes, then the text.
    page = texts[f"{folder}/device/vpd_pg80"] or ""
    return re.sub(r"[^\x20-\x7e]", "", page[4:]).strip()


def _placed(host: Host, chips: list[Chip]) -> list[Chip]:
    """Fill in serial numbers and slots of drives."""
    of_drives = [chip for chip in chips if chip.name in _DRIVES]
    if not of_drives:
        return chips
    try:
        drives = list_drives(host)
        places = locations(read_slots(host, drives))
    except BenchError:  # Without them a drive is known by its serial number alone.
        drives, places = [], {}
    blocks = _blocks(host, of_drives)
    return [
        _place(chip, drives, places, blocks) if chip.name in _DRIVES else chip
        for chip in chips
    ]


def _place(
    chip: Chip, drives: list[Drive], places: dict[str, str], blocks: dict[str, str]
) -> Chip:
    block = blocks.get(chip.device, "")
    for drive in drives:
        if (drive.serial and drive.serial == chip.serial) or drive.name == block:
            serial = drive.serial or chip.serial
            place = places.get(drive.node) or drive_place(serial or drive.name)
            return replace(chip, serial=serial, place=place)
    last = chip.device.rpartition("/")[2]
    return replace(chip, place=drive_place(chip.serial or block or last))


def _blocks(host: Host, chips: list[Chip]) -> dict[str, str]:
    """Get the block device of each drive, by the real folder of its device."""
    folders = [f"{chip.device}/block" for chip in chips]
    names = {}
    for path in _find(host, folders, "-mindepth", "1", "-maxdepth", "1"):
        device, _, name = path.rpartition("/block/")
        names[device] = name
    return names


def _find(host: Host, folders: list[str], *tests: str) -> list[str]:
    done = host.run(["find", *folders, *tests], _TIMEOUT_S)
    return done.stdout.splitlines()
