"""The scratch file a load runs on: only Bayscope's own file is ever written.

Until the target guard exists raw devices are refused, and so is a file that holds
somebody else's data.
"""

import contextlib
import errno
import fcntl
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
_IN_DEV, _SHARED = Path("/dev"), Path("/dev/shm")
_SPARE = 256 * 1024 * 1024
"""Bytes that stay free on the disk for the session file and everything else."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """A scratch file that is ready; a lock on it is held until `close`.

    Attributes:
        path: Where it is.
        size: Bytes of it that the load may use.
        direct: Whether its file system takes O_DIRECT.
        handle: The open file that holds the lock.
    """

    path: Path
    size: int
    direct: bool
    handle: int

    def close(self) -> None:
        """Let another run have the file."""
        os.close(self.handle)


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
    if _IN_DEV in path.absolute().parents and _SHARED not in path.absolute().parents:
        raise BadInput(
            "names under /dev are devices, and those are refused in this version",
            where=where,
            way_out="Name a file on the disk; Bayscope makes it.",
        )
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
    _check_place(path, size, writes=writes or mode is None)


def _check_place(path: Path, size: int, *, writes: bool) -> None:
    # The last folder of the path is made with the file, further ones are a typo.
    folder = path.parent if path.parent.is_dir() else path.parent.parent
    if not folder.is_dir():
        raise BadInput(
            f"the folder {path.parent} does not exist",
            where=f"target {path}",
            way_out="Make it, or name another one in [dut] target.",
        )
    writable = path if path.exists() else folder
    if writes and not os.access(writable, os.W_OK):
        raise BadInput(
            f"{writable} cannot be written",
            where=f"target {path}",
            way_out="Ask for the right to write there, or name another file in [dut].",
        )
    held = path.stat().st_blocks * 512 if path.exists() else 0
    what = f"a scratch file of {describe_size(size)} does not fit"
    check_room(path, max(0, size - held), what)


def check_room(path: Path, missing: int, what: str) -> None:
    """Check that bytes that are missing yet fit on the file system of a file.

    Raises:
        BadInput: They do not; `what` is the beginning of the sentence that says so.
    """
    folder = path.parent if path.parent.is_dir() else path.parent.parent
    free = shutil.disk_usage(folder).free
    if missing + _SPARE > free:
        raise BadInput(
            f"{what}, {describe_size(free)} are free and "
            f"{describe_size(_SPARE)} stay so",
            where=f"target {path}",
            way_out="Give a smaller size in [dut], or name a file on another disk.",
        )


def _is_ours(path: Path) -> bool:
    """Tell whether Bayscope made the file, or it holds no data at all."""
    with contextlib.suppress(OSError):
        if os.getxattr(path, _MARK) == b"1":
            return True
    return _is_empty(path)


def _is_empty(path: Path) -> bool:
    """Tell whether a file is nothing but holes.

    The file system is asked for the first data; one that cannot tell says that
    there is some, and counting blocks would miss data kept in the inode.
    """
    with path.open("rb") as file:
        try:
            os.lseek(file.fileno(), 0, os.SEEK_DATA)
        except OSError as error:
            return error.errno == errno.ENXIO
    return False


def prepare(
    path: Path,
    size: int,
    stop: threading.Event,
    progress: Callable[[float], None],
) -> Scratch:
    """Make the scratch file and fill it, so that reads find real data.

    Holes would be answered by the file system and not by the disk. A file that is
    ours, full and large enough is used as it is; somebody else's, which a load that
    only reads may have, is never written. Call `check_target` first.

    Args:
        path: The file.
        size: Its size in bytes.
        stop: Ends the filling early.
        progress: Takes the fraction that is done, from 0 to 1.

    Raises:
        BenchError: The disk is full, the file cannot be written, or another run
            has it.
    """
    handle = -1
    try:
        path.parent.mkdir(exist_ok=True)
        ours = not path.exists() or _is_ours(path)
        flags = os.O_RDWR | os.O_CREAT if ours else os.O_RDONLY
        handle = os.open(path, flags | os.O_CLOEXEC, 0o644)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if ours:
            with contextlib.suppress(OSError):  # No user attributes here.
                os.setxattr(handle, _MARK, b"1")
            if not _is_filled(path, size):
                _fill(handle, size, stop, progress)
        return Scratch(path, size, takes_direct(path), handle)
    except OSError as error:
        if handle >= 0:
            os.close(handle)
        raise _trouble(path, error) from error


def _trouble(path: Path, error: OSError) -> BenchError:
    what, way_out = {
        errno.ENOSPC: (
            "the disk is full",
            "Free some space or give a smaller size in [dut].",
        ),
        errno.EWOULDBLOCK: (
            "another run uses this file",
            "Wait for its end, or name another file in [dut] target.",
        ),
    }.get(
        error.errno or 0,
        (
            f"cannot be used, {error.strerror}",
            "Name a file in a folder that you may write to.",
        ),
    )
    return BenchError(what, where=f"scratch file {path}", way_out=way_out)


def _is_filled(path: Path, size: int) -> bool:
    found = path.stat()
    return found.st_size >= size and found.st_blocks * 512 >= size


def _fill(
    handle: int, size: int, stop: threading.Event, progress: Callable[[float], None]
) -> None:
    block = os.urandom(_BLOCK)
    done = 0
    while done < size and not stop.is_set():
        # A moving start makes every block differ, so nothing can deduplicate it.
        turn = done // _BLOCK % 4093
        piece = (block[turn:] + block[:turn])[: size - done]
        done += os.pwrite(handle, piece, done)
        if done % (16 * _BLOCK) == 0:
            os.fdatasync(handle)
            progress(done / size)
    os.fsync(handle)
    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    progress(min(1.0, done / size))


def takes_direct(path: Path) -> bool:
    """Tell whether loads on the file reach a device past the page cache.

    tmpfs takes O_DIRECT since Linux 6.6, and is memory all the same.
    """
    if _file_system(path) in ("tmpfs", "ramfs", "devtmpfs"):
        return False
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_DIRECT))
    except OSError as error:
        if error.errno == errno.EINVAL:
            return False
        raise
    return True


def _file_system(path: Path) -> str:
    """Get the type of the file system a file is on, "" where it is not known."""
    device = path.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_text("utf-8").splitlines():
            fields, _, kind = line.partition(" - ")
            if fields.split()[2] == number:
                return kind.split()[0]
    return ""
