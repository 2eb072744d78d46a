"""The sessions of a folder by what is known of them: listed, read on, searched."""

import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import platformdirs

from app.operations.sessions.query import parse_query
from app.record.store import SessionSummary, newest_first
from app.record.store.index import Index, Stamp
from app.record.store.library import look, stamps

_PART_S = 0.2


class Library:
    """One folder with its index; its methods may be called by several threads.

    The index is a cache in the user's cache folder: it may be deleted at any time, and
    a file that is not as it was read is read again.

    Args:
        index: What is known of sessions; None for that of the user.

    Attributes:
        folder: The folder.
    """

    def __init__(self, folder: Path, index: Index | None = None) -> None:
        self.folder = folder
        self._own = index
        self._stamps: dict[str, Stamp | None] = {}
        self._paths: dict[str, Path] = {}  # of all files, as `begin` gave them
        self._losses = 0

    @property
    def _index(self) -> Index:
        """The index; that of the user is opened when it is first wanted."""
        return self._own or _index_of_user(index_path())

    def begin(self) -> tuple[list[SessionSummary], list[Path]]:
        """Look at the folder.

        Returns:
            The sessions that are known as they are, and the files that `read` is to
            be given, by their names from the last to the first.

        Raises:
            BadInput: The folder cannot be read.
        """
        found = self._stamps = stamps(self.folder)
        self._losses = self._index.losses
        known = self._index.known(self.folder, found)
        left = sorted(found.keys() - known.keys(), reverse=True)
        self._paths = {name: one.path for name, one in known.items()}
        self._paths |= {name: self.folder / name for name in left}
        return newest_first(known.values()), [self._paths[name] for name in left]

    def has_changed(self) -> bool:
        """Tell whether the folder is another than `begin` saw; reads no session.

        Raises:
            BadInput: The folder cannot be read.
        """
        return stamps(self.folder) != self._stamps

    def read(
        self, files: Sequence[Path], seconds: float = _PART_S
    ) -> list[SessionSummary]:
        """Read the first few of these files, so that others get a turn.

        Args:
            files: Files that `begin` gave.
            seconds: After so long it stops.
        """
        end = time.monotonic() + seconds
        done = []
        for path in files:
            done.append((path.name, self._stamps.get(path.name), look(path)))
            if time.monotonic() > end:
                break
        self._index.keep(self.folder, done)
        return [one.summary for _, _, one in done]

    def read_all(self) -> list[SessionSummary]:
        """List all sessions, the newest first; raises BadInput as `begin`."""
        found, left = self.begin()
        while left:
            part = self.read(left)
            found, left = [*found, *part], left[len(part) :]
        return newest_first(found)

    def search(self, text: str) -> set[Path]:
        """Find the sessions for which a query holds, among those that `begin` saw.

        Raises:
            BadInput: The query is none.
        """
        terms = parse_query(text)
        names = self._index.search(self.folder, terms)
        if self._index.losses != self._losses:
            self.read_all()  # what is searched was lost with its file
            names = self._index.search(self.folder, terms)
        paths = self._paths
        return {paths[name] for name in names if name in paths}

    def words(self) -> dict[str, list[str]]:
        """Get texts that there are, by the fields of a query."""
        return self._index.words(self.folder)


@lru_cache(maxsize=1)
def _index_of_user(path: Path) -> Index:
    """Open it once for all folders of a program."""
    return Index(path)


def index_path() -> Path:
    """Name the file of the user's index."""
    return platformdirs.user_cache_path("bayscope", appauthor=False) / "library.sqlite"
