"""The sessions in a folder, looked at quickly and without changing any."""

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from app.record.store import database, tables
from app.record.store.digest import fits_hash
from app.record.store.errors import is_held
from app.record.store.index import Stamp
from app.record.store.limits import MOST_STEPS, allow, whole_file_s
from app.record.store.lock import is_recorded
from app.record.store.looks import (
    Look,
    labelled,
    read_tables,
    texts_of,
    values_of,
)
from app.record.store.model import SessionSummary
from app.record.store.schema import ATTEMPT_BEFORE_8
from instruments.errors import BadInput, BenchError, plain_words
from instruments.files.foreign_text import why_no_file
from instruments.files.mounts import is_remote
from instruments.reading import SECOND

SUFFIX = ".bayscope"

# A larger file's hash takes longer than a list may take to appear.
_LOOKED_THROUGH = 32 * 2**20
_MOST_HASHED = 10_000
_hashed: dict[tuple[str, int, int, int], bool] = {}

_FIRST_WITH_ATTEMPT = 8
"""Version of the first files that store the attempt of a void row."""


def sessions(folder: Path) -> list[SessionSummary]:
    """List the sessions of a folder, the newest first.

    A file that cannot be read is listed with the reason and hides no other. None is
    compared with its hash, which takes twenty times as long: see `looked_through`.

    Raises:
        BadInput: The folder cannot be read.
    """
    return newest_first(map(summary, session_files(folder)))


def newest_first(found: Iterable[SessionSummary]) -> list[SessionSummary]:
    """Sort sessions as lists show them."""
    return sorted(found, key=lambda one: (one.started, one.path.name), reverse=True)


def stamps(folder: Path) -> dict[str, Stamp | None]:
    """Find the session files of a folder, with what tells that one was changed.

    Returns:
        Of each file by its name its size and times; None where it is being recorded,
        was left behind by a crash or cannot be looked at: it is to be read again.
        None of them where there is no such folder.

    Raises:
        BadInput: The folder cannot be read.
    """
    stamps: dict[str, Stamp | None] = {}
    with _reading_folder(folder), os.scandir(folder) as entries:
        names = {entry.name: entry for entry in entries}
        for name, entry in names.items():
            if not name.endswith(SUFFIX) or name == SUFFIX:
                continue
            stamps[name] = None
            if not any(name + end in names for end in ("-wal", "-journal", "-lock")):
                with contextlib.suppress(OSError):
                    info = entry.stat()
                    stamps[name] = (info.st_size, info.st_mtime_ns, info.st_ctime_ns)
    return stamps


