"""Who is recording: a lock beside the session file, with a reserve of disk in it."""

import contextlib
import errno
import fcntl
import os
import time
from pathlib import Path

from instruments.files.lock_file import is_there, open_lock

RESERVE_BYTES = 4 * 2**20
"""Room set aside for the last words of a recording that filled its disk."""

_LOOKED_AT_S = 0.25
"""How long a lock is asked for, as whoever looks whether it is held has it a moment."""

_AGAIN_S = 0.01


class RecordingLock:
    """Held by the writer as long as a session is recorded.

    The lock is flock's, on a file beside the session, so it ends with the process
    however that ends, and it does not disturb SQLite's own locks, which end when a
    process closes any descriptor of the session file itself. The file is also the
    reserve: filled with allocated blocks that are given back when the disk is full.
    """

    def __init__(self, session: Path) -> None:
        """Take the lock.

        Raises:
            BlockingIOError: Another one holds it.
            OSError: The lock file cannot be made.
        """
        self._path = lock_path(session)
        self._fd = _taken(self._path)

    def reserve(self) -> None:
        """Set disk space aside.

        Raises:
            OSError: There is not that much.
        """
        os.posix_fallocate(self._fd, 0, RESERVE_BYTES)

    def give_reserve(self) -> None:
        """Give the space back to the file system; may be called twice."""
        with contextlib.suppress(OSError):
            os.ftruncate(self._fd, 0)

    def announce_end(self) -> None:
        """Ask readers to let go of the session, which is about to be one file."""
        with contextlib.suppress(OSError):
            os.ftruncate(self._fd, 0)
            os.write(self._fd, b"\n")

    def release(self) -> None:
        """Let go of the lock and take its file away; may be called twice."""
        if self._fd < 0:
            return
        with contextlib.suppress(OSError):
            self._path.unlink()
        os.close(self._fd)
        self._fd = -1


def _taken(path: Path) -> int:
    """Lock the file of that name, which whoever had it before may just remove."""
    deadline = time.monotonic() + _LOOKED_AT_S
    while True:
        fd = open_lock(path, 0o644)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_there(fd, path):
                return fd
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), str(path))
        except OSError:
            os.close(fd)
            if time.monotonic() >= deadline:
                raise
        time.sleep(_AGAIN_S)


def lock_path(session: Path) -> Path:
    """Get the path of the lock beside a session file."""
    return session.with_name(f"{session.name}-lock")


def is_ending(session: Path) -> bool:
    """Tell whether a recording is about to end and readers are to let go."""
    try:
        return lock_path(session).stat().st_size == 1
    except OSError:
        return False


def await_end(session: Path, seconds: float) -> None:
    """Wait until a recording that is about to end has ended."""
    deadline = time.monotonic() + seconds
    while is_ending(session) and is_recorded(session):
        if time.monotonic() >= deadline:
            return
        time.sleep(_AGAIN_S)


def is_recorded(session: Path) -> bool:
    """Tell whether a session is being recorded (or recovered) at this moment."""
    path = lock_path(session)
    while True:
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return False
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            if is_there(fd, path):
                return False
        except OSError:
            return True
        finally:
            os.close(fd)
