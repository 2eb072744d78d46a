"""A folder that is watched: each session that ends in it is given on, once."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.record.store import session_files, summary

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