@contextlib.contextmanager
def _reading_folder(folder: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        return
    except OSError as error:
        raise BadInput(
            f"the folder cannot be read, {plain_words(error)}",
            where=str(folder),
            way_out="Choose another folder, or get permission to read it.",
        ) from error


def session_files(folder: Path) -> list[Path]:
    """Find the session files of a folder, by their names from the last to the first.

    Raises:
        BadInput: The folder cannot be read.
    """
    found: list[Path] = []
    with _reading_folder(folder):
        found += [path for path in folder.iterdir() if path.suffix == SUFFIX]
    return sorted(found, reverse=True)


def summary(path: Path) -> SessionSummary:
    """Look at one session, without its hash; `error` says why it cannot be read."""
    return look(path).summary


def look(path: Path) -> Look:
    """Look at one session, and read what it is found by.

    One that another computer records, on a network, is left alone: locks and shared
    memory do not reach that far.
    """
    size = 0
    try:
        size = path.stat().st_size
        if not database.is_alone(path) and is_remote(path):
            raise BadInput(
                "another computer is recording it, or was cut off while it did",
                where=str(path),
                way_out="Open it there; here it is listed once it is one file.",
            )
        return database.undisturbed(path, lambda: _look(path, size))
    except BenchError as error:
        return Look(SessionSummary(path, path.stem, size=size, error=str(error)))
    except OSError as error:
        reason = BadInput(why_no_file(path, error), where=str(path))
        return Look(SessionSummary(path, path.stem, size=size, error=str(reason)))


def _look(path: Path, size: int) -> Look:
    database.check_header(path)
    is_live = is_recorded(path)
    with closing(_connect(path, is_live=is_live)) as connection:
        connection.execute("BEGIN")
        info, state = tables.info(connection)
        steps, done = _count_steps(connection)
        unclean = len(tables.unclean_steps(connection))
        ended = info.ended_ns
        if ended is None:
            ended = max(tables.extent(connection)[1], info.monotonic_ns)
        rows = read_tables(connection)
        texts, values = texts_of(info, rows), values_of(rows)
        tags, note, starred = labelled(rows)
    if state == "recording" and not is_live:
        state = "crashed"
    if state == "crashed":  # What recovery says of it, which nobody did yet.
        info = replace(info, verdict=info.verdict or "ERROR", outcome="ERROR")
    found = SessionSummary(
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
        unclean=unclean,
        done=done,
        published=info.is_published,
        operator=info.operator,
        tags=tags,
        note=note,
        starred=starred,
    )
    return Look(found, texts, values)


def _count_steps(connection: sqlite3.Connection) -> tuple[int, int]:
    """Get how many steps there are, and how many of them were run to their end.

    Void ones that were planned again do not count.

    SQLite counts all of a table without a look at the clock, so that a table that
    leads back into itself is counted for ever: it is told of no more than there may be.
    """
    [version] = connection.execute("PRAGMA user_version").fetchone()
    # Older files are listed as they are; they are migrated where they are opened.
    attempt = "attempt" if version >= _FIRST_WITH_ATTEMPT else ATTEMPT_BEFORE_8
    [steps, replaced, done] = connection.execute(
        f"SELECT count(*), count(*) FILTER (WHERE attempt > 0), "
        f"count(*) FILTER (WHERE outcome = 'DONE') "
        f"FROM (SELECT {attempt} AS attempt, outcome FROM step LIMIT ?)",
        (MOST_STEPS + 1,),
    ).fetchone()
    if steps > MOST_STEPS:
        raise ValueError(f"the number of its steps is {steps}")
    return int(steps - replaced), int(done)


def looked_through(
    one: SessionSummary, most: float = _LOOKED_THROUGH
) -> SessionSummary:
    """Compare a finished session with its hash, again only where the file is another.

    Returns:
        The same with `changed` as it is found; with `error` where it cannot be read.
    """
    if one.error or one.state != "complete" or one.size > most:
        return one
    try:
        return replace(one, changed=_is_changed(one.path))
    except BenchError as error:
        return replace(one, error=str(error))
    except OSError as error:
        return replace(
            one, error=f"{one.path}: it cannot be read, {plain_words(error)}."
        )


def _is_changed(path: Path) -> bool | None:
    """Compare a file with its hash; None where it is being written to."""
    key = _key(path)
    if key not in _hashed:
        if len(_hashed) > _MOST_HASHED:
            _hashed.clear()
        fits = database.undisturbed(path, lambda: _fits_hash(path))
        if _key(path) != key:
            return None
        _hashed[key] = not fits
    return _hashed[key]


def _key(path: Path) -> tuple[str, int, int, int]:
    look = path.stat()
    return str(path), look.st_size, look.st_mtime_ns, look.st_ino


def _fits_hash(path: Path) -> bool:
    with closing(_connect(path, is_live=False)) as connection:
        connection.execute("BEGIN")
        allow(connection, whole_file_s(path.stat().st_size))
        return fits_hash(connection)


def _connect(path: Path, *, is_live: bool) -> sqlite3.Connection:
    """Connect so that nothing is changed, also on a read-only medium."""
    if not is_live and database.is_alone(path):
        return database.connect_unlocked(path)
    try:
        return database.connect_for_reading(path)
    except sqlite3.OperationalError as error:
        if is_held(error):
            raise
    # A change that was cut off is taken back by whoever connects and may write.
    with contextlib.suppress(sqlite3.OperationalError):
        if database.has_journal(path):
            database.connect_for_changes(path).close()
            return database.connect_for_reading(path)
    return database.connect_unlocked(path)
