"""The SQLite file itself: making it, telling it from others, connecting to it."""

import contextlib
import os
import sqlite3
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from app.record.store.errors import damaged, is_held, reading
from app.record.store.limits import BUSY_S, READ_S, allow, restrict
from app.record.store.lock import RecordingLock, is_recorded, lock_path
from app.record.store.model import SessionInfo
from app.record.store.schema import VERSION, check_schema, schema_sql
from instruments.errors import BadInput, plain_words
from instruments.files.foreign_text import way_to_file, why_no_file

APPLICATION_ID = 0x42617953
"""In the header of every session: the letters BayS."""

_MAGIC = b"SQLite format 3\0"
# SQLite's header has user_version at 60 and application_id at 68
# (sqlite.org/fileformat2.html).
_HEAD_BYTES = 72
# A reader holds a lock for one page of a table; only a checkpoint of a large WAL takes
# seconds.
_RECORDER_BUSY_S = 10.0
_AGAIN_S = 0.01
T = TypeVar("T")
_COMPANIONS = ("-wal", "-shm", "-journal", "-lock")
_NAMES_ANOTHER = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
"""How a rollback journal ends that names a further file, which SQLite may delete."""


def create(path: Path, info: SessionInfo) -> sqlite3.Connection:
    """Make a session file and connect to it for writing, in WAL mode.

    It is made under another name and renamed, so that whoever looks for sessions
    finds a whole one or none. Only the holder of the recording lock calls this.

    Raises:
        OSError: The file cannot be made there.
        sqlite3.Error: It cannot be written.
    """
    unborn = _unborn(path)
    unborn.unlink(missing_ok=True)
    try:
        _make(unborn, info)
        unborn.rename(path)
    except BaseException:
        _remove(unborn)
        raise
    return connect_for_recording(path)


def remove_unborn(path: Path) -> None:
    """Remove what a kill left of a session that was not one yet, and its lock."""
    with contextlib.suppress(OSError):  # Somebody makes it just now.
        lock = RecordingLock(path)
        try:
            _remove(_unborn(path))
        finally:
            lock.release()


def _unborn(path: Path) -> Path:
    return path.with_name(f"{path.name}-new")


def _remove(unborn: Path) -> None:
    for companion in ("", "-wal", "-shm", "-journal"):
        unborn.with_name(unborn.name + companion).unlink(missing_ok=True)


def connect_for_recording(path: Path) -> sqlite3.Connection:
    """Connect to a session of ours for writing, without limits."""
    connection = connect_for_changes(path)
    connection.set_progress_handler(None, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2**31 - 1)
    connection.execute(f"PRAGMA busy_timeout = {round(1000 * _RECORDER_BUSY_S)}")
    # Debian's SQLite overwrites what is deleted; the tail is, every 17 minutes.
    connection.execute("PRAGMA secure_delete = OFF")
    return connection


def _make(path: Path, info: SessionInfo) -> None:
    connection = _connect(path, "rwc")
    try:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.executescript(f"BEGIN;{schema_sql()};COMMIT;")
        connection.execute(
            "INSERT INTO session (id, state, name, campaign, bench, operator, "
            "app_version, simulated, dut, boot_id, monotonic_ns, realtime_ns, note) "
            "VALUES (1, 'recording', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                info.name,
                info.campaign,
                info.bench,
                info.operator,
                info.app_version,
                int(info.simulated),
                info.dut,
                info.boot_id,
                info.monotonic_ns,
                info.realtime_ns,
                info.note,
            ),
        )
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def connect_for_reading(path: Path) -> sqlite3.Connection:
    """Connect read-only; the connection may be used by several threads in turn.

    Raises:
        sqlite3.OperationalError: It is in WAL mode on a medium that is read-only, or
            another program holds it.
        BadInput: It has other tables than a session.
    """
    connection = _checked(path, "ro")
    connection.execute("PRAGMA query_only = ON")
    return connection


def connect_unlocked(path: Path) -> sqlite3.Connection:
    """Connect to a file that nobody can change: no locks, no files beside it.

    Raises:
        sqlite3.DatabaseError: It cannot be read.
        BadInput: It has other tables than a session.
    """
    return _checked(path, "ro&immutable=1")


