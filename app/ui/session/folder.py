"""The folder of sessions that a page offers, listed off the GUI thread."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from app.record.store import (
    SessionSummary,
    looked_through,
    newest_first,
    session_files,
    summary,
)
from app.ui.kit.background import Background

_T = TypeVar("_T")
_PART_S = 0.2


class SessionFolder(QObject):
    """Lists a folder part by part; what comes after the folder was left is dropped.

    Args:
        background: Where folders are read.
        path: The folder to begin with.
        parent: What it belongs to.

    Signals:
        reading: What was found so far (list of SessionSummary), of how many files.
        listed: What is in it (list of SessionSummary).
        looked: The same, where some turn out to be changed after their runs.
    """

    reading = Signal(object, int)
    listed = Signal(object)
    looked = Signal(object)

    def __init__(self, background: Background, path: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._path = path
        self._turn = object()
        self._files: list[Path] = []
        self._found: list[SessionSummary] = []

    @property
    def path(self) -> Path:
        """Where sessions are looked for."""
        return self._path

    def choose(self, path: Path) -> None:
        """Look for sessions elsewhere, from the next time on."""
        self._path, self._turn = path, object()

    @Slot()
    def refresh(self) -> None:
        """List the folder again."""
        self._turn = object()
        self._run(partial(session_files, self._path), self._begin)

    def _run(self, do: Callable[[], Any], success: Callable[[Any], object]) -> None:
        turn = self._turn
        self._background.run(
            do,
            partial(self._take, turn, success),
            partial(self._take, turn, self._give_up),
        )

    def _give_up(self, error: Exception) -> None:
        self.listed.emit([])
        self._background.failed.emit(error)

    def _take(self, turn: object, take: Callable[[Any], object], answer: Any) -> None:
        if turn is self._turn:
            take(answer)

    def _begin(self, files: list[Path]) -> None:
        self._files, self._found = files, []
        self._read_on([])

    def _read_on(self, part: list[SessionSummary]) -> None:
        self._found = newest_first([*self._found, *part])
        count = len(self._found)
        if count == len(self._files):
            self.listed.emit(self._found)
            return
        self.reading.emit(self._found, len(self._files))
        self._run(partial(_some, summary, self._files[count:]), self._read_on)

    def look_through(self) -> None:
        """Compare what is listed with its hashes, from the newest on."""
        self._compare_on([], [])

    def _compare_on(
        self, looked: list[SessionSummary], part: list[SessionSummary]
    ) -> None:
        looked = [*looked, *part]
        rest = self._found[len(looked) :]
        if any(one.changed or one.error for one in part):
            self.looked.emit([*looked, *rest])
        if rest:
            self._run(
                partial(_some, looked_through, rest), partial(self._compare_on, looked)
            )


def _some(do: Callable[[Any], _T], of: Sequence[Any]) -> list[_T]:
    """Do it for the first few of them, so that others get a turn."""
    end = time.monotonic() + _PART_S
    done = []
    for one in of:
        done.append(do(one))
        if time.monotonic() > end:
            break
    return done
