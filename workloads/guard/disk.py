"""What a block device is, and what on this machine has to do with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

WHOLE = ("disk", "loop", "mpath", "lvm", "rom")
"""Types of devices that are whole, as lsblk names them; raid0 and so on as well."""


@dataclass(frozen=True, slots=True)
class DiskIdentity:
    """What tells one disk from any other; compared before every write.

    Attributes:
        serial: Serial number, "" where the device has none or a placeholder.
        wwn: World wide name, "" where it has none.
        size: In bytes.
        diskseq: The kernel's count of disks that came; a disk that goes and comes
            back under the same name has another one. 0 where the kernel has none
            (before Linux 5.15).
        number: Major and minor number, such as "8:16".
    """

    serial: str
    wwn: str
    size: int
    diskseq: int
    number: str


@dataclass(frozen=True, slots=True)
class Signature:
    """A trace of data: a file system, a partition table, a member of an array.

    Attributes:
        device: The device or partition it is on, such as "sdb1".
        type: As wipefs names it, such as "ext4", "gpt", "linux_raid_member".
        label: Its label or UUID, "" where it has none.
    """

    device: str
    type: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Disk:
    """A device as it is found at one moment.

    Attributes:
        path: Its node, such as "/dev/sdb".
        name: The kernel's name, such as "sdb".
        type: "disk", "part", "loop", "mpath", "lvm", "raid1", ...
        identity: What tells it from others.
        model: Maker and model.
        transport: "sas", "sata", "nvme", "usb", ... or "".
        slot: Slot of its enclosure, "" where it is not known.
        read_only: Whether the kernel refuses writes.
        backing: The file behind a loop device.
        partitions: Names of its partitions.
        links: Stable names that lead to it, below /dev/disk/by-id.
        serials: Every serial number that it or the kernel tells.
        wwns: Every name of its logical unit that it or the kernel tells.
        uuids: UUIDs of what is on it and its partitions, as far as udev knows them.
        shares_serial: Whether another node of its machine tells its serial number, too:
            a namespace of its controller, another bay of its bridge, another path.
    """

    path: str
    name: str
    type: str
    identity: DiskIdentity
    model: str = ""
    transport: str = ""
    slot: str = ""
    read_only: bool = False
    backing: str = ""
    partitions: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    serials: tuple[str, ...] = ()
    wwns: tuple[str, ...] = ()
    uuids: tuple[str, ...] = ()
    shares_serial: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole device and not a part of one."""
        return self.type in WHOLE or self.type.startswith(("raid", "linear", "md"))

    @property
    def word(self) -> str:
        """What has to be typed to arm it: what is printed on the disk, if anything.

        A device without serial and WWN is named by its kernel name and exact size,
        which nobody types by accident. A serial number that is not its own names none.
        """
        own = self.identity
        serial = "" if self.shares_serial else own.serial
        return serial or own.wwn or f"{self.name}:{own.size}"

    @property
    def allowed_as(self) -> set[str]:
        """By which names a bench may let it be overwritten."""
        return {self.word, self.identity.wwn} - {""}

    @property
    def best_path(self) -> str:
        """The path to write into a bench: one that stays, where there is one."""
        return self.links[0] if self.links else self.path

    @property
    def title(self) -> str:
        """Name it for a person."""
        parts = (
            self.path,
            self.model,
            f"serial {self.identity.serial}" if self.identity.serial else "",
            f"WWN {self.identity.wwn}" if self.identity.wwn else "",
            f"{self.identity.size / 1e9:.1f} GB",
            self.slot,
            f"file {self.backing}" if self.backing else "",
        )
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Findings:
    """All that speaks against writing to a disk, as it was found at one moment.

    Attributes:
        disk: The disk.
        mounts: Places where it or a part of it is mounted, in any namespace.
        swaps: Parts of it that are swap space in use.
        holders: Devices that are built on it or its parts: md, LVM, dm-crypt, loop.
        multipath: The multipath device it is a path of, "" where it is not one.
        twins: Other paths to the same disk.
        alike: Names of disks that may be the same one, and what makes that dangerous.
        signatures: Traces of data on it and its partitions.
        is_system: Whether the running system stands on it.
        pools: ZFS pools that are imported from it.
        writers: Programs that have it or a part of it open for writing.
        busy: Why it is not available for oneself, "" where it can.
        blind: What could not be looked at, and why; never taken for "nothing".
    """

    disk: Disk
    mounts: tuple[str, ...] = ()
    swaps: tuple[str, ...] = ()
    holders: tuple[str, ...] = ()
    multipath: str = ""
    twins: tuple[str, ...] = ()
    alike: Mapping[str, str] = field(default_factory=dict)
    signatures: tuple[Signature, ...] = ()
    is_system: bool = False
    pools: tuple[str, ...] = ()
    writers: tuple[str, ...] = ()
    busy: str = ""
    blind: tuple[str, ...] = ()

    @property
    def is_used(self) -> bool:
        """Whether something that is in use was found on it."""
        return bool(
            self.mounts or self.swaps or self.holders or self.multipath or self.pools
        )


_BINARY_NAMES = {2: "eui", 3: "naa"}
# Designator type 8h: SCSI name string (SPC).
_NAME_STRING = 8


def unit_names(page: bytes) -> tuple[str, ...]:
    """Read the names of the logical unit from VPD page 0x83 (SPC-4, 7.8.6).

    Names of target ports and devices are not names of the disk. Vendor's and T10's own
    are not unique: the latter repeats maker, model and serial number.
    """
    found, place = [], 4
    while place + 4 <= len(page):
        kind, length = page[place + 1], page[place + 3]
        content = page[place + 4 : place + 4 + length]
        place += 4 + length
        if kind & 0x30:  # of a target port or a target device
            continue
        if kind & 0x0F in _BINARY_NAMES:
            found.append(f"{_BINARY_NAMES[kind & 0x0F]}.{content.hex()}")
        elif kind & 0x0F == _NAME_STRING:
            found.append(content.rstrip(b"\0 ").decode("utf-8", "replace"))
    return tuple(found)
