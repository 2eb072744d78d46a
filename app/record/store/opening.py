"""Opening a session file in whatever state it was left."""

import contextlib
import errno
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from app.plan.verdict import Cause
from app.record.store import database, tables
from app.record.store.closing import (
    CRASHED,
    READERS_S,
    leave_wal,
    mark_unfinished_steps,
)
from app.record.store.digest import content_digest, fits_hash
from app.record.store.errors import damaged, is_held, is_interrupted, reading
from app.record.store.ledger import Ledger
from app.record.store.limits import allow, whole_file_s
from app.record.store.lock import RecordingLock, await_end, is_recorded
from app.record.store.schema import MIGRATIONS, VERSION
from instruments.errors import BadInput
from instruments.files.own_folder import OwnFolder


def put_right(path: Path) -> None:
    """Bring a file to the newest version, say that it was cut off, tidy up.

    A file that is complete and only could not be tidied at its end stays complete.
    Everything that was committed is kept, in the tail as it is.

    Raises:
        OSError: The folder cannot be written, or somebody else is at it.
        sqlite3.Error: The file cannot be written, or it is damaged.
        ValueError: Its content is none of a session.
        BadInput: Its tables are not those of its version.
    """
    lock = RecordingLock(path)
    try:
        connection = database.connect_for_changes(path)
        try:
            migrate(connection)
            info, state = tables.info(connection)
            if state == "recording":
                _mark_crashed(connection, info.verdict)
            leave_wal(connection)
        finally:
            connection.close()
    finally:
        lock.release()


def _mark_crashed(connection: sqlite3.Connection, verdict: str | None) -> None:
    ledger = Ledger(connection, lambda: None)
    _, last = tables.extent(connection)
    mark_unfinished_steps(ledger, Cause.CRASHED, ended_ns=last)
    ledger.execute(
        "UPDATE session SET state = 'crashed', verdict = ?, ended_ns = "
        "coalesce(ended_ns, ?), outcome = 'ERROR' WHERE id = 1",
        (verdict or "ERROR", last),
    )
    ledger.execute(
        "INSERT INTO journal (t_ns, action, detail) VALUES (?, 'recovered', ?)",
        (last, f"{CRASHED}; found on opening"),
    )
    ledger.execute(
        "INSERT INTO event (t_ns, level, source, message) VALUES (?, 'error', ?, ?)",
        (last, "recorder", CRASHED),
    )
    ledger.commit()


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a file to the newest version; each step and its number are one commit.

    A file that was unchanged since its recording gets the hash of its new form.

    Raises:
        sqlite3.OperationalError: The file cannot be written.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    due = MIGRATIONS[version - 1 :]
    intact = bool(due) and fits_hash(connection)
    for number, sql in enumerate(due, version + 1):
        try:
            connection.executescript(
                f"BEGIN IMMEDIATE;{sql};PRAGMA user_version = {number};"
            )
            if intact:
                connection.execute(
                    "UPDATE session SET sha256 = ?", (content_digest(connection),)
                )
            connection.execute("COMMIT")
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


LOOK_S = 2.0
"""How long a crashed file is looked over before it is recovered."""

MOST_COPIED = 4 * 2**30
"""Bytes of a session that is copied to be recovered."""


@dataclass
class Opened:
    """A read connection, and what is to be cleaned up after it."""

    connection: sqlite3.Connection
    path: Path  # what it reads: the session file, or its copy
    is_live: bool = False  # whether the file is being recorded
    # a temporary folder with the copy that is read, or None
    scratch: OwnFolder | None = None
    _hashing: threading.Lock = field(default_factory=threading.Lock)
    _fits_hash: bool | None = None  # None until it is looked at

    def again(self) -> sqlite3.Connection:
        """Connect to the same file once more, for what takes long."""
        return _connect(self.path)

    def is_unchanged(self, is_over: Callable[[], bool]) -> bool | None:
        """Tell whether its content is what was hashed, by a connection of its own.

        Args:
            is_over: Whether the answer is not wanted any more, so that there is none.
        """
        with self._hashing:
            if self._fits_hash is None and not is_over():
                self._compare_hash(is_over)
            return self._fits_hash

    def _compare_hash(self, is_over: Callable[[], bool]) -> None:
        try:
            with contextlib.closing(self.again()) as connection:
                # Not by its name, which may be another by now.
                [pages] = connection.execute("PRAGMA page_count").fetchone()
                [size] = connection.execute("PRAGMA page_size").fetchone()
                allow(connection, whole_file_s(pages * size), is_over)
                self._fits_hash = fits_hash(connection)
        except sqlite3.OperationalError:
            if not is_over():
                raise

    def close(self) -> None:
        """Close the connection and remove the copy; may be called twice."""
        self.connection.close()
        if self.scratch is not None:
            self.scratch.close()
            self.scratch = None


