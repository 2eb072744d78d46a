"""A disk of this machine as the target of loads, armed where they write to it."""

import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from instruments.errors import BadInput
from instruments.sizes import describe_size
from instruments.tools.hosts import Host, LocalHost
from workloads.guard.arming import Armed, arm, check_usable
from workloads.guard.disk import Disk, Findings
from workloads.guard.look import look
from workloads.guard.nodes import find_disk


@dataclass(frozen=True, slots=True)
class Device:
    """A disk that loads run on.

    Attributes:
        path: The path through which a load opens it.
        disk: The disk, as it was found.
        size: Bytes from its start that loads use, 0 for all.
        armed: What may be overwritten, None where nothing may.
        direct: Loads on a disk bypass the page cache.
    """

    path: Path
    disk: Disk
    size: int
    armed: Armed | None = None
    direct: bool = True


def is_device(path: Path) -> bool:
    """Tell whether a target is a device, or would be one if it were there."""
    if is_device_name(path):
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISBLK(mode) or stat.S_ISCHR(mode)


def is_device_name(path: Path) -> bool:
    """Tell whether a name lies below /dev, where only root makes names."""
    above = Path(os.path.abspath(path)).parents  # noqa: PTH100  (".." is cut, too)
    return Path("/dev") in above and Path("/dev/shm") not in above


def open_device(
    path: Path,
    size: int,
    *,
    writes: bool,
    words: Sequence[str] = (),
    overrule: Sequence[str] = (),
    allow: Sequence[str] = (),
    host: Host | None = None,
    see: Callable[[str], Findings] | None = None,
) -> Device:
    """Find the disk that a bench names, and arm it where a load will write to it.

    Args:
        path: As the bench names it.
        size: Bytes that loads will use, 0 for all.
        writes: Whether any load writes or erases.
        words: What was typed to arm disks.
        overrule: Types of traces of data that may be overwritten, as typed.
        allow: Serial numbers or WWNs that the bench lets be overwritten; any where
            it is empty.
        host: The machine, this one where it is None.
        see: Looks at a disk where that needs rights that we do not have.

    Raises:
        BadInput: It is not a disk, too small, not armed, or must not be overwritten.
        BenchError: It cannot be looked at.
    """
    host = host or LocalHost()
    disk = find_disk(host, str(path))
    # A name in a folder of somebody's may lead elsewhere when a tool opens it again.
    is_roots = is_device_name(path) and path.is_block_device()
    named = path if is_roots else Path(disk.path)
    found = None
    if writes:
        found = see(str(named)) if see else look(host, str(named))
        # What is refused anyway needs no other size, no place on a list and no word.
        check_usable(str(named), found, overrule)
    if size > disk.identity.size:
        raise BadInput(
            f"the disk has {describe_size(disk.identity.size)}, "
            f"the load wants {describe_size(size)}",
            where=str(path),
            way_out="Give a smaller size in [dut], or none for the whole disk.",
        )
    if found is None:
        return Device(named, disk, size)
    _check_allowed(disk, allow)
    word = disk.word if disk.word in words else " ".join(words)
    armed = arm(str(named), found, word, overrule)
    return Device(named, disk, size, armed)


def _check_allowed(disk: Disk, allow: Sequence[str]) -> None:
    if allow and not disk.allowed_as & set(allow):
        raise BadInput(
            f"{disk.title} is not on the bench's list of disks that may be overwritten",
            where="[guard] allow",
            way_out=f'Add "{disk.word}" to it, if that is right.',
        )
