"""The scratch file a load runs on: only Bayscope's own file is ever written.

Until the target guard exists raw devices are refused, and so is a file that holds
somebody else's data.
"""

import contextlib
import errno
import os
import shutil
import stat
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from instruments.errors import BadInput, BenchError
from workloads.sizes import describe_size

_MARK = "user.bayscope.scratch"
_BLOCK = 4 * 1024 * 1024
_SPARE = 256 * 1024 * 1024
"""Bytes that stay free on the disk for the session file and everything else."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """A scratch file that is ready.

    Attributes:
        path: Where it is.
        size: Bytes of it that the load may use.
        direct: Whether its file system takes O_DIRECT.
    """

    path: Path
    size: int
    direct: bool


def check_target(path: Path, size: int, *, writes: bool) -> None:
    """Check a target without touching it.

    Args:
        path: The file.
        size: Bytes that the load will use.
        writes: Whether any step writes to it.

    Raises:
        BadInput: It is a device, a folder, somebody's data, or does not fit.
    """
    where = f"target {path}"
    try:
        mode = path.stat().st_mode if path.exists() else None
    except OSError as error:
        reason = error.strerror or "unknown error"
        raise BadInput(f"cannot be looked at, {reason}", where=where) from error
    if mode is not None and (stat.S_ISBLK(mode) or stat.S_ISCHR(mode)):
        raise BadInput(
            "this is a device, and raw devices are refused in this version",
            where=where,
            way_out="Name a file on the disk; Bayscope makes it.",
        )
    if mode is not None and not stat.S_ISREG(mode):
        raise BadInput(
            "this is not a file",
            where=where,
            way_out="Name a file that does not exist yet; Bayscope makes it.",
        )
    if mode is not None and not _is_ours(path):
        if writes:
            raise BadInput(
                "this file holds data that Bayscope did not write",
                where=where,
                way_out="Name a file that does not exist yet; nothing was changed.",
            )
        if path.stat().st_size < size:
            raise BadInput(
                f"the file has {describe_size(path.stat().st_size)}, "
                f"the load wants {describe_size(size)}",
                where=where,
                way_out="Give a smaller size in [dut].",
            )
    _check_space(path, size)


def _check_space(path: Path, size: int) -> None:
    # The last folder of the path is made with the file, further ones are a typo.
    folder = path.parent if path.parent.is_dir() else path.parent.parent
    if not folder.is_dir():
        raise BadInput(
            f"the folder {path.parent} does not exist",
            where=f"target {path}",
            way_out="Make it, or name another one in [dut] target.",
        )
    held = path.stat().st_blocks * 512 if path.exists() else 0
    free = shutil.disk_usage(folder).free
    if max(0, size - held) + _SPARE > free:
        raise BadInput(
            f"a scratch file of {describe_size(size)} does not fit, "
            f"{describe_size(free)} are free and {describe_size(_SPARE)} stay so",
            where=f"target {path}",
            way_out="Give a smaller size in [dut], or name a file on another disk.",
        )


def _is_ours(path: Path) -> bool:
    """Tell whether Bayscope made the file, or nobody wrote to it (only holes)."""
    if path.stat().st_blocks == 0:
        return True
    with contextlib.suppress(OSError):
        return os.getxattr(path, _MARK) == b"1"
    return False


def prepare(
    path: Path,
    size: int,
    stop: threading.Event,
    progress: Callable[[float], None],
) -> Scratch:
    """Make the scratch file and fill it, so that reads find real data.

    Holes would be answered by the file system and not by the disk. A file that is
    ours, full and large enough is used as it is. Call `check_target` first.

    Args:
        path: The file.
        size: Its size in bytes.
        stop: Ends the filling early.
        progress: Takes the fraction that is done, from 0 to 1.

    Raises:
        BenchError: The disk is full or the file cannot be written.
    """
    try:
        path.parent.mkdir(exist_ok=True)
        if not _is_filled(path, size):
            _fill(path, size, stop, progress)
    except OSError as error:
        full = error.errno == errno.ENOSPC
        raise BenchError(
            "the disk is full" if full else f"cannot be written, {error.strerror}",
            where=f"scratch file {path}",
            way_out="Free some space or give a smaller size in [dut]."
            if full
            else "Name a file in a folder that you may write to.",
        ) from error
    return Scratch(path, size, takes_direct(path))


def _is_filled(path: Path, size: int) -> bool:
    if not path.exists():
        return False
    found = path.stat()
    return found.st_size >= size and found.st_blocks * 512 >= size


def _fill(
    path: Path, size: int, stop: threading.Event, progress: Callable[[float], None]
) -> None:
    block = os.urandom(_BLOCK)
    with path.open("r+b" if path.exists() else "xb", buffering=0) as file:
        with contextlib.suppress(OSError):  # No user attributes on this file system.
            os.setxattr(file.fileno(), _MARK, b"1")
        done = 0
        while done < size and not stop.is_set():
            # A moving start makes every block differ, so nothing can deduplicate it.
            turn = done // _BLOCK % 4093
            piece = (block[turn:] + block[:turn])[: size - done]
            done += file.write(piece)
            if done % (16 * _BLOCK) == 0:
                os.fdatasync(file.fileno())
                progress(done / size)
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    progress(1.0)


def takes_direct(path: Path) -> bool:
    """Tell whether the file's file system takes O_DIRECT."""
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_DIRECT))
    except OSError as error:
        if error.errno == errno.EINVAL:
            return False
        raise
    return True
