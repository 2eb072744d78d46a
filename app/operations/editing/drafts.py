"""Drafts of campaigns: kept while they are edited, found again after a crash.

A draft is a file in the state folder with a lock of its program's beside it, so it ends
with the program however that ends: one whose lock can be had was left behind.
"""

import fcntl
import json
import os
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import platformdirs

from instruments.errors import BadInput
from instruments.files.foreign_text import MOST_TEXT, parsed_json, read_text
from instruments.files.lock_file import is_there
from instruments.timebase import monotonic_ns

_MOST_DRAFT = 8 * MOST_TEXT
"""Bytes of a draft: in JSON a character may take six."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody was editing.

    Attributes:
        name: Of the campaign.
        text: Its text, which need not be without mistakes.
        file: Where it was to be saved, "" where it was never.
        kept_s: When, in seconds since 1970.
    """

    name: str
    text: str
    file: str = ""
    kept_s: float = 0.0


class DraftKeeper:
    """Keeps the one draft of this program; safe to be called from any thread."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or drafts_folder()
        self._path = self._folder / f"{os.getpid()}-{monotonic_ns()}.json"
        self._lock: int | None = None
        self._one_at_a_time = threading.Lock()

    def keep(self, draft: Draft) -> None:
        """Write the draft, whole or not at all.

        Raises:
            OSError: It cannot be written; nothing else is lost by that.
        """
        with self._one_at_a_time:
            self._folder.mkdir(parents=True, exist_ok=True)
            if self._lock is None:
                self._lock = _locked(self._path)
            unborn = self._path.with_suffix(".new")
            unborn.write_text(json.dumps(asdict(draft)), encoding="utf-8")
            with unborn.open("rb") as written:
                os.fsync(written.fileno())
            unborn.replace(self._path)

    def drop(self) -> None:
        """Forget the draft: it was saved, or nobody wants it."""
        with self._one_at_a_time:
            self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go; a draft that was not dropped can be found by the next program."""
        if self._lock is not None:
            if not self._path.exists():
                _lock_path(self._path).unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None


class LeftDraft:
    """A draft of a program that has ended; nobody else is offered it meanwhile.

    Attributes:
        draft: What was being edited.
    """

    def __init__(self, draft: Draft, path: Path, lock: int) -> None:
        self.draft = draft
        self._path = path
        self._lock: int | None = lock

    def drop(self) -> None:
        """Forget it: it is kept elsewhere, or nobody wants it."""
        self._path.unlink(missing_ok=True)
        _lock_path(self._path).unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        """Leave it to the next program."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def left_behind(folder: Path | None = None) -> list[LeftDraft]:
    """Find the drafts of programs that have ended, the newest first.

    What cannot be read is left out, and stays where it is.
    """
    drafts = []
    for path in sorted((folder or drafts_folder()).glob("*.json")):
        with suppress(OSError):
            lock = _locked(path)
            if lock is None:
                continue
            try:
                draft = Draft(**parsed_json(read_text(path, _MOST_DRAFT)))
            except (BadInput, ValueError, TypeError):
                os.close(lock)
                continue
            drafts.append(LeftDraft(draft, path, lock))
    return sorted(drafts, key=lambda left: left.draft.kept_s, reverse=True)


def has_left_behind(folder: Path | None = None) -> bool:
    """Tell whether a program that has ended left a draft."""
    found = left_behind(folder)
    for left in found:
        left.release()
    return bool(found)


def sweep_drafts(folder: Path | None = None) -> None:
    """Remove what programs that were killed left beside drafts, but no draft."""
    for lock in (folder or drafts_folder()).glob("*.lock"):
        with suppress(OSError):
            path = lock.with_suffix(".json")
            handle = None if path.exists() else _locked(path)
            if handle is not None:
                path.with_suffix(".new").unlink(missing_ok=True)
                lock.unlink()
                os.close(handle)


def drafts_folder() -> Path:
    """Get the folder of drafts."""
    return platformdirs.user_state_path("bayscope", appauthor=False) / "drafts"


def _lock_path(path: Path) -> Path:
    return path.with_suffix(".lock")


def _locked(path: Path) -> int | None:
    """Take the lock of a draft; None where another program has it."""
    lock = _lock_path(path)
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            return None
        if is_there(handle, lock):
            return handle
        os.close(handle)  # It was swept between the two.
