"""Whether a file may become the scratch file of a load; checked without touching it."""

import contextlib
import errno
import os
import shutil
import stat
from pathlib import Path

from instruments.errors import BadInput
from instruments.sizes import describe_size

# An extended attribute: it stays with the file where that is renamed.
_MARK = "user.bayscope.scratch"


def mark(handle: int) -> None:
    """Mark an open file as ours, where its file system has user attributes."""
    with contextlib.suppress(OSError):
        os.setxattr(handle, _MARK, b"1")


def is_ours(path: Path) -> bool:
    """Tell whether Bayscope made the file, or it holds no data at all."""
    # O_NONBLOCK, as a FIFO of that name would be waited for.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return handle_is_ours(handle)
    finally:
        os.close(handle)


def handle_is_ours(handle: int) -> bool:
    """Tell whether Bayscope made an open file, or it holds no data at all.

    The file system is asked for the first data; one that cannot tell reports
    some, and counting blocks would miss data kept in the inode.
    """
    with contextlib.suppress(OSError):
        if os.getxattr(handle, _MARK) == b"1":
            return True
    try:
        os.lseek(handle, 0, os.SEEK_DATA)
    except OSError as error:
        return error.errno == errno.ENXIO
    return False


SPARE = 256 * 2**20
"""Bytes that stay free on the disk for the session file and everything else."""

# Below /dev, but a file system: names there are files.
_IN_DEV, _SHARED = Path("/dev"), Path("/dev/shm")


def check_target(path: Path, size: int, *, writes: bool) -> None:
    """Check a target without touching it.

    Raises:
        BadInput: It is a device, a folder, somebody's data, or does not fit.
    """
    where = str(path)
    # A name that is not there yet would become a file in memory, not on a disk.
    if _IN_DEV in path.absolute().parents and _SHARED not in path.absolute().parents:
        raise BadInput(
            "names below /dev are devices, and a scratch file cannot be one",
            where=where,
            way_out="Name a file on the disk; Bayscope makes it.",
        )
    try:
        status = path.stat() if path.exists() else None
    except OSError as error:
        reason = error.strerror or "unknown error"
        raise BadInput(f"cannot be looked at: {reason}", where=where) from error
    if status is not None:
        _check_kind(status.st_mode, where)
        _check_content(path, status.st_size, size, writes=writes)
    _check_place(path, size, writes=writes or status is None)


def _check_kind(mode: int, where: str) -> None:
    """Check that what is there is a plain file."""
    if stat.S_ISBLK(mode) or stat.S_ISCHR(mode):
        raise BadInput(
            "this is a device, and a scratch file cannot be one",
            where=where,
            way_out="Name a file on the disk; Bayscope makes it.",
        )
    if not stat.S_ISREG(mode):
        raise BadInput(
            "this is not a file",
            where=where,
            way_out="Name a file that does not exist yet; Bayscope makes it.",
        )


def _check_content(path: Path, present: int, size: int, *, writes: bool) -> None:
    """Check that a file is ours, or is only read and large enough for that."""
    if is_ours(path):
        return
    if writes:
        raise BadInput(
            "this file holds data that Bayscope did not write",
            where=str(path),
            way_out="Name a file that does not exist yet; nothing was changed.",
        )
    if present < size:
        raise BadInput(
            f"the file has {describe_size(present)}, "
            f"the load wants {describe_size(size)}",
            where=str(path),
            way_out="Give a smaller size in [dut].",
        )


def _check_place(path: Path, size: int, *, writes: bool) -> None:
    # The last folder of the path is made with the file, further ones are a typo.
    folder = path.parent if path.parent.is_dir() else path.parent.parent
    if not folder.is_dir():
        raise BadInput(
            f"the folder {path.parent} does not exist",
            where=str(path),
            way_out="Make it, or name another one in [dut] target.",
        )
    writable = path if path.exists() else folder
    if writes and not os.access(writable, os.W_OK):
        raise BadInput(
            f"{writable} cannot be written",
            where=str(path),
            way_out="Ask for the right to write there, or name another file in [dut].",
        )
    what = f"a scratch file of {describe_size(size)} does not fit"
    check_room(path, max(0, size - held_by(path)), what)


def held_by(path: Path) -> int:
    """Get the bytes that a file takes of its disk; 0 where it is not there."""
    # st_blocks counts units of 512 bytes, whatever the file system (stat(2)).
    return path.stat().st_blocks * 512 if path.exists() else 0


def check_room(path: Path, missing: int, what: str) -> None:
    """Check that bytes that are missing yet fit on the file system of a file.

    Raises:
        BadInput: They do not; `what` is the beginning of the sentence that says so.
    """
    folder = path.parent if path.parent.is_dir() else path.parent.parent
    if shortage := shortage_in(folder, missing):
        raise BadInput(
            f"{what}: {shortage}",
            where=str(path),
            way_out="Give a smaller size in [dut], or name a file on another disk.",
        )


def shortage_in(folder: Path, need: int) -> str:
    """Say how much is free in a folder where bytes do not fit there, else ""."""
    free = shutil.disk_usage(folder).free
    if need + SPARE <= free:
        return ""
    return f"{describe_size(free)} are free, of which {describe_size(SPARE)} stay free"
