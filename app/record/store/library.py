"""The sessions in a folder, looked at quickly and without changing any."""

import sqlite3
from dataclasses import replace
from pathlib import Path

from app.record.store import database, tables
from app.record.store.digest import fits_hash
from app.record.store.errors import is_held, reading
from app.record.store.limits import allow, whole_file_s
from app.record.store.lock import is_recorded
from app.record.store.model import SessionSummary
from instruments.errors import BadInput, BenchError
from instruments.reading import SECOND

SUFFIX = ".bayscope"

_LOOKED_THROUGH = 32 * 2**20
_MOST_HASHED = 10_000
_hashed: dict[tuple[str, int, int, int], bool] = {}


def sessions(folder: Path) -> list[SessionSummary]:
    """List the sessions of a folder, the newest first.

    A file that cannot be read is listed with the reason and hides no other.

    Raises:
        BadInput: The folder cannot be read.
    """
    try:
        if not folder.is_dir():
            return []
        found = [summary(path) for path in folder.iterdir() if path.suffix == SUFFIX]
    except OSError as error:
        raise BadInput(
            f"the folder cannot be read, {(error.strerror or str(error)).lower()}",
            where=str(folder),
            way_out="Name another folder, or ask for the right to read it.",
        ) from error
    return sorted(found, key=lambda one: (one.started, one.path.name), reverse=True)


def summary(path: Path) -> SessionSummary:
    """Look at one session; `error` says why where it cannot be read."""
    size = 0
    try:
        size = path.stat().st_size
        database.check_header(path)
        return _summary(path, size)
    except BenchError as error:
        return SessionSummary(path, path.stem, size=size, error=str(error))
    except OSError as error:
        reason = f"{path}: it cannot be read, {error.strerror}."
        return SessionSummary(path, path.stem, size=size, error=reason)


def _summary(path: Path, size: int) -> SessionSummary:
    is_live = is_recorded(path)
    changed = False
    with reading(path):
        connection = _connect(path, is_live=is_live)
        try:
            connection.execute("BEGIN")
            info, state = tables.info(connection)
            steps = tables.count_steps(connection)
            ended = info.ended_ns
            if ended is None:
                ended = max(tables.extent(connection)[1], info.monotonic_ns)
            if state == "complete" and size <= _LOOKED_THROUGH:
                allow(connection, whole_file_s(size))
                changed = _is_changed(connection, path)
        finally:
            connection.close()
    if state == "recording" and not is_live:
        state = "crashed"
    if state == "crashed":  # What recovery says of it, which nobody did yet.
        info = replace(info, verdict=info.verdict or "ERROR", outcome="ERROR")
    return SessionSummary(
        path,
        info.name,
        info.dut,
        info.realtime_ns,
        (ended - info.monotonic_ns) / SECOND,
        steps,
        info.verdict,
        info.outcome,
        info.simulated,
        state,
        size,
        changed,
    )


def _is_changed(connection: sqlite3.Connection, path: Path) -> bool:
    """Compare a session with its hash, anew only where the file is another."""
    look = path.stat()
    key = (str(path), look.st_size, look.st_mtime_ns, look.st_ino)
    if key not in _hashed:
        if len(_hashed) > _MOST_HASHED:
            _hashed.clear()
        _hashed[key] = not fits_hash(connection)
    return _hashed[key]


def _connect(path: Path, *, is_live: bool) -> sqlite3.Connection:
    """Connect so that nothing is changed, also on a read-only medium."""
    if not is_live and database.is_alone(path):
        return database.connect_unlocked(path)
    try:
        return database.connect_for_reading(path)
    except sqlite3.OperationalError as error:
        if is_held(error):
            raise
        return database.connect_unlocked(path)
