"""Notes of what a program has while it lives, to be put right where it was killed.

They lie in a place that only this user may write, and who wrote one holds a lock on it.
The lock ends with its process, however that ends: a note that can be locked is of one
that is dead.
"""

import contextlib
import fcntl
import json
import os
import platform
import re
import secrets
import stat
from collections.abc import Callable
from pathlib import Path

import platformdirs

FOLDER, SESSION = "folder", "session"
"""What a note is of."""

_BYTES = 8
_TOKEN = re.compile(f"[0-9a-f]{{{2 * _BYTES}}}")
_WRITERS = 0o022


class Note:
    """A note of something that is ours as long as we live.

    Where none can be kept, such as in a home that is read-only, a kill leaves what
    nobody puts right.

    Args:
        kind: FOLDER or SESSION.
        path: Where it is, or is going to be.
        token: The name of the note, of `new_token`.
    """

    def __init__(self, kind: str, path: Path, token: str) -> None:
        self._path = notes() / token
        self._fd = -1
        facts = {"kind": kind, "path": str(path), "pid": os.getpid()}
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if _is_private(self._path.parent):
                self._fd = _locked(self._path)
                text = json.dumps({**facts, "started": _started()})
                os.pwrite(self._fd, text.encode(), 0)

    def drop(self) -> None:
        """Take it away: there is nothing to put right any more."""
        if self._fd >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._fd)
            self._fd = -1


def new_token() -> str:
    """Make the name of a new note."""
    return secrets.token_hex(_BYTES)


def notes() -> Path:
    """Say where the notes of this computer lie; a home may be that of several."""
    node = re.sub(r"\W", "_", platform.node()) or "here"
    state = platformdirs.user_state_path("bayscope", appauthor=False)
    return state / "notes" / node


def put_right(kind: str, do: Callable[[Path, str], None]) -> None:
    """Put right what programs had that were killed; each note goes then.

    Args:
        kind: What is put right, FOLDER or SESSION.
        do: Does it, given the path and the token of the note; where it raises OSError
            the note stays.
    """
    try:
        found = sorted(notes().iterdir()) if _is_private(notes()) else []
    except OSError:
        return
    for note in found:
        # It lives, it is no note, or what it is of cannot be put right now.
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
            if _TOKEN.fullmatch(note.name):
                _put_right(note, kind, do)


def _put_right(note: Path, kind: str, do: Callable[[Path, str], None]) -> None:
    fd = os.open(note, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(fd).st_uid != os.getuid() or not _is_there(fd, note):
            return
        told = os.pread(fd, 8192, 0)
        facts = json.loads(told) if told else {"kind": kind}
        if facts["kind"] == kind:
            if told:
                do(Path(facts["path"]), note.name)
            note.unlink()
    finally:
        os.close(fd)


def _locked(note: Path) -> int:
    """Make the file of a note, and lock it."""
    while True:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(note, flags, 0o600)
        fcntl.flock(fd, fcntl.LOCK_EX)
        if _is_there(fd, note):
            return fd
        os.close(fd)  # It was taken for one of a dead program just then.


def _is_private(folder: Path) -> bool:
    """Tell whether only we may write there: root's notes lie in no user's home."""
    found = folder.lstat()
    is_own = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    return is_own and not found.st_mode & _WRITERS


def _is_there(fd: int, path: Path) -> bool:
    with contextlib.suppress(OSError):
        return os.path.samestat(os.fstat(fd), path.lstat())
    return False


def _started() -> int:
    """Get when this process began, in clock ticks since the boot; for a person."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = Path("/proc/self/stat").read_text("utf-8").rpartition(")")[2].split()
        return int(fields[19])
    return 0
