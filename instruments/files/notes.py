"""Notes of what a program has while it lives, to be put right where it was killed.

They lie in a place that only this user may write, and who wrote one holds a lock on it.
The lock ends with its process, however that ends: a note that can be locked is of one
that is dead.
"""

import contextlib
import fcntl
import json
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

import platformdirs

from instruments.files.lock_file import is_there

FOLDER, SESSION = "folder", "session"
"""What a note is of."""

_BYTES = 8  # 64 random bits: a name that nobody guesses or meets by chance
_TOKEN = re.compile(f"[0-9a-f]{{{2 * _BYTES}}}")
# Write bits of group and others.
_WRITERS = 0o022


class Note:
    """A note of something that is ours as long as we live, or until we leave it.

    Where none can be kept, such as in a home that is read-only, a kill leaves what
    nobody puts right.

    Args:
        kind: FOLDER, SESSION, or what else is looked for by `put_right`.
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
            self.leave()

    def leave(self) -> None:
        """Let it be that of a dead program, for others to put right."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def new_token() -> str:
    """Make the name of a new note."""
    return os.urandom(_BYTES).hex()


def notes() -> Path:
    """Say where the notes of this computer lie; a home may be that of several."""
    node = re.sub(r"\W", "_", os.uname().nodename) or "here"
    state = platformdirs.user_state_path("bayscope", appauthor=False)
    return state / "notes" / node


def put_right(kind: str, do: Callable[[Path, str], None]) -> None:
    """Put right what programs had that were killed; each note goes then.

    Args:
        kind: What is put right, such as FOLDER or SESSION.
        do: Does it, given the path and the token of the note; where it raises OSError
            the note stays.
    """

    def look(note: Path, kind_of_note: str, path: Path) -> None:
        if kind_of_note in ("", kind):  # One without a word was being written.
            if kind_of_note:
                do(path, note.name)
            note.unlink()

    _look_at_dead(look)


def dead_kinds() -> list[str]:
    """List of what kind the notes of dead programs are; none is put right."""
    kinds: list[str] = []
    _look_at_dead(lambda _, kind, __: kinds.append(kind))
    return kinds


def _look_at_dead(look: Callable[[Path, str, Path], None]) -> None:
    """Show each note of a dead program, with its kind, "" for none, and its path."""
    try:
        entries = sorted(notes().iterdir()) if _is_private(notes()) else []
    except OSError:
        return
    for note in entries:
        # It lives, it is not a note, or what it is of cannot be put right now.
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
            if _TOKEN.fullmatch(note.name):
                _look_at(note, look)


def _look_at(note: Path, look: Callable[[Path, str, Path], None]) -> None:
    fd = os.open(note, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(fd).st_uid == os.getuid() and is_there(fd, note):
            content = os.pread(fd, 8192, 0)
            facts = json.loads(content) if content else {"kind": "", "path": ""}
            look(note, facts["kind"], Path(facts["path"]))
    finally:
        os.close(fd)


def _locked(note: Path) -> int:
    """Make the file of a note, and lock it."""
    while True:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(note, flags, 0o600)
        fcntl.flock(fd, fcntl.LOCK_EX)
        if is_there(fd, note):
            return fd
        os.close(fd)  # It was taken for one of a dead program just then.


def _is_private(folder: Path) -> bool:
    """Tell whether only we may write there: root's notes lie in no user's home."""
    status = folder.lstat()
    is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    return is_own and not status.st_mode & _WRITERS


def _started() -> int:
    """Get when this process began, in clock ticks since the boot; for a person."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        # The name of the program, in parentheses, may have spaces and parentheses.
        fields = Path("/proc/self/stat").read_text("utf-8").rpartition(")")[2].split()
        return int(fields[19])
    return 0
