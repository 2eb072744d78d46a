"""The scratch file a load runs on: only Bayscope's own file is ever written."""

import contextlib
import errno
import fcntl
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from instruments.errors import BenchError, plain_words
from workloads.guard.root_only import is_roots
from workloads.target.scratch_check import handle_is_ours, is_ours, mark

_BLOCK = 4 * 1024 * 1024


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


def prepare(
    path: Path, size: int, stop: threading.Event, progress: Callable[[float], None]
) -> Scratch:
    """Make the scratch file and fill it, so that reads find real data.

    Holes would be answered by the file system and not by the disk. A file that is
    ours, full and large enough is used as it is; somebody else's, which a load that
    only reads may have, is never written. Call `check_target` first. `progress` takes
    the fraction that is done, from 0 to 1.

    Raises:
        BenchError: The disk is full, the file cannot be written, or another run
            has it.
    """
    handle = -1
    try:
        path.parent.mkdir(exist_ok=True)
        ours = not path.exists() or is_ours(path)
        handle = os.open(path, _flags(path, writes=ours), 0o644)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if ours:
            _make_full(handle, size, stop, progress)
        # By its handle: its name may lead elsewhere by now.
        direct = takes_direct(Path(f"/proc/self/fd/{handle}"))
        return Scratch(path, size, direct, handle)
    except OSError as error:
        if handle >= 0:
            os.close(handle)
        raise _trouble(path, error) from error


def _flags(path: Path, *, writes: bool) -> int:
    flags = os.O_RDWR | os.O_CREAT if writes else os.O_RDONLY
    if os.geteuid() == 0 and not is_roots(path.parent):
        flags |= os.O_NOFOLLOW  # a link would have root make and fill any file
    return flags | os.O_NONBLOCK | os.O_CLOEXEC


def _make_full(
    handle: int, size: int, stop: threading.Event, progress: Callable[[float], None]
) -> None:
    if not handle_is_ours(handle):  # its name leads elsewhere by now
        raise FileExistsError(errno.EEXIST, "it has become another file")
    mark(handle)
    if not _is_filled(handle, size):
        _fill(handle, size, stop, progress)


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
            f"cannot be used: {plain_words(error)}",
            "Name a file in a folder that you may write to.",
        ),
    )
    return BenchError(what, where=f"scratch file {path}", way_out=way_out)


def _is_filled(handle: int, size: int) -> bool:
    # Its length alone would take holes for data.
    status = os.fstat(handle)
    return status.st_size >= size and status.st_blocks * 512 >= size


def _fill(
    handle: int, size: int, stop: threading.Event, progress: Callable[[float], None]
) -> None:
    # Random bytes, so that a disk that compresses gains nothing.
    block = os.urandom(_BLOCK)
    done = 0
    while done < size and not stop.is_set():
        # A moving start makes every block differ, so nothing can deduplicate it.
        turn = done // _BLOCK % 4093
        piece = (block[turn:] + block[:turn])[: size - done]
        done += os.pwrite(handle, piece, done)
        # Now and then, or all of it waits in memory and the last fsync hangs for it.
        if done % (16 * _BLOCK) == 0:
            os.fdatasync(handle)
            progress(done / size)
    os.fsync(handle)
    # What stays in the page cache would answer the first reads.
    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    progress(min(1.0, done / size))


def takes_direct(path: Path) -> bool:
    """Tell whether loads on the file reach a device past the page cache.

    tmpfs takes O_DIRECT since Linux 6.6, and is memory all the same.
    """
    if _file_system(path) in ("tmpfs", "ramfs", "devtmpfs"):
        return False
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_DIRECT | os.O_NONBLOCK))
    except OSError as error:
        if error.errno == errno.EINVAL:  # the file system does not know the flag
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
