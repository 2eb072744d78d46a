"""Files that programs lock, in folders where others may make names, too."""

import contextlib
import errno
import os
import stat
from pathlib import Path


def open_lock(path: Path, mode: int, flags: int = os.O_RDWR | os.O_CREAT) -> int:
    """Open a file to lock it and to write a few words into it, or make it.

    A link to somebody's file, left there under its name, is not followed: root would
    cut that file, and let everybody write to it.

    Args:
        path: The file.
        mode: Its permissions where it is made.
        flags: How it is opened.

    Raises:
        OSError: It cannot be opened; ELOOP where it is a link, no plain file, or has
            another name as well.
    """
    # O_NONBLOCK: a pipe under the name would be waited for.
    safely = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    fd = os.open(path, flags | safely, mode)
    status = os.fstat(fd)
    if stat.S_ISREG(status.st_mode) and status.st_nlink <= 1:
        return fd
    os.close(fd)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def is_there(fd: int, path: Path) -> bool:
    """Tell whether an open file still has its name.

    Whoever holds a lock removes its file with it. Who opened that before and locks it
    after keeps nobody out: the next one makes another file of that name.
    """
    with contextlib.suppress(OSError):
        return os.path.samestat(os.fstat(fd), path.lstat())
    return False
