"""Disks with two paths: QEMU's own on one file, telling what they are told to tell."""

import contextlib
import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.workloads.guard.loops import tool

SIZE = 64 * 2**20


@dataclass(frozen=True)
class Told:
    """What one path tells: equal to the first path's, another, or nothing."""

    serial: str = "equal"
    wwn: str = "equal"
    size: str = "equal"
    product: str = "equal"

    def __str__(self) -> str:
        return (
            f"serial {self.serial}, WWN {self.wwn}, size {self.size}, "
            f"model {self.product}"
        )


_WORDS = ("equal", "other", "none")
TOLD = (
    Told(),
    *(Told(*words) for words in itertools.product(_WORDS, _WORDS)),
    Told("equal", "other", "other"),
    Told("equal", "other", "equal", "other"),
    Told("other", "other", "other", "other"),
)
"""What the path with each SCSI target number tells; the first is the first path."""

OTHER_WWN, ALL_OTHER = Told("equal", "other"), TOLD[-1]
_SERIAL = {"equal": "ZL2A1B2C", "other": "ZL9Y8X7W"}
_WWN = {"equal": "0x5000c500a1b2c3d4", "other": "0x5000c500a1b2c3d7"}
_PRODUCT = {"equal": "ST4000NM0033", "other": "Virtual disk"}


def machine(folder: Path) -> list[str]:
    """Make the disks' files; give QEMU's words for all paths to them."""
    image, spaces = folder / "paths.img", [folder / f"nvme{n}.img" for n in (1, 2)]
    for file in (image, *spaces):
        file.unlink(missing_ok=True)
        file.touch()
        with file.open("r+b") as made:
            made.truncate(SIZE)
    argv = ["-device", "virtio-scsi-pci,id=paths"]
    for number, told in enumerate(TOLD):
        size = SIZE - 2**20 if told.size == "other" else SIZE
        drive = f"if=none,id=path{number},format=raw,file.locking=off,size={size}"
        argv += ["-drive", f"{drive},file={image}"]
        words = [f"scsi-hd,bus=paths.0,scsi-id={number},drive=path{number},share-rw=on"]
        words += [f"product={_PRODUCT[told.product]},vendor=GUARD"]
        words += [f"serial={_SERIAL[told.serial]}"] if told.serial in _SERIAL else []
        words += [f"wwn={_WWN[told.wwn]}"] if told.wwn in _WWN else []
        argv += ["-device", ",".join(words)]
    argv += ["-device", "nvme-subsys,id=sub"]
    for number in (1, 2):
        argv += ["-device", f"nvme,id=ctrl{number},serial=S4EVNX0M,subsys=sub"]
    for number, file in enumerate(spaces, 1):
        argv += ["-drive", f"if=none,id=space{number},format=raw,file={file}"]
        words = [f"nvme-ns,drive=space{number},bus=ctrl2,nsid={number},shared=on"]
        argv += ["-device", *words]
    return argv


@contextlib.contextmanager
def first_path() -> Iterator[str]:
    """Get the disk by its first path alone, blank."""
    tool("modprobe", "virtio_scsi")
    _wait_for(0)
    for number in range(1, len(TOLD)):
        _remove(number)
    path = _wait_for(0)
    try:
        yield path
    finally:
        with Path(path).open("r+b", buffering=0) as disk:
            for _ in range(SIZE // 2**20):
                disk.write(bytes(2**20))
        tool("blockdev", "--flushbufs", path)


@contextlib.contextmanager
def second_path(told: Told) -> Iterator[str]:
    """Have a further path to it come up."""
    number = TOLD.index(told, 1)
    (_host() / "scan").write_text(f"0 {number} 0")
    try:
        yield _wait_for(number)
    finally:
        _remove(number)


@contextlib.contextmanager
def nvme_paths() -> Iterator[tuple[str, str, str]]:
    """Get one namespace by both controllers, and the other namespace."""
    tool("modprobe", "nvme-core", "multipath=N")
    tool("modprobe", "nvme")
    names = ("/dev/nvme0n1", "/dev/nvme1n1", "/dev/nvme0n2")
    deadline = time.monotonic() + 120
    while not all(Path(name).exists() for name in names):
        assert time.monotonic() < deadline, "the namespaces did not come"
        time.sleep(0.2)
    yield names
    tool("wipefs", "--quiet", "--all", names[0])
    tool("wipefs", "--quiet", "--all", names[2])


def _host() -> Path:
    return next(
        file.parent
        for file in Path("/sys/class/scsi_host").glob("host*/proc_name")
        if file.read_text().strip() == "virtio_scsi"
    )


def _device(number: int) -> Path:
    return Path(f"/sys/bus/scsi/devices/{_host().name[4:]}:0:{number}:0")


def _remove(number: int) -> None:
    if _device(number).exists():
        (_device(number) / "delete").write_text("1")


def _wait_for(number: int) -> str:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        with contextlib.suppress(StopIteration):
            for path in (_device(number) / "block").glob("sd*"):
                if Path(f"/dev/{path.name}").exists():
                    return f"/dev/{path.name}"
        time.sleep(0.2)
    raise AssertionError(f"path {number} did not come")
