"""Folders and files that are ours for a while on another machine.

A note here says that they are there, so that what a kill or a lost connection left is
removed at the next use of that machine: see `sweep_there`.
"""

import os
from collections.abc import Callable
from pathlib import Path

from instruments.errors import BenchError
from instruments.files.notes import FOLDER, Note, dead_kinds, new_token, put_right
from instruments.tools.closing import Closing
from instruments.tools.hosts import Host, LocalHost

_TIMEOUT_S = 15.0
_THERE = "there: "  # begins the kind of a note of another machine

# For this account alone, and made by mkdir: it fails where somebody else has taken the
# name in the folder of all, such as for a link.
_MAKE = 'umask 077; d=${TMPDIR:-/tmp}/$1; mkdir -- "$d" && echo "$d"'
# Only a folder, not a link, and only one of this account, is removed.
_REMOVE = (
    'd=${TMPDIR:-/tmp}/$1; [ -e "$d" ] || exit 0; '
    '[ -d "$d" ] && [ ! -L "$d" ] && [ -O "$d" ] && rm -r -f -- "$d" && echo gone'
)

Remove = Callable[[str], bool]
"""Removes a thing by its name; returns whether it was there, raises BenchError."""


class OwnThere(Closing):
    """A new thing on a machine, which goes when this is closed.

    Args:
        host: The machine, as all call it that use it.
        name: Its name there, with "{}" for what makes it its own.
        make: Makes the thing of a name; returns its path there.
        remove: Removes it.
        here: The folder that it is made in where that is one of this machine.

    Attributes:
        path: Where it is.
        told: What was swept there before, for the user; "" where nothing was.

    Raises:
        BenchError: It cannot be made.
    """

    def __init__(
        self,
        host: object,
        name: str,
        make: Callable[[str], str],
        remove: Remove,
        here: Path | None = None,
    ) -> None:
        token = new_token()
        self._name, self._remove = name.format(token), remove
        # A folder of this machine has a note like all others here, and is swept by it.
        swept = 0 if here else sweep_there(host, remove)
        self.told = f"removed there {left_words(swept)}" if swept else ""
        kind = FOLDER if here else f"{_THERE}{host}"
        self._note: Note | None = Note(kind, (here or Path()) / self._name, token)
        try:
            self.path = make(self._name)
        except BaseException:
            self.close()  # It may be there, though we were not told.
            raise

    def close(self) -> None:
        """Remove it; may be called twice. What cannot be removed is swept later."""
        if self._note is not None:
            try:
                self._remove(self._name)
            except BenchError:
                self.leave()
            else:
                self._note.drop()
                self._note = None

    def leave(self) -> None:
        """Leave it to the next use of the machine, such as while it is not there."""
        if self._note is not None:
            self._note.leave()
            self._note = None


def folder_there(host: Host, prefix: str) -> OwnThere:
    """Make a folder among the temporary ones of a machine, for its account alone.

    Raises:
        BenchError: It cannot be made.
    """
    is_here = isinstance(host, LocalHost)
    here = Path(os.environ.get("TMPDIR") or "/tmp").absolute() if is_here else None

    def make(name: str) -> str:
        done = host.run(["sh", "-c", _MAKE, "sh", name], _TIMEOUT_S)
        if done.code:
            raise BenchError(
                f"no temporary folder can be made ({done.stderr.strip()[:100]})",
                where=str(host),
                way_out="Check whether its disk is full, and whether the account may "
                "write to /tmp there.",
            )
        return done.stdout.strip()

    def remove(name: str) -> bool:
        done = host.run(["sh", "-c", _REMOVE, "sh", name], _TIMEOUT_S)
        if done.code:
            raise BenchError(
                f"it cannot be removed ({done.stderr.strip()[:100]})", where=name
            )
        return bool(done.stdout.strip())

    return OwnThere(host, f"{prefix}{{}}", make, remove, here)


def sweep_there(host: object, remove: Remove) -> int:
    """Remove what killed programs of this user left on a machine; return how much."""
    swept = 0

    def do(path: Path, token: str) -> None:
        nonlocal swept
        if token not in path.name:  # a note that somebody has changed
            return
        try:
            swept += remove(path.name)
        except BenchError as error:
            raise OSError(str(error)) from error  # Its note stays.

    put_right(f"{_THERE}{host}", do)
    return swept


def left_words(count: int) -> str:
    """Name a number of things that were left on a machine."""
    things = (
        "1 temporary folder or file"
        if count == 1
        else (f"{count} temporary folders or files")
    )
    return f"{things} that a killed Bayscope, or a lost connection, had left"


def left_there() -> dict[str, int]:
    """Count by machine what killed programs of this user left on others."""
    counts: dict[str, int] = {}
    for kind in dead_kinds():
        if kind.startswith(_THERE):
            host = kind.removeprefix(_THERE)
            counts[host] = counts.get(host, 0) + 1
    return counts
