"""The folder of sessions that a page offers: listed, followed and searched."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.operations.bench.in_time import Job, in_time
from app.operations.sessions.library import Library
from app.record.store import SessionSummary, looked_through, newest_first, summary
from app.ui.kit.background import Background
from app.ui.kit.question import Question
from instruments.errors import BadInput, BenchError
from instruments.files.mounts import is_remote

_T = TypeVar("_T")
_PART_S = 0.2
_PATIENCE_S = 20.0
"""A folder that does not answer for so long is left alone; its server may be gone."""

_FOLLOW_MS, _SHARE = 3_000, 50
"""A folder is looked at again after this, or this multiple of what a look takes."""

_MOST_HASHED = 300
"""This many of the newest are compared with their hashes."""


class SessionFolder(QObject):
    """Lists a folder part by part; what comes after the folder was left is dropped.

    Args:
        background: Where folders are read.
        path: The folder to begin with.
        parent: The page it belongs to; when it is shown it calls `refresh`.

    Signals:
        reading: What was found so far (list of SessionSummary), of how many files.
        listed: What is in it (list of SessionSummary).
        looked: The same, where some turn out to be changed after their runs.
        matched: The files (set of Path) that are searched for; None for all.
        mistaken: What is wrong with what is searched for, or why the folder cannot be
            read; "" for nothing.
        lost: Why the folder cannot be read, once it is listed so.
    """

    reading = Signal(object, int)
    listed = Signal(object)
    looked = Signal(object)
    matched = Signal(object)
    mistaken = Signal(str)
    lost = Signal(str)

    def __init__(self, background: Background, path: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = parent
        self._background = background
        self._library = Library(path)
        self._shows_published = False
        self._turn = object()
        self._count = 0
        self._found: list[SessionSummary] = []
        self._published: list[SessionSummary] = []
        self._query = self._trouble = ""
        self._awaited: Library | None = None
        # It takes less time than a pause between two keys would.
        self._search = Question(background, self, one_at_a_time=True, pause_ms=0)
        self._search.answered.connect(self._take_match)
        self._search.failed.connect(self._take_mistake)
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self._follow)

    @property
    def path(self) -> Path:
        """Where sessions are looked for."""
        return self._library.folder

    def words(self) -> dict[str, list[str]]:
        """Get the texts that there are by field; not for the GUI thread."""
        return self._library.words()

    def choose(self, path: Path) -> None:
        """Look for sessions elsewhere, from the next time on."""
        self._library, self._turn = Library(path), object()
        self._trouble, self._found, self._published = "", [], []
        self._later.stop()

    @Slot()
    def refresh(self) -> None:
        """List the folder again, unless a look at it has no answer yet."""
        if self._awaited is self._library:
            return
        self._turn = object()
        self._later.stop()
        self._run(self._library.begin, self._begin)

    @Slot(bool)
    def show_published(self, shown: bool) -> None:
        """List the published results that ship behind the others, or no longer."""
        self._shows_published = shown
        self.refresh()

    def _run(self, do: Callable[[], Any], success: Callable[[Any], object]) -> None:
        turn = self._turn
        self._background.run(
            partial(_in_time, str(self.path), do),
            partial(self._take, turn, success),
            partial(self._take, turn, self._give_up),
        )

    def _give_up(self, error: Exception) -> None:
        """Say why it cannot be read, until it can."""
        if not isinstance(error, BenchError):
            self._background.failed.emit(error)
            return
        is_new, self._trouble = not self._trouble, str(error)
        if is_new:
            self.listed.emit(self._found)
        self.mistaken.emit(self._trouble)
        self.lost.emit(self._trouble)
        self._later.start(_FOLLOW_MS)

    def _await(self) -> None:
        """Wait, however long, until a folder that could not be read can be again."""
        library = self._awaited = self._library

        def take(answer: object) -> None:
            if self._awaited is library:
                self._awaited = None
            if library is self._library:
                if isinstance(answer, Exception):
                    self._give_up(answer)
                else:
                    self.refresh()

        self._background.run(library.has_changed, take, take)

    def _take(self, turn: object, take: Callable[[Any], object], answer: Any) -> None:
        if turn is self._turn:
            take(answer)

    def _begin(self, answer: tuple[list[SessionSummary], list[Path]]) -> None:
        self._found, left = answer
        self._count = len(self._found) + len(left)
        self._go_on(left)

    def _go_on(self, left: list[Path]) -> None:
        if left:
            self.reading.emit(self._found, self._count)
            library, found = self._library, self._found

            def read() -> tuple[list[SessionSummary], list[Path]]:
                part = library.read(left, _PART_S)
                return newest_first([*found, *part]), left[len(part) :]

            self._run(read, self._read_on)
        elif self._shows_published:
            # Made here, however long that takes: the folder has answered.
            took = partial(self._take, self._turn, self._end)
            self._background.run(_published, took)
        else:
            self._end([])

    def _read_on(self, answer: tuple[list[SessionSummary], list[Path]]) -> None:
        self._found, left = answer
        self._go_on(left)

    def _end(self, published: list[SessionSummary]) -> None:
        self._trouble, self._published = "", published
        self.listed.emit([*self._found, *published])
        self._search.forget()
        self.search(self._query)
        self._later.start(_FOLLOW_MS)

    @Slot()
    def _follow(self) -> None:
        """List it again where files came, went or changed, while somebody looks."""
        if not self._view.isVisible():
            return
        if self._trouble:
            self._await()
            return
        library = self._library

        def look() -> tuple[bool, float]:
            begin = time.monotonic()
            return library.has_changed(), time.monotonic() - begin

        def take(answer: tuple[bool, float]) -> None:
            changed, seconds = answer
            if changed:
                self.refresh()
            else:
                self._later.start(max(_FOLLOW_MS, round(1000 * _SHARE * seconds)))

        self._run(look, take)

    def search(self, query: str) -> None:
        """Find what is searched for, among what was read; "" is all."""
        self._query = query.strip()
        if self._query:
            library, wanted = self._library, self._query
            self._search.ask((library, wanted), lambda: library.search(wanted))
        else:
            self._search.forget()
            self._take_match(None)

    @Slot(object)
    def _take_match(self, files: set[Path] | None) -> None:
        self.mistaken.emit(self._trouble)
        self.matched.emit(files)

    @Slot(object)
    def _take_mistake(self, error: Exception) -> None:
        if isinstance(error, BenchError):
            self.mistaken.emit(str(error))
        else:
            self._background.failed.emit(error)

    def look_through(self) -> None:
        """Compare the newest with their hashes; of those on a server none."""
        if not is_remote(self.path):
            self._compare_on([], [])

    def _compare_on(
        self, looked: list[SessionSummary], part: list[SessionSummary]
    ) -> None:
        looked = [*looked, *part]
        rest = self._found[len(looked) :]
        if any(one.changed or one.error for one in part):
            self.looked.emit([*looked, *rest, *self._published])
        if rest and len(looked) < _MOST_HASHED:
            self._run(
                partial(_some, looked_through, rest), partial(self._compare_on, looked)
            )


def _in_time(name: str, do: Callable[[], _T]) -> _T:
    """Do it in a thread that is left alone where it hangs, as on a server that is gone.

    Raises:
        BadInput: It cannot be read.
        BenchError: It took too long.
    """
    [answer] = in_time([Job(name, do)], _PATIENCE_S)
    if isinstance(answer, BadInput):
        raise answer
    if isinstance(answer, BenchError):
        raise BenchError(
            f"the folder did not answer within {_PATIENCE_S:g} s",
            where=name,
            way_out="It is listed again when it answers; or choose another folder.",
        )
    return answer


def _published() -> list[SessionSummary]:
    # Only where it is wanted: it makes the files the first time.
    from app.operations.sessions.published import published_sessions  # noqa: PLC0415

    try:
        return [summary(path) for path in published_sessions()]
    except BenchError:
        return []  # They are beside the others, and hide none.


def _some(do: Callable[[Any], _T], of: Sequence[Any]) -> list[_T]:
    """Do it for the first few of them, so that others get a turn."""
    end = time.monotonic() + _PART_S
    done = []
    for one in of:
        done.append(do(one))
        if time.monotonic() > end:
            break
    return done
