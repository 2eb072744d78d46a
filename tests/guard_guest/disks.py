"""The guest's disks: Linux's scsi_debug, each with a serial and WWN of its own."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from tests.workloads.guard.loops import tool

NUMBER = 5
_OPTIONS = (f"add_host={NUMBER}", "per_host_store=1", "dev_size_mb=64")


class Pool:
    """Disks that are given out blank, one after the other.

    All disks of one scsi_debug share their memory unless per_host_store is set.
    """

    def __init__(self, *options: str) -> None:
        for module in ("loop", "sd_mod", "sg", "crc32c_generic", "ext4"):
            tool("modprobe", module)
        tool("modprobe", "scsi_debug", *(options or _OPTIONS))
        self._free = wait_for_disks(1 if options else NUMBER)
        for path in list(self._free):  # that of host 0 is named as `twins` are
            device = Path(f"/sys/block/{Path(path).name}/device")
            if not options and "host0" in device.resolve().parts:
                (device / "delete").write_text("1")
                self._free.remove(path)

    @contextlib.contextmanager
    def blank(self) -> Iterator[str]:
        """Get a disk without any trace of data."""
        path = self._free.pop()
        try:
            yield path
        finally:
            for part in sorted(Path("/dev").glob(f"{Path(path).name}[0-9]*")):
                tool("wipefs", "--quiet", "--all", str(part))
            tool("wipefs", "--quiet", "--all", path)
            with Path(path).open("r+b", buffering=0) as file:
                file.write(bytes(2**20))
            tool("blockdev", "--rereadpt", path)
            self._free.append(path)


def wait_for_disks(number: int) -> list[str]:
    """Wait until the kernel has found its disks; give their paths."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = sorted(
            f"/dev/{folder.parent.parent.name}"
            for folder in Path("/sys/block").glob("sd*/device/model")
            if folder.read_text().strip() == "scsi_debug"
        )
        if len(found) >= number and all(Path(path).exists() for path in found):
            return found
        time.sleep(0.2)
    raise AssertionError(f"{number} disks of scsi_debug did not come")
