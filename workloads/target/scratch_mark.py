"""Whose a scratch file is: Bayscope marks its own with an attribute."""

import contextlib
import errno
import os
from pathlib import Path

_MARK = "user.bayscope.scratch"


def mark(handle: int) -> None:
    """Mark an open file as ours, where its file system has user attributes."""
    with contextlib.suppress(OSError):
        os.setxattr(handle, _MARK, b"1")


def is_ours(path: Path) -> bool:
    """Tell whether Bayscope made the file, or it holds no data at all."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return handle_is_ours(handle)
    finally:
        os.close(handle)


def handle_is_ours(handle: int) -> bool:
    """Tell whether Bayscope made an open file, or it holds no data at all.

    The file system is asked for the first data; one that cannot tell says that
    there is some, and counting blocks would miss data kept in the inode.
    """
    with contextlib.suppress(OSError):
        if os.getxattr(handle, _MARK) == b"1":
            return True
    try:
        os.lseek(handle, 0, os.SEEK_DATA)
    except OSError as error:
        return error.errno == errno.ENXIO
    return False