def open_file(path: Path) -> Opened:
    """Open a session for reading; recover it first where a crash left it behind.

    Raises:
        BadInput: It is missing, foreign, damaged or newer, or another program holds
            it; it is not changed.
    """
    return database.undisturbed(path, lambda: _open(path))


def _open(path: Path) -> Opened:
    version = database.check_header(path)
    await_end(path, READERS_S)
    if is_recorded(path):
        return Opened(database.connect_for_reading(path), path, is_live=True)
    over, tidy = _look(path)
    if over and tidy and version == VERSION:
        return Opened(_connect(path), path)
    if not over:
        _check_inside(path)
    try:
        put_right(path)
        return Opened(database.connect_for_reading(path), path)
    except BlockingIOError:  # somebody else recovers it at this very moment
        return Opened(database.connect_for_reading(path), path, is_live=True)
    except (sqlite3.OperationalError, OSError) as error:
        if isinstance(error, sqlite3.Error) and _may_pass(error):
            raise
        if over and version == VERSION:
            return Opened(_connect(path), path)
        return open_copy(path)


def _may_pass(error: sqlite3.Error) -> bool:
    """Whether a file may be read another time: it is held, or took too long."""
    return is_held(error) or is_interrupted(error)


def _look(path: Path) -> tuple[bool, bool]:
    """Tell whether the recording ended in order, and as a single file."""
    if database.log_size(path) or database.has_journal(path):
        return False, False
    tidy = database.is_alone(path)
    with contextlib.closing(database.connect_unlocked(path)) as connection:
        row = connection.execute("SELECT state FROM session").fetchone()
    return row is not None and row[0] in ("complete", "crashed"), tidy


def _connect(path: Path) -> sqlite3.Connection:
    """Connect to a file that is over, wherever it lies."""
    try:
        return database.connect_for_reading(path)
    except sqlite3.OperationalError as error:
        if _may_pass(error):
            raise
        return database.connect_unlocked(path)


def _check_inside(path: Path) -> None:
    """Look a crashed file over before anything is done to it, as far as time allows.

    Raises:
        BadInput: It is damaged inside.
    """
    try:
        with contextlib.closing(database.connect_for_reading(path)) as connection:
            # SQLite looks at the clock between two pages here, not at ours.
            timer = threading.Timer(LOOK_S, connection.interrupt)
            timer.start()
            try:
                verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            finally:
                timer.cancel()
                timer.join()
    except sqlite3.OperationalError as error:
        if is_held(error):
            raise
        return  # It is too long, or no log can be read here: it is for the copy.
    if verdict != "ok":
        raise damaged(path, str(verdict))


def open_copy(path: Path) -> Opened:
    """Recover and migrate a copy, because the file itself cannot be written.

    Raises:
        BadInput: There is no room for it, or it is damaged.
    """
    scratch = OwnFolder("bayscope-copy-")
    try:
        copy = scratch.path / path.name
        _check_room(path, copy.parent)
        logs = database.wal_path(path), database.journal_path(path)
        for original in (path, *logs):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(original, copy.with_name(original.name))
        with reading(path):
            put_right(copy)
            return Opened(database.connect_for_reading(copy), copy, scratch=scratch)
    except BaseException as error:
        scratch.close()
        if isinstance(error, OSError):
            raise BadInput(
                f"the recording was cut off and cannot be recovered ({error})",
                where=str(path),
                way_out="Copy it to a folder with room and open it there.",
            ) from error
        raise


def _check_room(path: Path, folder: Path) -> None:
    """Make sure that a copy fits, with as much again to recover it in.

    Raises:
        OSError: It does not.
    """
    size = path.stat().st_size
    if size > MOST_COPIED or shutil.disk_usage(folder).free < 2 * size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