def connect_for_changes(path: Path) -> sqlite3.Connection:
    """Connect to an existing session for writing.

    Raises:
        sqlite3.OperationalError: It cannot be written, or another program holds it.
        BadInput: It has other tables than a session.
    """
    connection = _checked(path, "rw")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _checked(path: Path, mode: str) -> sqlite3.Connection:
    connection = _connect(path, mode)
    try:
        check_schema(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def check_header(path: Path) -> int:
    """Tell a session from other files, without changing it.

    SQLite itself reads the header, because closing a descriptor of ours would
    drop the locks that SQLite holds for a writer in this very process.

    Returns:
        The version of the schema.

    Raises:
        BadInput: It is foreign, cut short or newer.
    """
    try:
        connection = _connect(path, "ro" if is_recorded(path) else "ro&immutable=1")
        try:
            identity = _number(connection, "PRAGMA application_id")
            version = _number(connection, "PRAGMA user_version")
            pages = _number(connection, "PRAGMA page_count")
            size = _number(connection, "PRAGMA page_size")
        finally:
            connection.close()
    except (sqlite3.Error, ValueError) as error:
        if isinstance(error, sqlite3.Error) and is_held(error):
            raise
        identity, version = _read_header(path)
        pages, size = 0, 0
        if identity == APPLICATION_ID and not _has_log(path):
            raise damaged(path, str(error)) from error
    if identity != APPLICATION_ID:
        raise BadInput(
            "this is not a Bayscope session",
            where=str(path),
            way_out="Choose one that Bayscope recorded; this file was not changed.",
        )
    if version > VERSION:
        raise BadInput(
            f"the session was recorded by a newer Bayscope (format {version}, "
            f"this one reads up to {VERSION})",
            where=str(path),
            way_out="Open it with that version or a later one; it was not changed.",
        )
    if version < 1:
        raise damaged(path, "it has no version")
    # A checkpoint, also one that a crash cut off, may leave the main file shorter than
    # it says: the rest of it is in the log. The log is looked at after the pages, that
    # a writer may have added to since, and before the length, that a log which is gone
    # has gone into.
    has_log = _has_log(path)
    length = path.stat().st_size
    if length < pages * size and not has_log:
        raise damaged(path, f"{length} of {pages * size} bytes")
    return version


def undisturbed(path: Path, read: Callable[[], T]) -> T:
    """Read a file that somebody may be changing, again where that was in the way.

    Who reads without SQLite's locks in the middle of a change finds half of it, which
    looks like damage. So only what is wrong with a file that stays as it is counts.

    Raises:
        BadInput: There is no such file, or it cannot be read, as `read` says.
    """
    check_place(path)
    deadline = time.monotonic() + BUSY_S
    while True:
        before = _state(path)
        try:
            with reading(path):
                return read()
        except BadInput:
            is_settled = _state(path) == before and not _is_being_changed(path)
            if is_settled or time.monotonic() >= deadline:
                raise
        time.sleep(_AGAIN_S)


def _state(path: Path) -> list[object]:
    """Get what tells that a file, or what SQLite leaves beside it, was changed."""
    state: list[object] = [is_recorded(path)]
    for one in (path, wal_path(path)):
        with contextlib.suppress(OSError):
            info = one.stat()
            state += [info.st_size, info.st_mtime_ns, info.st_ctime_ns]
    return state


def _is_being_changed(path: Path) -> bool:
    """Tell whether a journal is beside a file that no kill has left there long ago."""
    with contextlib.suppress(OSError):
        return time.time() - journal_path(path).stat().st_mtime < BUSY_S
    return False


def check_place(path: Path) -> None:
    """Make sure that there is a file to look at.

    Raises:
        BadInput: There is none, or it cannot be looked at.
    """
    if why := why_no_file(path):
        raise BadInput(
            f"the session cannot be opened, {why}",
            where=str(path)[:200],
            way_out=way_to_file(
                path, "Choose one of the sessions in a folder, a file *.bayscope."
            ),
        )
    for companion in _COMPANIONS:
        _check_beside(path.with_name(path.name + companion))


def _check_beside(path: Path) -> None:
    """Make sure that what SQLite opens beside a session leads nowhere else."""
    with contextlib.suppress(OSError):  # There is none, or SQLite cannot open it.
        info = path.lstat()
        leads_on = not stat.S_ISREG(info.st_mode) or info.st_nlink > 1
        if path.name.endswith("-journal") and not leads_on:
            with path.open("rb") as file:
                file.seek(-min(file.seek(0, os.SEEK_END), len(_NAMES_ANOTHER)), 1)
                leads_on = file.read() == _NAMES_ANOTHER
        if leads_on:
            raise BadInput(
                "neither Bayscope nor SQLite left this file beside a session",
                where=str(path),
                way_out="Copy the session alone to another folder and open it there.",
            )


def wal_path(path: Path) -> Path:
    """Get the path of SQLite's write-ahead log beside a file."""
    return path.with_name(f"{path.name}-wal")


def journal_path(path: Path) -> Path:
    """Get the path of the journal that takes a change of a finished session back."""
    return path.with_name(f"{path.name}-journal")


def has_journal(path: Path) -> bool:
    """Tell whether a change of a finished session is being stored, or was cut off."""
    with contextlib.suppress(OSError):  # its name would be too long
        return journal_path(path).exists()
    return False


def _has_log(path: Path) -> bool:
    return log_size(path) > 0 or has_journal(path)


def is_alone(path: Path) -> bool:
    """Tell whether SQLite has left nothing beside a file."""
    for companion in _COMPANIONS[:3]:
        with contextlib.suppress(OSError):  # There is none, or its name is too long.
            path.with_name(path.name + companion).lstat()
            return False
    return True


def check_alone(path: Path, way_out: str) -> None:
    """Check that a file can be moved alone, without leaving samples behind.

    Raises:
        BadInput: Files beside it hold what was recorded last, or it is being recorded.
    """
    if not is_alone(path) or lock_path(path).exists():
        raise BadInput(
            "it is being recorded, or was cut off while it was",
            where=str(path),
            way_out=way_out,
        )


def log_size(path: Path) -> int:
    """Get the size of the write-ahead log beside a file in bytes, 0 without one."""
    try:
        return wal_path(path).stat().st_size
    except OSError:  # there is none, or its name would be too long
        return 0


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}",
        uri=True,
        timeout=BUSY_S,
        isolation_level=None,
        check_same_thread=False,
    )
    restrict(connection)
    allow(connection, READ_S)
    return connection


def _number(connection: sqlite3.Connection, sql: str) -> int:
    return int(connection.execute(sql).fetchone()[0])


def _read_header(path: Path) -> tuple[int, int]:
    """Read application id and version of a file that SQLite cannot read.

    A head that is cut short counts as ours as far as it goes.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError as failure:
        raise BadInput(
            f"the session file cannot be read, {plain_words(failure)}",
            where=str(path),
            way_out="Check its permissions.",
        ) from failure
    if len(head) < len(_MAGIC) or not head.startswith(_MAGIC):
        return 0, 0
    if len(head) < _HEAD_BYTES:
        return APPLICATION_ID, VERSION
    return int.from_bytes(head[68:72], "big"), int.from_bytes(head[60:64], "big")
