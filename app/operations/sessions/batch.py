"""The same with many sessions: of files, of folders, of a folder that is watched."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from app.record.store import session_files, summary
from instruments.errors import BadInput
from instruments.sizes import counted

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Batch(Generic[Made]):
    """What came of many sessions.

    Attributes:
        made: What was made of those that are good.
        errors: What is wrong with the others.
    """

    made: Sequence[Made]
    errors: Sequence[BadInput]

    @property
    def exit_code(self) -> int:
        """Of the command: 2 where a session could not be read, or written."""
        return BadInput.exit_code if self.errors else 0

    @property
    def summary(self) -> str:
        """How many were good and bad; "" of a single one, which says all itself."""
        good, bad = len(self.made), len(self.errors)
        return summary_of(good, bad) if good + bad > 1 else ""

    def as_json(self) -> dict[str, object]:
        """Get what is wrong as plain values; nothing where all is good."""
        return {"errors": list(map(str, self.errors))} if self.errors else {}


def summary_of(good: int, bad: int) -> str:
    """Say how many sessions were exported, and how many could not be."""
    failed = f", {bad} could not be" if bad else ""
    return f"{good} of {counted(good + bad, 'session')} exported{failed}."


def session_paths(places: Sequence[Path]) -> list[Path]:
    """Get files, and of each folder the sessions in it by their names.

    Raises:
        BadInput: A folder has none, or cannot be read.
    """
    paths: list[Path] = []
    for place in places:
        if not place.is_dir():
            paths.append(place)
            continue
        files = sorted(session_files(place))
        if not files:
            raise BadInput(
                "there is no session in this folder",
                where=str(place),
                way_out="Name a folder with .bayscope files, or the files.",
            )
        paths += files
    return list(dict.fromkeys(paths))


def each_session(
    places: Sequence[Path], do: Callable[[Path, str], Made]
) -> Batch[Made]:
    """Do something with each of many sessions.

    Args:
        places: Files, and folders with sessions in them.
        do: Makes something of one, given the file and a name for what is made: that
            of the file, numbered where several have it. What it raises as BadInput is
            of that one alone.

    Raises:
        BadInput: There is one alone, and it is bad; or a folder has none.
    """
    paths = session_paths(places)
    made: list[Made] = []
    errors: list[BadInput] = []
    stems = [path.stem for path in paths]
    for number, path in enumerate(paths):
        same = stems[:number].count(path.stem)
        try:
            made.append(do(path, f"{path.stem}-{same + 1}" if same else path.stem))
        except BadInput as error:
            if len(paths) == 1:
                raise
            errors.append(error)
    return Batch(made, errors)


LOOK_S = 5.0
"""Seconds from one look at the folder to the next."""

_SHARE = 0.01
"""Of the processor, so that thousands of files are looked at more rarely."""

_Look = tuple[int, int, int]


class WatchedFolder:
    """Knows which sessions of a folder have ended since it was looked at before.

    One counts once its file has not changed from one look to the next: what is being
    copied there is half a session until then. One that is recorded, or was cut off and
    may be continued, is looked at again when it changes. One that cannot be read is
    given on as well, once: whoever opens it says why.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._settling: dict[Path, _Look] = {}
        self._done: dict[Path, _Look] = {}

    def ended(self) -> list[Path]:
        """Look at the folder, and find the sessions that have ended, by their names.

        Raises:
            BadInput: The folder cannot be read.
        """
        finished = []
        files = session_files(self._folder)
        for path in sorted(files):
            look = _look(path)
            if look is None or self._done.get(path) == look:
                continue
            # One that is still copied here grows: it is read once it stays as it is.
            if self._settling.get(path) != look:
                self._settling[path] = look
                continue
            one = summary(path)
            if one.state == "recording":
                continue
            self._done[path] = look
            if one.error or one.state == "complete":
                finished.append(path)
        gone = (self._done.keys() | self._settling.keys()) - set(files)
        for path in gone:
            self._done.pop(path, None)
            self._settling.pop(path, None)
        return finished

    def forever(self) -> Iterator[Path]:
        """Give each session that ends, and wait for the next; it never returns."""
        while True:
            begin = time.thread_time()
            found = self.ended()
            spent = time.thread_time() - begin
            yield from found
            if not found:
                time.sleep(max(LOOK_S, spent / _SHARE))


def is_written(session: Path, files: Sequence[Path]) -> bool:
    """Tell whether files were all made of a session as it is now."""
    try:
        made = session.stat().st_mtime_ns
        return all(path.stat().st_mtime_ns >= made for path in files)
    except OSError:
        return False


def _look(path: Path) -> _Look | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
