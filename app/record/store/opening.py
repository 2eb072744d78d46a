"""Opening a session file in whatever state it was left."""

import contextlib
import shutil
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from app.record.store import database
from app.record.store.closing import READERS_S
from app.record.store.errors import damaged
from app.record.store.lock import await_end, is_recorded
from app.record.store.migrations import migrate
from app.record.store.recovery import recover
from instruments.errors import BadInput
from instruments.own_folder import OwnFolder


@dataclass
class Opened:
    """A read connection, and what is to be cleaned up after it.

    Attributes:
        connection: The connection.
        path: What it reads: the session file, or its copy.
        is_live: Whether the file is being recorded.
        scratch: A temporary folder with the copy that is read, or None.
        fits_hash: Whether its content is what was hashed; None until it is looked at.
    """

    connection: sqlite3.Connection
    path: Path
    is_live: bool = False
    scratch: OwnFolder | None = None
    fits_hash: bool | None = None

    def again(self) -> sqlite3.Connection:
        """Connect to the same file once more, for what takes long."""
        return _connect(self.path)

    def close(self) -> None:
        """Close the connection and remove the copy; may be called twice."""
        self.connection.close()
        if self.scratch is not None:
            self.scratch.close()
            self.scratch = None


def open_file(path: Path) -> Opened:
    """Open a session for reading; recover it first where a crash left it behind.

    Raises:
        BadInput: It is missing, foreign, damaged or newer; it is not changed.
    """
    version = database.check_header(path)
    await_end(path, READERS_S)
    if is_recorded(path):
        return Opened(database.connect_for_reading(path), path, is_live=True)
    over, tidy = _look(path)
    if over and tidy and version == database.VERSION:
        return Opened(_connect(path), path)
    if not over:
        _check_inside(path)
    try:
        _put_right(path)
        return Opened(database.connect_for_reading(path), path)
    except BlockingIOError:  # somebody else recovers it at this very moment
        return Opened(database.connect_for_reading(path), path, is_live=True)
    except (sqlite3.OperationalError, OSError):
        if over and version == database.VERSION:
            return Opened(_connect(path), path)
        return open_copy(path)


def _look(path: Path) -> tuple[bool, bool]:
    """Tell whether the recording ended in order, and as a single file."""
    wal = database.wal_path(path)
    companions = (wal, *(path.with_name(path.name + e) for e in ("-shm", "-journal")))
    tidy = not any(companion.exists() for companion in companions)
    if not tidy and wal.exists() and wal.stat().st_size:
        return False, False
    connection = database.connect_unlocked(path)
    try:
        row = connection.execute("SELECT state FROM session").fetchone()
    except (sqlite3.DatabaseError, ValueError) as error:
        raise damaged(path, str(error)) from error
    finally:
        connection.close()
    return row is not None and row[0] in ("complete", "crashed"), tidy


def _connect(path: Path) -> sqlite3.Connection:
    """Connect to a file that is over, wherever it lies."""
    try:
        return database.connect_for_reading(path)
    except sqlite3.OperationalError:
        return database.connect_unlocked(path)


def _check_inside(path: Path) -> None:
    """Look a crashed file over before anything is done to it.

    Raises:
        BadInput: It is damaged inside.
    """
    try:
        with contextlib.closing(database.connect_for_reading(path)) as connection:
            verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.OperationalError:  # No log can be read here: it is for the copy.
        return
    except sqlite3.DatabaseError as error:
        raise damaged(path, str(error)) from error
    if verdict != "ok":
        raise damaged(path, str(verdict))


def _put_right(path: Path) -> None:
    """Recover and migrate a file in place.

    Raises:
        sqlite3.OperationalError: It cannot be written.
        OSError: Its folder cannot be written.
    """
    recover(path)
    migrate(path)


def open_copy(path: Path) -> Opened:
    """Recover and migrate a copy, because the file itself cannot be written.

    Raises:
        BadInput: There is no room for it.
    """
    scratch = OwnFolder("bayscope-copy-")
    try:
        copy = scratch.path / path.name
        for original in (path, database.wal_path(path)):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(original, copy.with_name(original.name))
        _put_right(copy)
        return Opened(database.connect_for_reading(copy), copy, scratch=scratch)
    except (sqlite3.Error, OSError) as error:
        scratch.close()
        raise BadInput(
            f"the recording was cut off and cannot be recovered ({error})",
            where=str(path),
            way_out="Copy it to a folder with room and open it there.",
        ) from error
