"""What a running load has open, against what it may have open."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

_HARMLESS_MAJORS = (1, 5, 136)
"""Memory devices (/dev/null, /dev/urandom) and terminals."""

_ZFS = "/dev/zfs"
"""Through which zpool speaks to the kernel; disks it names are checked before."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a load may open.

    Attributes:
        numbers: Device numbers of its disks and partitions, none where it has files.
        folder: Its own folder, in which it may write.
        writes: Whether it may open its disk for writing.
        is_tool: Whether it is a program with its own files, such as a Java
            machine: only disks and raw devices are looked at, in all that it started.
        files: Device and inode of each of its files.
    """

    numbers: tuple[str, ...] = ()
    folder: str = ""
    writes: bool = False
    is_tool: bool = False
    files: tuple[tuple[int, int], ...] = ()


def family(pid: int) -> list[int]:
    """List a program and all that it started: its children, and its process group.

    What it started and left behind has another parent, and still its group.
    """
    parents: dict[int, list[int]] = {}
    family = [pid]
    for entry in os.listdir("/proc"):  # noqa: PTH208  (as above)
        if not entry.isdigit():
            continue
        try:
            text = Path(f"/proc/{entry}/stat").read_text("utf-8", "replace")
        except OSError:
            continue  # it has ended
        # The name may hold spaces and brackets (proc_pid_stat(5)).
        parent, group = text.rpartition(")")[2].split()[1:3]
        parents.setdefault(int(parent), []).append(int(entry))
        if int(group) == pid and int(entry) != pid:
            family.append(int(entry))
    for one in family:
        family += [child for child in parents.get(one, ()) if child not in family]
    return family


def stray_file(pid: int, allowed: Allowed) -> str:
    """Look for an open file that a load must not have.

    Files that are only read are left alone, disks that are only read are not: reading
    the wrong disk would be the wrong measurement.

    Returns:
        A sentence about the first one that is not allowed, "" where there is none.
        A process that has ended, or that is not ours to look at, has none.
    """
    members = family(pid) if allowed.is_tool else [pid]
    troubles = (_stray_file_of(member, allowed) for member in members)
    return next(filter(None, troubles), "")


def _stray_file_of(pid: int, allowed: Allowed) -> str:
    base = Path(f"/proc/{pid}/fd")
    try:
        numbers = os.listdir(base)  # noqa: PTH208  (the fast way: it is asked often)
    except OSError:
        return ""
    for number in numbers:
        try:
            status = (base / number).stat()
            link = os.readlink(base / number)  # noqa: PTH115
            writes = _writes(pid, number)
        except OSError:
            continue  # closed in between
        if trouble := judge(status, link, writes, allowed):
            return trouble
    return ""


def judge(status: os.stat_result, link: str, writes: bool, allowed: Allowed) -> str:
    """Say what is wrong with an open file of a load, "" where it may have it."""
    mode = status.st_mode
    if stat.S_ISBLK(mode):
        return _judge_disk(status, link, writes, allowed)
    if stat.S_ISCHR(mode):
        harmless = os.major(status.st_rdev) in _HARMLESS_MAJORS or link == _ZFS
        if writes and not harmless:
            return f"it has the raw device {link} open for writing"
    elif stat.S_ISREG(mode) and writes and not _may_write(status, link, allowed):
        return f"it has {link} open for writing, and not the file of the bench"
    return ""


def _judge_disk(
    status: os.stat_result, link: str, writes: bool, allowed: Allowed
) -> str:
    number = f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
    if number not in allowed.numbers:
        return f"it has {link} open ({number}), and not the disk of the bench"
    if writes and not allowed.writes:
        return f"it has {link} open for writing, and was to read only"
    return ""


def _may_write(status: os.stat_result, link: str, allowed: Allowed) -> bool:
    own = (status.st_dev, status.st_ino) in allowed.files
    # A file without a name is gone with the process.
    memory = not status.st_nlink or link.startswith(("/memfd:", "/dev/shm/"))
    inside = bool(allowed.folder) and link.startswith(f"{allowed.folder}/")
    return allowed.is_tool or own or memory or inside


def _writes(pid: int, number: str) -> bool:
    text = Path(f"/proc/{pid}/fdinfo/{number}").read_text("ascii")
    flags = next(line for line in text.splitlines() if line.startswith("flags:"))
    # Octal, as proc(5) says. O_RDONLY is 0: any bit of the access mode may write.
    return bool(int(flags.split()[1], 8) & os.O_ACCMODE)
