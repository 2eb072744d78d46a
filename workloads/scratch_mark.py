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
