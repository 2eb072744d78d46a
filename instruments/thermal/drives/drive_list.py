"""Which drives a machine has, by what the kernel and udev know without asking them."""

import re
from dataclasses import dataclass

from instruments.errors import SourceError
from instruments.files.foreign_text import parsed_json
from instruments.thermal.drives.drive_tool import run_tool
from instruments.tools.hosts import Host

# All of it is known to udev and the kernel: lsblk asks no drive.
_COLUMNS = "NAME,TYPE,TRAN,VENDOR,MODEL,SERIAL,WWN,SIZE"
_TIMEOUT_S = 10.0
# Memory, files, volumes and removable media; vd and xvd are disks of a guest, whose
# host knows their health.
_NOT_DRIVES = ("zram", "loop", "ram", "nbd", "md", "dm-", "sr", "fd", "vd", "xvd")


@dataclass(frozen=True, slots=True)
class Drive:
    """One drive.

    Attributes:
        node: Its device node.
        kind: "sat", "scsi" or "nvme", or another type of smartctl's option -d; it is
            always given, because finding it out can spin a drive up. Empty for one
            that the bench names and that is not there.
        serial: Serial number; "" where it is not known.
        wwn: World wide name, 16 hexadecimal digits or more; "" where not known.
        model: Model; "" where it is not known.
    """

    node: str
    kind: str
    serial: str = ""
    wwn: str = ""
    model: str = ""

    @property
    def name(self) -> str:
        """Get its short name, such as "sda" or, behind a controller, "megaraid-3"."""
        behind = self.kind.partition("+")[2] or self.kind
        if "," in behind:
            return behind.replace(",", "-")
        return self.node.rpartition("/")[2]

    @property
    def family(self) -> str:
        """Get "sat", "scsi" or "nvme", also of a drive behind a controller."""
        if "," in self.kind:
            return "sat" if self.kind.startswith("sat+") else "scsi"
        return self.kind


def drive_place(name: str) -> str:
    """Make the location of a drive whose slot is not known, such as "drive-S1".

    Every driver calls a drive so; `name` is its serial number, or else its node's.
    """
    return f"drive-{re.sub(r'[^A-Za-z0-9_-]+', '-', name)}"


def list_drives(host: Host) -> list[Drive]:
    """List the drives of a machine; none of them is asked anything.

    Raises:
        SourceError: lsblk is missing or says nothing that can be read.
    """
    done = run_tool(host, ["lsblk", "-J", "-b", "-d", "-o", _COLUMNS], _TIMEOUT_S)
    try:
        rows = parsed_json(done.stdout)["blockdevices"]
        drives = [_drive(row) for row in rows if _is_drive(row)]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise SourceError(
            "what lsblk printed cannot be read",
            where="lsblk",
            way_out="Look at what 'lsblk -J -d' prints on that machine.",
        ) from None
    # sdb before sdaa, as the kernel names them.
    return sorted(drives, key=lambda drive: (len(drive.node), drive.node))


def choose_drives(host: Host, nodes: tuple[str, ...]) -> list[Drive]:
    """Get the drives that a bench names by node, or all where it names none.

    A named one that is not there is kept without a kind, as long as another one is
    there: it does not keep the others from being read.

    Raises:
        SourceError: None of the named ones is there, or the machine has no drive.
    """
    drives = list_drives(host)
    if nodes:
        by_node = {drive.node: drive for drive in drives}
        real = {node: _resolve(host, node) for node in nodes}
        lost = [node for node, target in real.items() if target not in by_node]
        if len(lost) == len(nodes):
            raise SourceError(
                f"{lost[0]} is not there",
                where=lost[0],
                way_out="Check that the drive is in; 'lsblk -d' lists what is there.",
            )
        drives = [by_node.get(real[node]) or Drive(node, "") for node in nodes]
    if not drives:
        raise SourceError(
            "no drive was found",
            where="lsblk",
            way_out="Check whether the controller is there; 'lsblk -d' lists drives.",
        )
    return drives


def _resolve(host: Host, node: str) -> str:
    if node.count("/") <= 2:
        return node  # no link of /dev/disk
    done = run_tool(host, ["readlink", "-f", "--", node], _TIMEOUT_S)
    return done.stdout.strip() or node


def _is_drive(row: dict[str, object]) -> bool:
    name = str(row.get("name") or "")
    return (
        row.get("type") == "disk"
        and not name.startswith(_NOT_DRIVES)
        and int(str(row.get("size") or 0)) > 0  # an empty card reader has none
    )


def _drive(row: dict[str, object]) -> Drive:
    name = _text(row, "name")
    vendor = _text(row, "vendor")
    kind = "scsi"
    if name.startswith("nvme"):
        kind = "nvme"
    # SCSI / ATA Translation (SAT) gives SATA drives the vendor "ATA", also behind a SAS
    # HBA.
    elif vendor == "ATA" or _text(row, "tran") == "sata":
        kind = "sat"
    return Drive(
        f"/dev/{name}",
        kind,
        _text(row, "serial"),
        _text(row, "wwn").lower().removeprefix("0x").removeprefix("eui."),
        _text(row, "model"),
    )


def _text(row: dict[str, object], key: str) -> str:
    return str(row.get(key) or "").strip()
